"""The page of `headwise view` in headless Chromium: what it shows, and what it answers to mouse and keyboard."""

import json
import os
import pathlib
import re
import struct
import sys
import tempfile
import unittest
import zipfile

from chromium import SHIFT, Browser, Page
from heads import HEADS, LAYERS, PAIR, SENTENCE, Weights, as_float, shown_as
from measure import PLACES, first_paint, hover

from command import ROOT, run  # the path comes with heads

MODEL = ROOT / "build" / "models" / "all-MiniLM-L6-v2"
BANK, MONEY = SENTENCE.index("bank"), SENTENCE.index("money")
HOSTILE = [
    "[CLS]",
    "<img src=x onerror=hacked=1>",
    "</script><script>hacked=1</script>",
    "<!--",
    "&amp;",
    "\u202egnp.exe",
    "שלום",
    "👩‍👧",
    "\x07\x1b[31m",
    "'\"`${hacked=1}",
    " ",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"),
    "[SEP]",
]

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
      const back = rampColour(ramps[themeName()], level / 255);
      found.push([ratio(rgb(inkOn(level)), back, 1), `on shade ${level}`]);
    }
    return {checked: found.length, pale: found.filter(([ratio]) => ratio < 4.5)};
})()"""


def golden_attention():
    """The weights of all layers for the sentence, from torch in float64."""
    data = (ROOT / "tests" / "data" / "minilm_golden.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    values = []
    for layer in range(6):
        begin, end = header[f"layer.{layer}.attention"]["data_offsets"]
        values += struct.unpack(f"<{(end - begin) // 8}d", data[8 + length + begin : 8 + length + end])
    return values


def there_is_the_model(test):
    """Says loudly what does not run where it is not; that has to be allowed."""
    if (MODEL / "model.safetensors").exists():
        return True
    print(f"NOT RUN: there is no {MODEL}; tools/fetch_model.sh fetches it", file=sys.stderr)
    test.assertEqual(os.environ.get("HEADWISE_ALLOW_MISSING_MODEL"), "1")
    return False


def query_token(index):
    return f".column:first-child .token:nth-child({index + 1})"


def key_token(index):
    return f".column:last-child .token:nth-child({index + 1})"


def head(layer, number):
    return f'[data-head="{layer}.{number}"]'


def setUpModule():
    BrowserTest.browser = Browser()
    unittest.addModuleCleanup(BrowserTest.browser.close)


class BrowserTest(unittest.TestCase):
    browser = None  # one for all tests; each opens pages of its own

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pages = []

    def tearDown(self):
        """Whatever a test did: no message in the console, and nothing asked of any network."""
        for page in self.pages:
            self.assertEqual(page.complaints(), [])
            self.assertEqual(page.requests(), [])
            page.close()

    def open(self, path, **options):
        page = Page(self.browser, **options)
        self.pages.append(page)
        page.open(path)
        return page

    def sentence(self, **options):
        self.weights = Weights(self.folder, SENTENCE)
        return self.open(self.weights.page(), **options)

    def readout(self, page, card=1):
        """Tokens and weights of the line that tells what is pointed at."""
        line = f".card:nth-child({card}) .readout"
        parts = page.evaluate(f"[...document.querySelectorAll({json.dumps(line)} + ' bdi')].map((b) => b.textContent)")
        weights = page.evaluate(
            f"[...document.querySelectorAll({json.dumps(line)} + ' .weight')].map((b) => b.textContent)"
        )
        return parts, [float(weight) for weight in weights]

    def assert_row(self, page, row, query="bank", tokens=SENTENCE):
        """The readout tells the largest weights of this row, largest first."""
        (first, *keys), weights = self.readout(page)
        self.assertEqual(first, query)
        largest = sorted(zip(row, tokens), key=lambda pair: -pair[0])[: len(weights)]
        self.assertEqual(keys, [token for _, token in largest])
        self.assertEqual(weights, [shown_as(weight) for weight, _ in largest])

    def drawn(self, page):
        """How many lines the line view says it draws: as many as it strokes, where all tokens are in its window."""
        told = int(re.search(r"(\d+) weights? drawn", page.text(".lines + .under")).group(1))
        stroked = page.evaluate("""(() => { const line = CanvasRenderingContext2D.prototype, kept = line.bezierCurveTo;
            let number = 0; line.bezierCurveTo = () => { number += 1; }; cards[0].lines.draw();
            line.bezierCurveTo = kept; cards[0].lines.draw(); return number; })()""")
        if page.evaluate("cards[0].lines.height === columnHeight"):
            self.assertEqual(stroked, told)
        return told

    def headings(self, page):
        """What the numbers left and right of the tokens are said to be."""
        return page.text(".heads-of :first-child"), page.text(".heads-of :last-child")


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


class Hostile(BrowserTest):
    def test_tokens_are_text_and_nothing_else(self):
        weights = Weights(self.folder, HOSTILE)
        page = self.open(weights.page())
        self.assertTrue(page.evaluate("typeof hacked === 'undefined'"))
        self.assertEqual(page.evaluate("document.querySelectorAll('img, iframe, object, embed, link, base').length"), 0)
        self.assertEqual(page.evaluate("document.querySelectorAll('script:not([type])').length"), 1)
        shown = page.evaluate("[...document.querySelectorAll('.column:first-child .token')].map((t) => t.textContent)")
        self.assertEqual(shown[1:5], HOSTILE[1:5])
        self.assertEqual(shown[5:9], ["‹U+202E›gnp.exe", "שלום", "👩‍👧", "‹U+0007›‹U+001B›[31m"])
        self.assertEqual(shown[9:11], [HOSTILE[9], '" "'])
        self.assertIn("\\xED\\xA0\\x80", shown[11])
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('.token bdi')).unicodeBidi"), "isolate")
        for index in range(len(HOSTILE)):
            page.hover(query_token(index))
            self.assertEqual(self.readout(page)[0][0], shown[index])

    def test_what_is_pasted_in_does_not_run(self):
        """The policy of the page, should a text ever become an element."""
        page = self.sentence()
        page.evaluate("""document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=hacked=1>")""")
        page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), {textContent: 'hacked = 1'}))"
        )
        page.frames()
        self.assertTrue(page.evaluate("typeof hacked === 'undefined'"))
        self.assertTrue(page.complaints())  # the browser says that it refused them
        self.pages.remove(page)

    def test_the_page_itself_is_small_and_names_no_address(self):
        self.weights = Weights(self.folder, SENTENCE, 1, 1)
        text = self.weights.page().read_text()
        self.assertLess(len(text.encode()), 300_000)
        self.assertNotRegex(text, r"https?://|//[a-z]+\.|url\(|@import")


class Long(BrowserTest):
    """512 tokens: the first paint within a second, and 60 frames a second when pointing. measure.py gives figures."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        tokens = ["[CLS]"] + [f"word{i % 97}" for i in range(510)] + ["[SEP]"]
        cls.weights = Weights(folder.name, tokens, 1, 2)
        cls.path = cls.weights.page()

    def median_frame(self, page, selector):
        times = sorted(hover(page, selector))
        return times[len(times) // 2]

    def assert_quick(self, path):
        """In the best of five tries: a machine that does other things too is slow now and then, a slow page always."""
        tries = []
        while len(tries) < 5:
            page = self.open(path)
            tries.append([first_paint(page)] + [self.median_frame(page, selector) for _, selector in PLACES])
            best = [min(column) for column in zip(*tries)]
            if best[0] < 1000 and max(best[1:]) <= 17.5:
                return
        self.fail(f"first paint, frames over the tokens and over the heat map, in ms: {tries}")

    def test_first_paint_and_frames(self):
        self.assert_quick(self.path)

    def test_first_paint_and_frames_of_the_real_model(self):
        """All heads of a text that is as long as the model takes: 51 MB of page."""
        if not there_is_the_model(self):
            return
        words = " ".join(["bank money river water the full of"] * 73)  # 511, the model takes 510 of them
        path = self.folder / "heads.html"
        self.assertEqual(run("view", MODEL, "--text", words, "-o", path).code, 0)
        self.assertGreater(path.stat().st_size, 50e6)
        self.assert_quick(path)

    def test_all_of_it_can_be_read(self):
        page = self.open(self.path)
        page.click(head(0, 1))
        page.hover(query_token(500))
        row = self.weights.rows[0][1][500]
        self.assertEqual(self.readout(page)[1][0], shown_as(max(row)))
        page.move(0, 0)
        page.evaluate("document.querySelector('.map').focus()")
        for key in ("ArrowDown", "End", "ArrowDown"):
            page.press(key)
        self.assertEqual(self.readout(page)[1][0], shown_as(self.weights.rows[0][1][1][511]))
        page.click(".map + .under button")
        self.assertEqual(page.evaluate("cards[0].map.cell"), 16)
        self.assertGreater(page.evaluate("document.querySelector('.map').scrollHeight"), 8000)


if __name__ == "__main__":
    unittest.main()
