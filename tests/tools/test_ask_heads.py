"""headwise ask-heads: which heads tie two words."""

import unittest

from command import TEXT_MODEL, CommandTest, write_npy

TOKENS = ["[CLS]", "Bank", "play", "##ing", "bank", "money", "[SEP]"]
SIZE = len(TOKENS)


class AskHeads(CommandTest):
    def setUp(self):
        super().setUp()
        self.weights = [((7 * i) % 31) / 64 for i in range(3 * SIZE * SIZE)]
        self.array = write_npy(self.folder / "w.npy", [3, SIZE, SIZE], self.weights)
        self.tokens = self.folder / "tokens.txt"
        self.tokens.write_text("\n".join(TOKENS))
        self.call = ["ask-heads", "--attention", self.array, "--tokens", self.tokens]

    def ask(self, source, target, *more):
        return self.ok(*self.call, "--from", source, "--to", target, *more, "--json").json()

    def expected(self, head, source, target):
        """The mean over the tokens that look, of the sum over those that are looked at."""
        pairs = [(head * SIZE + query) * SIZE + key for query in source for key in target]
        return sum(self.weights[place] for place in pairs) / len(source)

    def assert_answer(self, shown, source, target):
        self.assertEqual((shown["from"]["positions"], shown["to"]["positions"]), (source, target))
        self.assertEqual(len(shown["heads"]), 3)
        for answer in shown["heads"]:
            self.assertAlmostEqual(answer["forward"], self.expected(answer["head"], source, target), places=12)
            self.assertAlmostEqual(answer["backward"], self.expected(answer["head"], target, source), places=12)
        forward = [answer["forward"] for answer in shown["heads"]]
        self.assertEqual(forward, sorted(forward, reverse=True))
        self.assertAlmostEqual(shown["uniform_forward"], len(target) / SIZE)

    def test_words_of_one_token(self):
        self.assert_answer(self.ask("bank", "money"), [4], [5])
        self.assert_answer(self.ask("[CLS]", "[SEP]"), [0], [6])

    def test_words_of_several_pieces(self):
        self.assert_answer(self.ask("playing", "money"), [2, 3], [5])
        self.assert_answer(self.ask("money", "playing"), [5], [2, 3])

    def test_words_that_occur_several_times(self):
        self.tokens.write_text("\n".join(TOKENS).replace("Bank", "bank"))
        self.assert_answer(self.ask("bank", "money"), [1, 4], [5])
        self.assert_answer(self.ask("bank:1", "money"), [1], [5])
        self.assert_answer(self.ask("money", "bank:2"), [5], [4])

    def test_case_counts_where_it_can(self):
        self.assert_answer(self.ask("Bank", "MONEY"), [1], [5])
        self.assert_answer(self.ask("BANK", "money"), [1, 4], [5])
        self.assert_answer(self.ask("BANK:2", "money"), [4], [5])

    def test_words_with_a_colon_of_their_own(self):
        self.tokens.write_text("\n".join(TOKENS).replace("money", "a:2"))
        self.assert_answer(self.ask("bank", "a:2"), [4], [5])
        self.assert_answer(self.ask("bank", "a:2:1"), [4], [5])

    def test_heads_without_a_number_come_last_and_are_counted(self):
        self.weights[4 * SIZE + 5] = float("nan")
        write_npy(self.array, [3, SIZE, SIZE], self.weights)
        call = [*self.call, "--from", "bank", "--to", "money"]
        shown = self.ok(*call, "--json").json()
        self.assertEqual(([answer["head"] for answer in shown["heads"]][-1], shown["nan_heads"]), (0, 1))
        result = self.ok(*call)
        self.assertIn("1 without a number (NaN), listed last", result.out.decode())
        self.assertIn(b"1 NaN", result.err)
        self.assertNotIn("NaN", self.ok(*self.call, "--from", "money", "--to", "bank").out.decode())

    def test_the_strongest_heads_of_the_other_direction(self):
        self.weights[(SIZE + 5) * SIZE + 4] = 0.9
        write_npy(self.array, [3, SIZE, SIZE], self.weights)
        call = [*self.call, "--from", "bank", "--to", "money", "--top", "1"]
        shown = self.ok(*call, "--json").json()
        backward = {head: self.expected(head, [5], [4]) for head in range(3)}
        order = sorted(backward, key=backward.get, reverse=True)
        self.assertEqual([answer["head"] for answer in shown["other_way"]], order)
        self.assertNotEqual(order[0], shown["heads"][0]["head"])
        best = backward[order[0]]
        words = f"The other way, money → bank, most: 0.{order[0]} {best:.4f} ({best * SIZE:.1f} × even), 0.{order[1]} "
        self.assertIn(words, self.ok(*call).out.decode())

    def test_numbers_of_words_are_told(self):
        self.tokens.write_text("\n".join(TOKENS).replace("Bank", "bank"))
        text = self.ok(*self.call, "--from", "bank:2", "--to", "BANK:1").out.decode()
        for words in ("bank:2 is token 4 (bank)", "bank:2 → bank:1", "bank:1 → bank:2"):
            self.assertIn(words, text)
        self.assertEqual(self.ask("bank:2", "bank:1")["from"]["word"], "bank")

    def test_words_that_the_tokenizer_splits(self):
        def ask(text, word, *more):
            call = ["ask-heads", TEXT_MODEL, "--text", text, *more, "--from", word, "--to", "[SEP]", "--json"]
            return self.ok(*call).json()["from"]

        def positions(*arguments):
            return ask(*arguments)["positions"]

        self.assertEqual(positions("a don't b", "don't"), [2, 3, 4])
        self.assertEqual(positions("a state-of-the-art", "state-of-the-art"), list(range(2, 9)))
        self.assertEqual(positions("3.5%, a", "3.5%"), [1, 2, 3, 4])
        self.assertEqual(positions("of money.", "money."), [2, 3])
        self.assertEqual(positions("a (the) the (the)", "(the)"), [2, 3, 4, 6, 7, 8])
        self.assertEqual(positions("a (the) the (the)", "(the):2"), [6, 7, 8])
        self.assertEqual(positions("a ---", "--"), [2, 3])
        self.assertEqual(positions("the bank", "a.", "--pair", "a."), [4, 5])
        self.assertEqual(ask("a Don't", "dON'T")["word"], "Don't")
        for text, word in (("don 't", "don't"), ("a b", "ab"), ("money .", "money."), ("don't", "on't")):
            with self.subTest(text):
                call = ["ask-heads", TEXT_MODEL, "--text", text, "--from", word, "--to", "[SEP]"]
                self.fails(2, ["no word '" + word], *call)

    def test_lists_of_words_stay_short(self):
        names = ["x" * 5000] + [f"w{i}" for i in range(500)]
        self.tokens.write_text("\n".join(names))
        array = write_npy(self.folder / "many.npy", [1, 501, 501], [0.0] * 501 * 501)
        call = ["ask-heads", "--attention", array, "--tokens", self.tokens, "--from", "é" * 5000, "--to", "a"]
        message = self.fails(2, ["…'; its words are 'xxx", "x…', 'w0', ", "and 481 more"], *call)
        self.assertLess(len(message), 500)

    def test_text(self):
        text = self.ok(*self.call, "--from", "playing", "--to", "money").out.decode()
        for words in ("playing is the tokens 2 (play), 3 (##ing)", "money is token 5", "playing → money", "mean over"):
            self.assertIn(words, text)
        lines = self.ok(*self.call, "--from", "bank", "--to", "money", "--top", "2").out.decode().splitlines()
        self.assertEqual(sum(line.lstrip()[:2] in ("1 ", "2 ", "3 ") for line in lines), 3)  # two ranks, one legend

    def test_what_is_refused(self):
        self.fails(
            2,
            ["no word 'river'", "'[CLS]', 'Bank', 'playing', 'bank', 'money', '[SEP]'"],
            *self.call,
            "--from",
            "river",
            "--to",
            "money"
        )
        self.fails(2, ["no word 'bank:x'"], *self.call, "--from", "bank:x", "--to", "money")
        for number in ("0", "2"):
            self.fails(2, ["1 time"], *self.call, "--from", "money:" + number, "--to", "bank")
        self.fails(2, ["--to"], *self.call, "--from", "bank")
        self.fails(2, ["--text is missing"], "ask-heads", TEXT_MODEL, "--from", "a", "--to", "b")


if __name__ == "__main__":
    unittest.main()
