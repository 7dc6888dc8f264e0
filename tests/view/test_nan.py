"""Weights that are no numbers: told from a weight of 0 wherever weights are shown."""

import unittest

from heads import PAIR, SENTENCE, Weights
from page import BANK, MONEY, BrowserTest, head, key_token, query_token, setUpModule

NAN = float("nan")
# The colours of the pixels of a canvas, by rows.
PIXELS = """((canvas) => { const {width, height} = canvas;
    const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
    const pixel = (y, x) => [...data.slice(4 * (y * width + x), 4 * (y * width + x) + 3)];
    return Array.from({length: height}, (_, y) => Array.from({length: width}, (_, x) => pixel(y, x))); })"""


def places(rows, colour):
    return {(y, x) for y, row in enumerate(rows) for x, found in enumerate(row) if found == colour}


class Nan(BrowserTest):
    def page_of(self, strange, tokens=SENTENCE, **options):
        """Head 2 has zeros beside the weights that are no numbers."""
        weights = Weights(self.folder, tokens, 1, 3)
        count = len(tokens)
        weights.rows[0][2] = [[NAN if (q, k) in strange else float(q == k) for k in range(count)] for q in range(count)]
        weights.write()
        page = self.open(weights.page(), **options)
        page.click(head(0, 2))
        page.move(0, 0)
        page.frames()
        return page

    def pixels(self, page, canvas):
        return page.evaluate(f"{PIXELS}({canvas})")

    def thumbnail(self, page, layer, number):
        return self.pixels(page, f"cells[{layer}][{number}].firstChild")

    def dashed(self, page):
        """The lines that are dashed, and the others."""
        return page.evaluate("""(() => { const line = CanvasRenderingContext2D.prototype, kept = line.bezierCurveTo;
            const number = [0, 0];
            line.bezierCurveTo = function() {
                if (this.getLineDash().length > 0) number[0] += 0.5;  // the line and its edge
                else number[1] += 1; };
            cards[0].lines.draw(); line.bezierCurveTo = kept; cards[0].lines.draw(); return number; })()""")

    def crosses(self, page):
        """How many cells of the heat map are crossed out."""
        return page.evaluate("""(() => { const line = CanvasRenderingContext2D.prototype, map = cards[0].map;
            const drawNans = map.drawNans, lineTo = line.lineTo; let number = 0;
            map.drawNans = (context) => { line.lineTo = function() { number += 1; };
                drawNans.call(map, context); line.lineTo = lineTo; };
            map.draw(); delete map.drawNans; map.draw(); return number / 2; })()""")

    def test_cells_of_the_heat_map_and_of_the_thumbnail(self):
        strange = {(BANK, MONEY), (0, 8), (8, 0)}
        for dark in (False, True):
            page = self.page_of(strange, dark=dark)
            colour = page.evaluate("levelColour(nanLevel)")
            self.assertEqual(places(self.pixels(page, "cards[0].map.image"), colour), strange)
            self.assertEqual(places(self.thumbnail(page, 0, 2), colour), strange)
            self.assertEqual(places(self.thumbnail(page, 0, 1), colour), set())
            self.assertEqual(self.crosses(page), 3)

    def test_a_single_one_is_seen_where_cells_are_smaller_than_pixels(self):
        tokens = [f"w{i}" for i in range(300)]
        page = self.page_of({(50, 150)}, tokens, width=320)
        colour = page.evaluate("levelColour(nanLevel)")
        for canvas in ("cards[0].map.image", "cells[0][2].firstChild"):
            rows = self.pixels(page, canvas)
            self.assertLess(len(rows), 300)
            self.assertEqual(places(rows, colour), {(50 * len(rows) // 300, 150 * len(rows) // 300)})

    def test_lines(self):
        page = self.page_of({(BANK, MONEY), (BANK, 0), (0, MONEY)})
        self.assertEqual(self.dashed(page), [3, 9])
        self.assertEqual(page.text(".lines + .under"), "9 weights drawn as lines · 3 NaN, dashed")
        for token, dashed in ((query_token(BANK), 2), (key_token(MONEY), 2), (query_token(MONEY), 0)):
            page.hover(token)
            self.assertEqual(self.dashed(page), [dashed, 1])
        page.click(query_token(BANK))
        page.hover(key_token(MONEY))
        self.assertEqual(self.dashed(page), [1, 0])

    def test_filters_of_pairs_leave_them_out_and_a_threshold_does_not(self):
        page = self.page_of({(0, 1), (1, 2), (1, 5)}, PAIR)
        page.set_value("#threshold", 100)
        page.set_value("#top", 1)
        for place, left in ((1, 3), (2, 1), (3, 0), (4, 1)):
            page.click(f"#direction label:nth-child({place})")
            page.move(0, 0)
            page.frames()
            self.assertEqual((self.dashed(page)[0], self.crosses(page)), (left, left))
            self.assertEqual(page.evaluate("document.querySelector('.legend .nan').checkVisibility()"), left > 0)

    def test_what_a_head_gave_and_got(self):
        """Beside the tokens: a word in the place of a bar."""
        page = self.page_of({(BANK, MONEY)})
        words = page.evaluate("""(() => { const line = CanvasRenderingContext2D.prototype, kept = line.fillText;
            const words = []; line.fillText = (text, x, y) => words.push([text, y]);
            cards[0].lines.draw(); line.fillText = kept; cards[0].lines.draw(); return words; })()""")
        self.assertEqual(words, [["NaN", page.evaluate(f"tokenMiddle({MONEY})")]])

    def test_legends_are_there_where_they_are_needed(self):
        visible = "[...document.querySelectorAll('.nan')].map((at) => at.checkVisibility())"
        page = self.page_of({(BANK, MONEY)})
        self.assertEqual(page.evaluate(visible), [True, True])
        page.click(head(0, 0))
        self.assertEqual(page.evaluate(visible), [True, False])
        page.evaluate("change('colours', {figure: 'distance'})")
        page.frames()
        self.assertEqual(page.evaluate(visible), [False, False])
        self.assertEqual(self.page_of(set()).evaluate(visible), [False, False])

    def test_a_head_of_nothing_else(self):
        """More than can be drawn: the page stays usable."""
        tokens = [f"w{i}" for i in range(120)]
        page = self.page_of({(q, k) for q in range(120) for k in range(120)}, tokens)
        self.assertEqual(page.text(".lines + .under"), "0 weights drawn as lines · 4000 or more NaN, dashed")
        page.hover(query_token(3))
        self.assertEqual(self.dashed(page)[1], 0)


if __name__ == "__main__":
    unittest.main()
