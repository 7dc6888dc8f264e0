"""What the tests of the page share: a browser, pages that are opened in it, and how its parts are called."""

import json
import os
import pathlib
import re
import struct
import sys
import tempfile
import unittest

from chromium import Browser, Page
from heads import SENTENCE, Weights, shown_as

from command import ROOT  # the path comes with heads

MODEL = ROOT / "build" / "models" / "all-MiniLM-L6-v2"
BANK, MONEY = SENTENCE.index("bank"), SENTENCE.index("money")


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
