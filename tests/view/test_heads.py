"""One head on the page: lines, heat map, readout, figures and pattern."""

import struct
import unittest
import zipfile

from chromium import SHIFT
from heads import SENTENCE, Weights, as_float, shown_as
from page import BANK, MODEL, MONEY, BrowserTest, golden_attention, head, key_token, query_token, setUpModule, there_is_the_model

from command import run


class Heads(BrowserTest):
    def test_a_picked_head_and_a_token_that_is_pointed_at(self):
        page = self.sentence()
        for layer, number in ((1, 2), (0, 1), (1, 0)):
            page.click(head(layer, number))
            self.assertEqual(page.text(".card h3"), f"Layer {layer}, head {number}")
            page.hover(query_token(BANK))
            self.assert_row(page, self.weights.rows[layer][number][BANK])

    def test_a_held_token_and_one_of_the_other_side_make_a_pair(self):
        page = self.sentence()
        page.click(head(1, 1))
        page.click(query_token(BANK))
        page.hover(key_token(MONEY))
        rows = self.weights.rows[1][1]
        self.assertEqual(
            self.readout(page), (["bank", "money"], [shown_as(rows[BANK][MONEY]), shown_as(rows[MONEY][BANK])])
        )
        page.press("Escape")
        page.hover(key_token(MONEY))
        parts, weights = self.readout(page)
        self.assertEqual((parts[0], weights[0]), ("money", shown_as(max(row[MONEY] for row in rows))))

    def test_the_heat_map_reads_the_cell_under_the_mouse(self):
        page = self.sentence()
        page.click(head(1, 0))
        x, y, width, height = page.box(".map canvas")
        label, cell = page.evaluate("[cards[0].map.label, cards[0].map.cell]")
        for (query, key), inside in (((BANK, MONEY), 0.1), ((0, 8), 0.9), ((8, 0), 0.1), ((4, 4), 0.9)):
            page.move(x + label + (key + inside) * cell, y + label + (query + inside) * cell)
            page.frames()
            parts, weights = self.readout(page)
            self.assertEqual(parts, [SENTENCE[query], SENTENCE[key]])
            self.assertEqual(weights[0], shown_as(self.weights.rows[1][0][query][key]))

    def test_every_weight_keeps_the_digits_it_is_shown_with(self):
        """All decades, ties, both ends, and what is no number."""
        self.weights = Weights(self.folder, SENTENCE, 1, 1)
        values = [10.0 ** -(i / 9.0) for i in range(72)] + [
            0.0,
            1.0,
            0.0078125,
            0.03125,
            9.9996e-8,
            0.99996,
            9.99e-8,
            1e-7,
        ]
        values = [as_float(v) for v in values] + [float("nan")]
        self.weights.rows = [[[values[i * 9 : i * 9 + 9] for i in range(9)]]]
        self.weights.write()
        page = self.open(self.weights.page())
        shown = page.evaluate("Array.from(weightsOf(0, 0), (weight) => weightText(weight))")
        self.assertEqual(shown[-1], "NaN")
        self.assertEqual([float(text) for text in shown[:-1]], [shown_as(v) for v in values[:-1]])

    def test_figures_and_pattern_follow_from_the_weights(self):
        page = self.sentence()
        for layer, number, pattern in ((0, 0, "previous token"), (0, 1, "next token"), (0, 2, "broad")):
            page.click(head(layer, number))
            self.assertEqual(page.text(".card .pattern"), pattern)
            self.assertIn("80 %" if pattern == "broad" else "50 %", page.text(".card .help"))
        rows = self.weights.rows[0][2]
        shares = {"on [CLS]": sum(row[0] for row in rows), "on itself": sum(row[i] for i, row in enumerate(rows))}
        shares["on [SEP]"] = sum(row[8] for row in rows)
        figures = dict(
            page.evaluate(
                "[...document.querySelectorAll('.card .figures div')].map((div) => "
                "[div.firstChild.textContent, div.lastChild.firstChild.textContent])"
            )
        )
        for name, total in shares.items():
            self.assertLess(abs(float(figures[name].split()[0]) - 100 * total / 9), 0.51, name)
        distance = sum(w * abs(i - j) for i, row in enumerate(rows) for j, w in enumerate(row)) / 9
        self.assertEqual(figures["mean distance"], f"{distance:.1f} tokens")

    def figures(self, page):
        return dict(
            page.evaluate(
                "[...document.querySelectorAll('.card .figures div')].map((div) => "
                "[div.firstChild.textContent, div.lastChild.textContent])"
            )
        )

    def test_weights_that_are_no_numbers(self):
        """All of a head, or one weight of it: no figure is told of what is not there, and the card says why."""
        nan = float("nan")
        self.weights = Weights(self.folder, SENTENCE)
        self.weights.rows[0][1] = [[nan] * 9 for _ in range(9)]
        self.weights.rows[0][2][BANK][MONEY] = nan
        self.weights.write()
        page = self.open(self.weights.page())
        for number, strange in ((1, 81), (2, 1)):
            page.click(head(0, number))
            self.assertEqual(page.text(".card .pattern"), "weights are not numbers")
            self.assertIn(f"{strange} of 81 weights are not numbers", page.text(".card .help"))
            self.assertEqual(self.figures(page)["entropy"], "–")
            self.assertNotIn("NaN", " ".join(self.figures(page).values()))
        largest = max(w for row in self.weights.rows[0][2] for w in row if w == w)
        self.assertLess(abs(float(page.text(".legend span")) / largest - 1), 0.01)
        page.hover(query_token(BANK))
        numbers = [shown_as(weight) for weight in self.weights.rows[0][2][BANK] if weight == weight]
        self.assertEqual(self.readout(page)[1], sorted(numbers, reverse=True)[:6])
        page.click(head(0, 1))
        self.assertEqual(page.text(".legend span"), "–")
        page.click(head(0, 0), SHIFT)
        page.click("#several label:last-child")
        self.assertEqual(set(self.figures(page).values()), {"–"})
        page.click("#all-figures summary")
        page.wait("document.querySelectorAll('#figures tbody tr').length === 6")
        for column in range(1, 7):
            page.click(f"#figures th:nth-child({column}) button")
        page.evaluate("""(() => { const list = document.getElementById("figure"); list.value = "distance";
            list.dispatchEvent(new Event("change")); })()""")
        page.frames()
        self.assertEqual(page.text(head(0, 1)), "–")
        self.assertNotIn("NaN", page.evaluate("document.getElementById('figures').textContent"))

    def test_too_few_tokens_have_no_pattern(self):
        for words, named in ((1, False), (2, False), (3, False), (4, True), (5, True)):
            for tokens in (SENTENCE[1 : words + 1], ["[CLS]", *SENTENCE[1 : words + 1], "[SEP]"]):
                page = self.open(Weights(self.folder, tokens).page())
                page.click(head(0, 0))
                name = page.text(".card .pattern")
                if named:
                    self.assertEqual(name, "previous token")
                    continue
                self.assertEqual(name, "too few tokens for a pattern")
                self.assertIn("from 4 tokens on", page.text(".card .help"))
                self.assertEqual(page.evaluate("document.querySelectorAll('#patterns button').length"), 0)

    def test_a_head_without_pattern_leads_to_the_rules(self):
        page = self.sentence()
        page.click(head(1, 1))
        self.assertEqual(page.text(".card .pattern"), "no simple pattern")
        self.assertFalse(page.evaluate("document.querySelector('#explanations').checkVisibility()"))
        page.click(".card .help a")
        self.assertTrue(page.evaluate("document.querySelector('#explanations').checkVisibility()"))
        top = page.evaluate("document.querySelector('#explanations').getBoundingClientRect().top")
        self.assertTrue(0 <= top < 900, top)

    def test_the_real_model(self):
        """The first paragraph's question, asked of all-MiniLM-L6-v2; the page shows what --export holds."""
        if not there_is_the_model(self):
            return
        files = ["-o", self.folder / "heads.html", "--export", self.folder / "w.npz"]
        self.assertEqual(run("view", MODEL, "--text", "The bank was full of money.", *files).code, 0)
        with zipfile.ZipFile(self.folder / "w.npz") as archive:
            data = archive.read("attention.npy")
        weights = struct.unpack(f"<{6 * 12 * 81}f", data[-6 * 12 * 81 * 4 :])
        for shown, expected in zip(weights, golden_attention(), strict=True):
            self.assertLess(abs(shown - expected), 1e-5)
        page = self.open(self.folder / "heads.html")
        for layer, number in ((0, 0), (2, 3), (5, 11)):
            page.click(head(layer, number))
            page.hover(query_token(BANK))
            start = ((layer * 12 + number) * 9 + BANK) * 9
            self.assert_row(page, weights[start : start + 9])
            self.assertIn("contribution here", page.text(".readout"))


if __name__ == "__main__":
    unittest.main()
