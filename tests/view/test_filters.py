"""Threshold, strongest keys, special tokens and directions of the page."""

import unittest

from heads import HEADS, PAIR, SENTENCE, Weights
from page import BANK, MONEY, BrowserTest, head, key_token, query_token, setUpModule


class Filters(BrowserTest):
    def test_sliders_leave_out_weak_lines(self):
        page = self.sentence()
        page.click(head(1, 0))
        rows = self.weights.rows[1][0]
        for step in (0, 25, 50, 70, 90):
            page.set_value("#threshold", step)
            floor = 0 if step == 0 else 10 ** (-4 + step / 25)
            self.assertEqual(self.drawn(page), sum(w >= floor for row in rows for w in row), step)
        page.set_value("#threshold", 0)
        for top in (1, 3):
            page.set_value("#top", top)
            self.assertEqual(self.drawn(page), 9 * top)
            self.assertEqual(page.text("#top-value"), f"{top} a token")

    def test_a_token_that_is_pointed_at_keeps_its_strongest_lines(self):
        page = self.sentence()
        page.click(head(1, 0))
        rows = self.weights.rows[1][0]
        page.set_value("#threshold", 100)
        self.assertEqual(self.drawn(page), 0)
        for selector in (query_token(MONEY), key_token(MONEY)):
            page.hover(selector)
            self.assertEqual(self.drawn(page), 3)
            page.set_value("#top", 5)
            self.assertEqual(self.drawn(page), 5)
            page.set_value("#top", 9)
        page.set_value("#threshold", 50)
        page.hover(query_token(MONEY))
        self.assertEqual(self.drawn(page), max(3, sum(weight >= 0.01 for weight in rows[MONEY])))
        page.hover(key_token(MONEY))
        self.assertEqual(self.drawn(page), max(3, sum(row[MONEY] >= 0.01 for row in rows)))
        page.click(query_token(BANK))
        page.hover(key_token(MONEY))
        self.assertEqual(self.drawn(page), 1)  # hold one, point at another: the pair

    def test_the_first_threshold_follows_the_number_of_tokens(self):
        """Every head that looks at all alike has its lines, whatever the length."""
        for count in (4, 30, 200):
            weights = Weights(self.folder, [f"word{i}" for i in range(count)], 1, 1)
            weights.rows = [[[[1 / count] * count] * count]]
            weights.write()
            page = self.open(weights.page())
            self.assertEqual(self.drawn(page), count * (count if count <= 48 else 3))
            self.assertLess(abs(float(page.text("#threshold-value")) * count / 0.5 - 1), 0.1)

    def test_headings_say_what_stands_beside_the_tokens(self):
        weights = Weights(self.folder, SENTENCE)
        page = self.open(weights.page())
        page.click(head(1, 0))
        page.move(0, 0)
        page.frames()
        self.assertEqual(self.headings(page), ("", "received"))
        page.hover(query_token(BANK))
        self.assertEqual(self.headings(page), ("", "weight"))
        page.hover(key_token(BANK))
        self.assertEqual(self.headings(page), ("weight", ""))
        page.click(query_token(BANK))
        page.hover(key_token(MONEY))
        self.assertEqual(self.headings(page), ("", "weight"))

    def test_the_readout_keeps_to_the_filters(self):
        weights = Weights(self.folder, PAIR)
        page = self.open(weights.page())
        kinds = [0, 1, 1, 0, 2, 2, 2, 0]
        left = {1: lambda q, k: True, 2: lambda q, k: (q, k) == (1, 2), 3: lambda q, k: (q, k) == (2, 1)}
        left[4] = lambda q, k: q == k != 0
        for place, is_left in left.items():
            page.click(f"#direction label:nth-child({place})")
            for index, kind in enumerate(kinds):
                for side, token in (("from", query_token), ("to", key_token)):
                    page.hover(token(index))
                    pairs = [(kind, other) if side == "from" else (other, kind) for other in kinds]
                    shown = len(self.readout(page)[1])
                    self.assertEqual(shown, min(6, sum(is_left(*pair) for pair in pairs)), (place, index, side))
        page.hover(query_token(1))
        self.assertEqual(set(self.readout(page)[0]), {"the", "bank"})
        page.hover(query_token(0))
        self.assertIn("left out by the filters", page.text(".readout"))

    def test_the_readout_leaves_out_special_tokens(self):
        page = self.sentence()
        page.click("#special")
        for number in range(HEADS):
            page.click(head(1, number))
            for token in (query_token, key_token):
                page.hover(token(BANK))
                self.assertFalse({"[CLS]", "[SEP]"} & set(self.readout(page)[0]))
        page.click(query_token(BANK))
        page.hover(key_token(0))
        self.assertIn("left out by the filters", page.text(".readout"))
        page.hover(key_token(MONEY))
        self.assertIn("of 7", page.text(".readout"))

    def test_special_tokens_can_be_left_out(self):
        page = self.sentence()
        page.click(head(1, 0))
        page.set_value("#threshold", 0)
        self.assertEqual(self.drawn(page), 81)
        page.click("#special")
        self.assertEqual(self.drawn(page), 49)

    def test_the_directions_of_a_pair(self):
        weights = Weights(self.folder, PAIR)
        page = self.open(weights.page())
        page.set_value("#threshold", 0)
        for place, lines in ((2, 6), (3, 6), (4, 13), (1, 64)):
            page.click(f"#direction label:nth-child({place})")
            self.assertEqual(self.drawn(page), lines, place)
        gap = page.evaluate(
            "(([a, b]) => b.getBoundingClientRect().top - a.getBoundingClientRect().bottom)("
            "[...document.querySelectorAll('.column:first-child .token')].slice(3, 5))"
        )
        self.assertGreater(gap, 10)

    def test_one_sentence_has_no_directions(self):
        page = self.sentence()
        self.assertTrue(page.evaluate("document.getElementById('direction').hidden"))


if __name__ == "__main__":
    unittest.main()
