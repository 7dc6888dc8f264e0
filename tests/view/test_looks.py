"""What the page looks like: light and dark, contrast, narrow and wide screens."""

import unittest

from chromium import SHIFT
from heads import PAIR, SENTENCE, Weights, as_float
from page import BANK, MONEY, BrowserTest, head, key_token, query_token, setUpModule

# The contrast ratio of WCAG 2 of each text that is less than it should be: [ratio, text].
PALE_TEXTS = """(() => {
    const parts = (colour) => colour.match(/[0-9.]+/g).map(Number);
    const hex = (colour) => (colour.length === 4 ? colour.replace(/[0-9a-f]/gi, "$&$&") : colour);
    const rgb = (colour) => (colour[0] === "#" ? hex(colour).match(/[0-9a-f]{2}/gi).map((two) => parseInt(two, 16)) :
                                                 parts(colour).slice(0, 3));
    const linear = (v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const ratio = (text, back, alpha) => {
      const seen = text.map((value, i) => alpha * value + (1 - alpha) * back[i]);
      const [low, high] = [light(seen), light(back)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const behind = (at) => {
      for (; at; at = at.parentElement) {
        const [r, g, b, alpha = 1] = parts(getComputedStyle(at).backgroundColor);
        if (alpha > 0) return [r, g, b];
      }
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data.trim(), at = walker.currentNode.parentElement;
      if (!text || !at.checkVisibility() || at.closest("script, select, .cell")) continue;
      let alpha = 1;
      for (let up = at; up; up = up.parentElement) alpha *= Number(getComputedStyle(up).opacity);
      found.push([ratio(rgb(getComputedStyle(at).color), behind(at), alpha), text]);
    }
    const line = CanvasRenderingContext2D.prototype, kept = line.fillText;
    line.fillText = function(text) {
      found.push([ratio(rgb(this.fillStyle), rgb(ink().page), this.globalAlpha), text]);
    };
    for (const card of cards) card.draw();
    line.fillText = kept;
    for (const card of cards) card.draw();
    for (let level = 0; level < 256; ++level) {
      const back = levelColour(level);
      found.push([ratio(rgb(inkOn(level)), back, 1), `on shade ${level}`]);
    }
    return {checked: found.length, pale: found.filter(([ratio]) => ratio < 4.5)};
})()"""


class Looks(BrowserTest):
    def background(self, page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0]")

    def test_light_and_dark_by_the_system_and_by_the_switch(self):
        self.weights = Weights(self.folder, SENTENCE)
        light = self.open(self.weights.page())
        self.assertGreater(self.background(light), 200)
        light.click("#theme label:nth-child(3)")
        self.assertLess(self.background(light), 50)
        dark = self.open(self.weights.page(), dark=True)
        self.assertLess(self.background(dark), 50)
        before = dark.evaluate("document.querySelector('.map canvas').toDataURL()")
        dark.click("#theme label:nth-child(2)")
        self.assertGreater(self.background(dark), 200)
        self.assertNotEqual(dark.evaluate("document.querySelector('.map canvas').toDataURL()"), before)

    def test_lightness_alone_tells_the_weight(self):
        """Each step of a ramp is lighter than the one before it (or darker), for every kind of colour vision."""
        page = self.sentence()
        for name, sign in (("light", -1), ("dark", 1)):
            steps = page.evaluate(f"Array.from({{length: 33}}, (_, i) => rampColour(ramps.{name}, i / 32))")
            for channel in range(3):  # then so is every mixture of the channels
                values = [sign * step[channel] for step in steps]
                self.assertEqual(values, sorted(values), (name, channel))

    def test_what_is_no_number_is_told_from_every_weight(self):
        """On the axis of yellow and blue, which those see who do not tell red from green."""
        page = self.sentence()
        for name in ("light", "dark"):
            yellow = page.evaluate(f"""Array.from({{length: 256}}, (_, level) => {{
                const [r, g, b] = levelColour(level, "{name}"); return Math.min(r, g) - b; }})""")
            self.assertLessEqual(max(yellow[:255]), 0)
            self.assertGreater(yellow[255], 100)

    def test_all_texts_can_be_told_from_what_is_behind_them(self):
        self.weights = Weights(self.folder, PAIR)
        for dark in (False, True):
            page = self.open(self.weights.page(), dark=dark)
            page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
            page.click(head(1, 0))
            page.set_value("#threshold", 90)
            for step in (None, query_token(BANK), key_token(BANK), "#patterns button", query_token(0)):
                if step:
                    page.click(step)
                result = page.evaluate(PALE_TEXTS)
                self.assertGreater(result["checked"], 300)
                self.assertEqual(result["pale"], [], (dark, step))

    def test_nothing_is_cut_off(self):
        """The readout, the figures, the names of tokens and the headings, in cards of all widths."""
        self.weights = Weights(self.folder, SENTENCE)
        for width in (320, 360, 390, 700, 1100, 1400, 1600):
            page = self.open(self.weights.page(), width=width)
            page.click(head(1, 0))
            for more in ((1, 1), (1, 2)):
                for token in (query_token(BANK), key_token(MONEY)):
                    page.click(token)
                    cut = page.evaluate("""[...document.querySelectorAll(
                        ".readout, .figures div, .figures :is(dd, small), .token, .heads-of span, h3, .help")].filter(
                            (at) => at.scrollHeight > at.clientHeight + 1 && at.clientHeight > 0 ||
                                    at.scrollWidth > at.clientWidth && at.clientWidth > 0)
                        .map((at) => at.className + " " + at.textContent)""")
                    self.assertEqual(cut, [], (width, more))
                    page.press("Escape")
                page.click(head(*more), SHIFT)

    def test_the_readout_holds_small_weights_of_tokens_that_repeat(self):
        self.weights = Weights(self.folder, ["[CLS]"] + ["money", "water"] * 60 + ["[SEP]"], 1, 1)
        self.weights.rows = [[[[as_float(0.00001234 + key * 1e-9) for key in range(122)] for _ in range(122)]]]
        self.weights.write()
        for width in (320, 360, 390, 700, 1100, 1400):
            page = self.open(self.weights.page(), width=width)
            for token in (query_token(8), key_token(8)):
                page.hover(token)
                self.assertGreaterEqual(len(self.readout(page)[1]), 4)
                over = page.evaluate("cards[0].readout.scrollHeight - cards[0].readout.clientHeight")
                self.assertLessEqual(over, 1, width)

    def test_numbers_of_heads_stand_apart(self):
        """All of them, or every second, fourth … where there is no room; also when the window changes."""
        steps = {}
        for heads in (1, 2, 12, 16, 24, 100):
            path = Weights(self.folder, SENTENCE[:4], 1, heads).page()
            page = self.open(path, width=1400)
            for width in (1400, 800, 480, 320):
                page.resize(width)
                shown = page.evaluate("""headings.filter((at) => at.textContent).map((at) => {
                    const range = document.createRange(); range.selectNodeContents(at);
                    const {left, right} = range.getBoundingClientRect(), cell = at.getBoundingClientRect();
                    return [Number(at.textContent), left, right, (cell.left + cell.right) / 2]; })""")
                for (_, _, right, _), (_, left, _, _) in zip(shown, shown[1:]):
                    self.assertGreater(left - right, 2, (heads, width))
                for _, left, right, middle in shown:
                    self.assertAlmostEqual((left + right) / 2, middle, delta=0.6)
                numbers = [number for number, *_ in shown]
                steps[heads, width] = (numbers + [numbers[0] + 1])[1]
                self.assertEqual(numbers, list(range(0, heads, steps[heads, width])))
        self.assertTrue(all(steps[heads, width] == 1 for heads in (1, 2, 12) for width in (320, 480, 800, 1400)))
        self.assertEqual([steps[16, width] for width in (320, 480, 800)], [2, 1, 1])
        self.assertEqual([steps[24, width] for width in (320, 480, 800)], [2, 2, 1])

    def test_figures_of_the_grid_are_whole_or_not_there(self):
        """A number that is cut off is another number."""
        for heads in (2, 12, 24):
            page = self.open(Weights(self.folder, SENTENCE, 2, heads).page(), width=1400)
            for figure in ("itself", "distance"):
                page.evaluate(f"change('colours', {{figure: '{figure}'}})")
                for width in (320, 1400):
                    page.resize(width)
                    cut = page.evaluate("""cells.flat().map((cell) => cell.lastChild).filter((at) => {
                        const range = document.createRange(); range.selectNodeContents(at);
                        return range.getBoundingClientRect().width > at.clientWidth; }).length""")
                    self.assertEqual(cut, 0, (heads, figure, width))
                    seen = page.evaluate("cells.flat().filter((cell) => cell.lastChild.checkVisibility()).length")
                    if heads == 2 or width == 1400:
                        self.assertEqual(seen, 2 * heads)
                    elif heads == 24:
                        self.assertLess(seen, heads)

    def test_headings_are_seen_and_do_not_touch(self):
        weights = Weights(self.folder, SENTENCE)
        for width in (320, 360, 390, 1400):
            page = self.open(weights.page(), width=width)
            page.evaluate("cards[0].lines.headings[0].textContent = 'contribution'")  # as a model has it
            boxes = page.evaluate("""cards[0].lines.headings.filter((at) => at.textContent).map((at) => {
                const range = document.createRange(); range.selectNodeContents(at);
                const box = range.getBoundingClientRect(), style = getComputedStyle(at);
                return [box.left, box.right, box.top, box.bottom, style.visibility === "visible"]; })""")
            self.assertEqual(len(boxes), 4)
            for i, (left, right, top, bottom, visible) in enumerate(boxes):
                self.assertTrue(visible)
                for other in boxes[:i]:
                    apart = left >= other[1] or right <= other[0] or top >= other[3] - 1 or bottom <= other[2] + 1
                    self.assertTrue(apart, (width, boxes))

    def test_a_narrow_and_a_wide_screen(self):
        self.weights = Weights(self.folder, SENTENCE)
        for width in (320, 390, 768, 1280, 2560):
            page = self.open(self.weights.page(), width=width)
            page.click(head(1, 0))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            self.assertGreater(page.evaluate("cards[0].lines.right - cards[0].lines.left"), 40)

    def test_numbers_of_heads_instead_of_pictures(self):
        page = self.sentence()
        page.evaluate("""(() => { const list = document.getElementById("figure"); list.value = "distance";
            list.dispatchEvent(new Event("change")); })()""")
        page.frames()
        rows = self.weights.rows[1][1]
        distance = sum(w * abs(i - j) for i, row in enumerate(rows) for j, w in enumerate(row)) / 9
        self.assertEqual(page.text(head(1, 1)), f"{distance:.1f}")
        page.click("#all-figures summary")
        page.wait("document.querySelectorAll('#figures tbody tr').length === 6")


if __name__ == "__main__":
    unittest.main()
