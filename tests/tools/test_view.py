"""headwise view and run --view: pages and exports. What a page does is tested in tests/view, in a browser."""

import json
import unittest

from command import write_npy
from view_pages import ViewTest, figures_of


class View(ViewTest):
    def test_one_sequence_of_a_batch(self):
        for sequence in (0, 1):
            self.view("--tokens", self.tokens, "--sequence", sequence)
            data, codes = self.shown()
            self.assertEqual((data["tokens"], data["heads"]), (["[CLS]", "play", "##ing", "[SEP]"], 3))
            self.assertEqual(data["segments"], [0, 1, 1, 0])
            self.assertEqual(data["notes"], [f"sequence {sequence} of 2, counted from 0"])
            for head in range(3):
                start = (sequence * 3 + head) * 16
                self.assert_weights(codes[0, head], self.weights[start : start + 16])

    def test_layers_as_the_first_axis(self):
        self.view("--by-layer", "--layers", "1")
        data, codes = self.shown()
        self.assertEqual(
            (data["layers"], data["tokens"], list(codes)), ([1], ["0", "1", "2", "3"], [(0, 0), (0, 1), (0, 2)])
        )
        self.assert_weights(codes[0, 2], self.weights[80:96])

    def test_other_types_and_shapes(self):
        three = write_npy(self.folder / "three.npy", [3, 4, 4], self.weights[:48], "<f8")
        self.ok("view", "--attention", three, "-o", self.page)
        self.assert_weights(self.shown()[1][0, 1], self.weights[16:32])

    def test_padding_past_the_tokens_is_left_out(self):
        self.tokens.write_text('["a", "b"]')
        self.view("--tokens", self.tokens)
        data, codes = self.shown()
        self.assertEqual(data["tokens"], ["a", "b"])
        self.assertIn("count as padding", data["notes"][-1])
        self.assert_weights(codes[0, 0], [self.weights[i] for i in (0, 1, 4, 5)])

    def test_tokens_that_begin_like_json(self):
        broken = ('["a", "b"', '["a", "b",]', "['a', 'b']", "[", " \n[\n", "[a, b]\n")
        for text in (*broken, "[1, 2]", '["a", null]', "[[]]"):
            with self.subTest(text):
                self.tokens.write_text(text)
                self.fails(1, ["tokens.txt", "JSON list of strings"], *self.array_call("--tokens", self.tokens))
        for text in ("[CLS]\na\n", "[CLS]", "[unused1]\r\nb\r\n", '[ "[CLS]",\n"a" ]\n'):
            with self.subTest(text):
                self.tokens.write_bytes(text.encode())
                self.view("--tokens", self.tokens)
                self.assertIn(self.shown()[0]["tokens"][0], ("[CLS]", "[unused1]"))

    def test_figures_of_each_head(self):
        tokens = ["[CLS]", "a", "b", "a", "[SEP]"]
        self.tokens.write_text("\n".join(tokens))
        values = [(1 + 7 * i % 13) / 64 if i % 6 else 0.0 for i in range(3 * 25)]
        array = write_npy(self.folder / "five.npy", [3, 5, 5], values)
        self.ok("view", "--attention", array, "--tokens", self.tokens, "-o", self.page)
        for head, figures in enumerate(self.shown()[0]["statistics"][0]):
            rows = [values[25 * head + 5 * row : 25 * head + 5 * row + 5] for row in range(5)]
            expected = figures_of(rows, tokens)
            self.assertEqual(list(figures), list(expected))
            for name, value in expected.items():
                self.assertAlmostEqual(figures[name], value, places=12, msg=name)

    def test_patterns_and_what_they_win_over(self):
        """Of the patterns that hold the largest share counts, then both special tokens together, then broad."""
        tokens = ["[CLS]", "a", "b", "c", "d", "[SEP]"]
        self.tokens.write_text("\n".join(tokens))
        even = [1 / 6] * 36

        def to(keys):
            return [[1 / len(keys(q)) if k in keys(q) else 0 for k in range(6)] for q in range(6)]

        heads = {
            "previous token": to(lambda q: [max(q - 1, 0)]),
            "next token": to(lambda q: [min(q + 1, 5)]),
            "same token": to(lambda q: [q]),
            "separator": [[0.3, 0, 0, 0, 0, 0.7]] * 6,
            "first token": to(lambda q: [0]),
            "special tokens": to(lambda q: [0, 5, 2] if q % 2 else [0, 5]),
        }
        values = [w for rows in heads.values() for row in rows for w in row] + even
        array = write_npy(self.folder / "six.npy", [7, 6, 6], values)
        shown = self.ok("view", "--attention", array, "--tokens", self.tokens, "-o", self.page, "--json").json()
        self.assertEqual(shown["patterns"], {name: 1 for name in [*heads, "broad"]})

    def test_few_tokens_have_no_patterns(self):
        for tokens, named in ((["[CLS]", "a", "b", "c", "[SEP]"], 0), (["a", "b", "c"], 0), (["a", "b", "c", "d"], 1)):
            self.tokens.write_text("\n".join(tokens))
            size = len(tokens)
            values = [float(key == max(query - 1, 0)) for query in range(size) for key in range(size)]
            array = write_npy(self.folder / "few.npy", [1, size, size], values)
            call = ["view", "--attention", array, "--tokens", self.tokens, "-o", self.page]
            self.assertEqual(sum(self.ok(*call, "--json").json()["patterns"].values()), named)
            self.assertEqual(b"from 4 tokens on" in self.ok(*call).out, named == 0)

    def test_a_pair_says_where_its_second_sentence_starts(self):
        self.tokens.write_text("[CLS]\na\n[SEP]\nb\n")
        self.view("--tokens", self.tokens, "--bertviz", self.folder / "w.json")
        self.assertEqual(self.shown()[0]["segments"], [0, 1, 0, 2])
        self.assertEqual(json.loads((self.folder / "w.json").read_text())["sentence_b_start"], 3)


if __name__ == "__main__":
    unittest.main()
