"""headwise similar: the cosine of two texts."""

import unittest

from sentence_reference import cosine
from sentences import CLS, SEP, EmbedTest


class Similar(EmbedTest):
    def test_similar_says_nothing_of_lengths(self):
        note = self.ok("similar", self.model, "a", "b").err
        self.assertIn(b"--pooling changes that", note)
        self.assertNotIn(b"normalize", note)

    def test_similar_prints_the_cosine(self):
        a, b = self.bert.embedding([CLS, 5, 6, SEP]), self.bert.embedding([CLS, 7, SEP])
        found = self.ok("similar", self.model, "a b", "c")
        self.assertAlmostEqual(float(found.out), cosine(a, b), delta=2e-6)
        found = self.ok("similar", self.model, "a b", "c", "--json").json()
        self.assertAlmostEqual(found["cosine"], cosine(a, b), delta=1e-6)
        self.assertEqual(found["texts"], ["a b", "c"])
        self.assertAlmostEqual(float(self.ok("similar", self.model, "a", "a").out), 1, delta=1e-6)
        self.fails(2, ["B"], "similar", self.model, "a")


if __name__ == "__main__":
    unittest.main()
