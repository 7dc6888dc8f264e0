"""Which heads the page shows, by mouse and keyboard."""

import unittest

from chromium import SHIFT
from heads import HEADS, LAYERS, shown_as
from page import BANK, MONEY, BrowserTest, head, key_token, query_token, setUpModule


class Choices(BrowserTest):
    def chosen(self, page):
        return page.evaluate(
            "[...document.querySelectorAll('.cell[aria-selected=true]')].map((cell) => cell.dataset.head)"
        )

    def test_several_heads_side_by_side_and_averaged(self):
        page = self.sentence()
        page.click(head(0, 2))
        page.click(head(1, 1), SHIFT)
        page.click(head(1, 2), SHIFT)
        self.assertEqual(self.chosen(page), ["0.2", "1.1", "1.2"])
        self.assertEqual(page.evaluate("document.querySelectorAll('.card').length"), 3)
        page.hover(query_token(BANK))
        self.assertEqual(self.readout(page, 2)[1][0], shown_as(max(self.weights.rows[1][1][BANK])))
        page.click(head(1, 2), SHIFT)
        page.click("#several label:last-child")
        self.assertEqual(page.text(".card h3"), "Average of 2 heads")
        page.click(query_token(BANK))
        page.hover(key_token(MONEY))
        mean = self.weights.mean([(0, 2), (1, 1)], BANK, MONEY)
        self.assertLess(abs(self.readout(page)[1][0] / mean - 1), 1e-3)

    def test_a_layer_and_all_heads_averaged(self):
        page = self.sentence()
        page.click(".row:nth-child(3) .name")
        self.assertEqual(page.text(".card h3"), "Average of layer 1")
        page.click("#average-all")
        self.assertEqual(page.text(".card h3"), "Average of all heads")
        every = [(layer, number) for layer in range(LAYERS) for number in range(HEADS)]
        page.click(query_token(BANK))
        page.hover(key_token(MONEY))
        self.assertLess(abs(self.readout(page)[1][0] / self.weights.mean(every, BANK, MONEY) - 1), 1e-3)

    def test_the_keyboard_moves_picks_and_toggles(self):
        page = self.sentence()
        page.evaluate("document.querySelector('.cell[tabindex=\"0\"]').focus()")
        for key in ("Home", "ArrowDown", "Enter"):
            page.press(key)
        self.assertEqual(page.text(".card h3"), "Average of layer 1")
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
            page.press(key)
        self.assertEqual(self.chosen(page), ["1.2"])
        page.press("ArrowLeft")
        page.press(" ")
        self.assertEqual(self.chosen(page), ["1.1", "1.2"])
        page.press(" ")
        self.assertEqual(self.chosen(page), ["1.2"])
        page.press("ArrowUp")
        self.assertEqual(page.evaluate("document.activeElement.dataset.head"), "0.1")
        self.assertEqual(self.chosen(page), ["1.2"])

    def test_the_keyboard_reaches_everything_and_shows_where_it_is(self):
        page = self.sentence()
        reached, unseen = set(), []
        for _ in range(20):
            page.press("Tab")
            name, outlined = page.evaluate("""(({activeElement: at}) => [at.id || at.name || at.className.split(" ")[0],
                [at, at.parentElement].some((e) => getComputedStyle(e).outlineStyle !== "none")])(document)""")
            if page.evaluate("document.activeElement === document.body"):
                break  # past the last
            reached.add(name)
            unseen += [] if outlined else [name]
        self.assertLessEqual(
            {"theme", "figure", "cell", "view", "threshold", "top", "special", "token", "map"}, reached
        )
        self.assertEqual(unseen, [])

    def test_tokens_and_cells_by_keyboard(self):
        page = self.sentence()
        page.click(head(1, 0))
        page.evaluate("document.querySelector('.column:first-child .token').focus()")
        for _ in range(BANK):
            page.press("ArrowDown")
        self.assert_row(page, self.weights.rows[1][0][BANK])
        page.evaluate("document.querySelector('.map').focus()")
        for key in ["ArrowDown"] + BANK * ["ArrowDown"] + MONEY * ["ArrowRight"]:
            page.press(key)
        parts, weights = self.readout(page)
        self.assertEqual(parts, ["bank", "money"])
        self.assertEqual(weights[0], shown_as(self.weights.rows[1][0][BANK][MONEY]))

    def test_everything_has_a_role_and_a_name(self):
        page = self.sentence()
        nodes = page.send("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "gridcell", "slider", "radio", "checkbox", "combobox", "grid", "radiogroup", "columnheader")
        found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if "role" in node]
        named = [pair for pair in found if pair[0] in roles]
        self.assertEqual([pair for pair in named if not pair[1]], [])
        self.assertIn(("gridcell", "Layer 0, head 0: previous token"), named)
        self.assertEqual({role for role, _ in named} & {"slider", "grid", "radio"}, {"slider", "grid", "radio"})


if __name__ == "__main__":
    unittest.main()
