"""A page of 512 tokens."""

import tempfile
import unittest

from heads import Weights, shown_as
from measure import PLACES, first_paint, hover
from page import MODEL, BrowserTest, head, query_token, setUpModule, there_is_the_model

from command import run


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
