"""headwise embed and similar, against float64 on a tiny model and golden values of the real one."""

import json
import os
import unittest

from command import ROOT, CommandTest, read_npy, spoil_words
from sentences import CLS, SENTENCE_CONFIGS, SEP, TEXTS, WORDS, EmbedTest

REAL = ROOT / "build" / "models" / "all-MiniLM-L6-v2"


class Embed(EmbedTest):
    def test_texts_of_options_files_and_standard_input_give_the_same_as_float64(self):
        wanted = self.expected()
        options = [part for text in TEXTS for part in ("--text", text)]
        found = self.embeddings(*options)
        self.check(found, wanted)
        file = self.texts_file(TEXTS)
        self.assertEqual(self.embeddings("--file", file), found)
        self.assertEqual(self.embeddings("--file", self.texts_file(TEXTS, "\r\n")), found)
        for more in ([], ["--file", "-"]):
            with open(self.texts_file(TEXTS), "rb") as stream:
                self.assertEqual(self.embeddings(*more, stdin=stream), found)

    def test_pooling_and_normalization(self):
        file = self.texts_file(TEXTS)
        for pooling in ("mean", "cls", "max"):
            for normalize in (False, True):
                with self.subTest(pooling=pooling, normalize=normalize):
                    flag = "--normalize" if normalize else "--no-normalize"
                    found = self.embeddings("--file", file, "--pooling", pooling, flag)
                    self.check(found, self.expected(pooling=pooling, normalize=normalize))

    def test_the_folder_decides_and_options_decide_against_it(self):
        file = self.texts_file(TEXTS)
        self.modules("cls_token", normalize=True)
        result = self.ok("embed", self.model, "--file", file)
        self.assertEqual(result.err, b"")
        self.check(self.embeddings("--file", file), self.expected(pooling="cls", normalize=True))
        self.check(self.embeddings("--file", file, "--no-normalize"), self.expected(pooling="cls"))
        self.check(self.embeddings("--file", file, "--pooling", "max"), self.expected(pooling="max", normalize=True))
        self.modules("lasttoken")
        self.fails(1, ["pooling_mode_lasttoken"], "embed", self.model, "--text", "a")

    def test_older_names_of_the_limit(self):
        for length, name in zip(range(9, 2, -1), reversed(SENTENCE_CONFIGS), strict=True):
            self.says(name, max_seq_length=length)
            found = self.ok("embed", self.model, "--text", "a b c d e f g h i j", "--json").json()
            self.assertEqual((found["max_length"], found["tokens"]), (length, length), name)

    def test_lower_case_that_the_tokenizer_makes_anyway(self):
        self.says("sentence_bert_config.json", max_seq_length=12, do_lower_case=True)
        self.check(self.embeddings("--text", "A b C"), [self.bert.embedding([CLS, 5, 6, 7, SEP])])
        self.says("tokenizer_config.json", do_lower_case=False)
        for call in (["embed", self.model, "--text", "a"], ["similar", self.model, "a", "b"]):
            self.fails(1, ["sentence_bert_config.json", "do_lower_case"], *call)

    def test_pooling_that_names_no_way_or_a_list_of_one(self):
        file = self.texts_file(TEXTS)
        self.modules("mean_tokens")
        flags = {f"pooling_mode_{way}": False for way in ("cls_token", "mean_tokens", "max_tokens", "lasttoken")}
        for config, pooling in (
            (flags, "mean"),
            ({"word_embedding_dimension": 12}, "mean"),
            ({"pooling_mode": ["max"]}, "max"),
            ({"pooling_mode": "cls", "pooling_mode_lasttoken": True}, "cls"),
        ):
            (self.model / "1_Pooling" / "config.json").write_text(json.dumps(config))
            self.check(self.embeddings("--file", file), self.expected(pooling=pooling))

    def test_what_was_assumed_is_said_once(self):
        note = self.ok("embed", self.model, "--text", "a", "--text", "b").err.decode()
        self.assertEqual(note.count("\n"), 1)
        for word in ("modules.json", "mean", "not normalized", "--pooling"):
            self.assertIn(word, note)
        self.assertEqual(self.ok("embed", self.model, "--text", "a", "--quiet").err, b"")

    def test_a_prompt_stands_before_every_text(self):
        wanted = [self.bert.embedding([CLS, 5, 6, SEP])]
        self.check(self.embeddings("--prompt", "a ", "--text", "b"), wanted)
        (self.model / "config_sentence_transformers.json").write_text(
            '{"prompts": {"q": "a "}, "default_prompt_name": "q"}'
        )
        self.check(self.embeddings("--text", "b"), wanted)
        self.check(self.embeddings("--text", "b", "--prompt", ""), [self.bert.embedding([CLS, 6, SEP])])

    def test_long_texts_are_cut_counted_and_reported(self):
        result = self.ok("embed", self.model, "--text", "a b c d e f g h i j k l m", "--text", "a", "--text", "b " * 30)
        self.assertIn("2 of 3 texts were longer than 12 tokens and cut", result.err.decode())
        first = json.loads(result.out.decode().splitlines()[0])["embedding"]
        self.check([first], [self.bert.embedding([CLS, *range(5, 15), SEP])])
        result = self.ok("embed", self.model, "--text", "a b c", "--max-length", "3")
        self.assertIn("1 of 1 text was longer than 3 tokens and cut", result.err.decode())

    def test_bytes_that_are_no_utf8_and_nul_are_texts(self):
        found = self.embeddings("--file", self.texts_file([b"a \xff\xfeb", b"a\x00", b"\xc3"]))
        wanted = [[CLS, 5, 6, SEP], [CLS, 5, SEP], [CLS, SEP]]
        self.check(found, [self.bert.embedding(ids) for ids in wanted])
        texts = [b"\xff", b"a\xe2\x82 b\xff\xfe", "é中".encode(), b"\xed\xa0\x80\xf0\x9f\x98"]
        for line, text in zip(self.lines("--file", self.texts_file(texts), "--with-text"), texts, strict=True):
            self.assertEqual(list(line), ["text", "embedding"])
            self.assertEqual(line["text"], text.decode("utf-8", "replace"))
        found = self.ok("similar", self.model, b"\xff", "a", "--json").json()
        self.assertEqual(found["texts"], ["\ufffd", "a"])

    def test_an_array_holds_the_same_numbers(self):
        file, array = self.texts_file(TEXTS), self.folder / "e.npy"
        found = self.embeddings("--file", file)
        text = self.ok("embed", self.model, "--file", file, "--output", array).out.decode()
        self.assertIn("7 texts", text)
        shape, values = read_npy(array)
        self.assertEqual(shape, [7, 12])
        self.assertEqual(
            [values[i * 12 : (i + 1) * 12] for i in range(7)], [[float(x) for x in row] for row in self.as_f32(found)]
        )
        piped = self.ok("embed", self.model, "--file", file, "--output", "-").out
        self.assertEqual(piped, array.read_bytes())

    def test_json_is_one_object(self):
        options = ["--text", "a", "--text", "b c"]
        found = self.ok("embed", self.model, *options, "--json").json()
        self.assertEqual(found["embeddings"], self.embeddings(*options))
        self.assertEqual((found["texts"], found["tokens"], found["cut"], found["dimension"]), (2, 7, 0, 12))
        self.assertEqual((found["pooling"], found["normalize"], found["max_length"]), ("mean", False, 12))
        found = self.ok("embed", self.model, *options, "--output", self.folder / "e.npy", "--json").json()
        self.assertNotIn("embeddings", found)

    def test_values_that_are_no_numbers_are_counted(self):
        spoil_words(self.model, "a")
        note = b"the embeddings hold 12 NaN and 0 infinite values"
        options = ["--text", "a", "--text", "b"]
        for more in ([], ["--json"], ["--output", self.folder / "e.npy"]):
            self.assertIn(note, self.ok("embed", self.model, *options, *more).err)
        found = self.ok("embed", self.model, *options, "--json").json()
        self.assertEqual((found["nan_count"], found["infinite_count"], found["nonfinite_count"]), (12, 0, 12))
        self.assertEqual(found["embeddings"][0], [None] * 12)
        found = self.ok("similar", self.model, "a", "b", "--json")
        self.assertEqual((found.json()["cosine"], found.json()["nonfinite_count"]), (None, 12))
        self.assertIn(note, found.err)
        self.assertNotIn(b"NaN", self.ok("embed", self.model, "--text", "b").err)

    def test_no_text_at_all_gives_no_embedding(self):
        self.assertEqual(self.embeddings("--file", self.texts_file([])), [])
        self.ok("embed", self.model, "--file", self.texts_file([]), "--output", self.folder / "e.npy")
        self.assertEqual(read_npy(self.folder / "e.npy")[0], [0, 12])

    def test_order_and_bits_do_not_depend_on_the_other_texts(self):
        texts = [" ".join(WORDS[5 + (i * 7 + j) % 21] for j in range(i % 10)) for i in range(3000)]
        found = self.embeddings("--file", self.texts_file(texts))
        alone = {}
        for i in range(0, 3000, 631):
            alone[i] = self.embeddings("--text", texts[i], "--threads", "1")[0]
        self.assertEqual({i: found[i] for i in alone}, alone)
        self.assertEqual(self.embeddings("--file", self.texts_file(texts), "--threads", "3"), found)


class Real(CommandTest):
    def test_golden_values(self):
        if not REAL.exists() and os.environ.get("HEADWISE_ALLOW_MISSING_MODEL"):
            self.skipTest("the real model is not there")
        golden = json.loads((ROOT / "tests" / "data" / "minilm_embeddings.json").read_text())
        texts = [part for case in golden for part in ("--text", case["text"])]
        out = self.ok("embed", REAL, *texts, "--quiet").out.decode()
        for line, case in zip(out.splitlines(), golden, strict=True):
            embedding = json.loads(line)["embedding"]
            error = max(abs(a - b) for a, b in zip(embedding[: len(case["first"])], case["first"]))
            self.assertLess(error, 2e-6, case["text"])
            self.assertAlmostEqual(sum(x * x for x in embedding) ** 0.5, case["norm"], delta=1e-5)


if __name__ == "__main__":
    unittest.main()
