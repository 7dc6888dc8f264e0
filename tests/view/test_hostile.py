"""Tokens that are HTML, script or no text at all, on the page."""

import unittest

from heads import SENTENCE, Weights
from page import BrowserTest, query_token, setUpModule

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


if __name__ == "__main__":
    unittest.main()
