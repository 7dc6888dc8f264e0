"""headwise view and run --view: pages and exports. What a page does is tested in tests/view, in a browser."""

import base64
import json
import math
import os
import re
import shutil
import struct
import unittest
import zipfile

from command import TEXT_MODEL, TINY_BERT, CommandTest, read_npy, spoil_words, wave, write_npy


def blocks(page):
    """The data of a page, and its codes of weights by layer and head."""
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1))
    found = re.findall(r'<script type="text/plain" id="weights-(\d+)-(\d+)">([^<]*)</script>', page)
    codes = {}
    for layer, head, text in found:
        raw = base64.b64decode(text, validate=True)
        codes[int(layer), int(head)] = struct.unpack(f"<{len(raw) // 2}H", raw)
    return data, codes


def weight_of(code):
    if code == 0:
        return 0.0
    return float(f"{1000 + (code - 1) % 9000}e{(code - 1) // 9000 - 10}")


def figures_of(rows, tokens):
    """The figures of a head as their definitions read: means over the queries, shares of their weight."""
    count = len(tokens)
    pairs = [(query, key, rows[query][key]) for query in range(count) for key in range(count)]

    def share(holds, queries=count):
        return sum(w for query, key, w in pairs if holds(query, key)) / queries

    entropy = -sum(w * math.log2(w) for _, _, w in pairs if w > 0) / count
    first, separator = (share(lambda _, key, name=name: tokens[key] == name) for name in ("[CLS]", "[SEP]"))
    return {
        "entropy": entropy,
        "entropy_share": entropy / math.log2(count),
        "distance": sum(w * abs(query - key) for query, key, w in pairs) / count,
        "first": first,
        "separator": separator,
        "special": first + separator,
        "itself": share(lambda query, key: query == key),
        "same": share(lambda query, key: tokens[query] == tokens[key]),
        "previous": share(lambda query, key: key == query - 1, count - 1),
        "next": share(lambda query, key: key == query + 1, count - 1),
    }


class View(CommandTest):
    def setUp(self):
        super().setUp()
        self.weights = [0.125 + 0.0625 * (i % 5) for i in range(2 * 3 * 4 * 4)]
        self.array = write_npy(self.folder / "w.npy", [2, 3, 4, 4], self.weights)
        self.tokens = self.folder / "tokens.txt"
        self.tokens.write_text("[CLS]\nplay\n##ing\n[SEP]\n")
        self.page = self.folder / "page.html"

    def view(self, *arguments):
        return self.ok("view", "--attention", self.array, *arguments, "-o", self.page)

    def shown(self):
        return blocks(self.page.read_text())

    def assert_weights(self, codes, weights):
        self.assertEqual([weight_of(code) for code in codes], [float(f"{w:.3e}") for w in weights])

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

    def array_call(self, *arguments):
        return ["view", "--attention", self.array, *arguments, "-o", self.page]

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

    def test_exports(self):
        exports = ["--export", self.folder / "w.npz", "--bertviz", self.folder / "w.json"]
        self.view("--by-layer", "--tokens", self.tokens, *exports)
        with zipfile.ZipFile(self.folder / "w.npz") as archive:
            archive.extract("attention.npy", self.folder)
        self.assertEqual(read_npy(self.folder / "attention.npy"), ([2, 3, 4, 4], self.weights))
        written = json.loads((self.folder / "w.json").read_text())
        self.assertEqual(set(written), {"attention", "tokens"})
        self.assertEqual(
            [len(written["attention"]), len(written["attention"][0]), len(written["attention"][0][0])], [2, 1, 3]
        )
        flat = [w for layer in written["attention"] for head in layer[0] for row in head for w in row]
        self.assertEqual(flat, self.weights)

    def test_a_pair_says_where_its_second_sentence_starts(self):
        self.tokens.write_text("[CLS]\na\n[SEP]\nb\n")
        self.view("--tokens", self.tokens, "--bertviz", self.folder / "w.json")
        self.assertEqual(self.shown()[0]["segments"], [0, 1, 0, 2])
        self.assertEqual(json.loads((self.folder / "w.json").read_text())["sentence_b_start"], 3)

    def test_large_pages_are_noted(self):
        large = self.folder / "large.npy"
        write_npy(large, [1, 1, 2850, 2850], [0.0])
        with open(large, "r+b") as file:
            file.truncate(large.stat().st_size + 4 * (2850 * 2850 - 1))
        note = rb"the page has [0-9.]+ MB, which browsers need time"
        self.assertRegex(self.ok("view", "--attention", large, "-o", self.page).err, note)
        self.assertGreater(self.page.stat().st_size, 20_000_000)
        self.assertEqual(self.ok("view", "--attention", large, "-o", self.page, "--quiet").err, b"")
        self.assertNotIn(b"browsers", self.view().err)

    def test_the_help_names_the_arrays_of_an_export(self):
        text = self.ok("view", "--help").out.decode()
        for words in ("attention     f32 [layers, heads, tokens, tokens]", "contribution  f32", "layers        i64"):
            self.assertIn(words, text)
        self.assertIn("segments      i64", text)

    def test_standard_streams(self):
        with open(self.array, "rb") as array:
            result = self.ok("view", "--attention", "-", "-o", "-", stdin=array)
        self.view()
        self.assertEqual(result.out.replace(b'"standard input"', b'"w.npy"'), self.page.read_bytes())

    def test_reports(self):
        shown = self.view("--json").json()
        self.assertEqual((shown["files"], shown["heads"], shown["layers"]), ({"page": str(self.page)}, 3, [0]))
        text = self.view("--tokens", self.tokens).out.decode()
        for words in ("1 layer × 3 heads", "4 tokens: [CLS] play ##ing [SEP]", "page.html"):
            self.assertIn(words, text)

    def test_the_same_call_writes_the_same_bytes(self):
        self.view("--tokens", self.tokens)
        first = self.page.read_bytes()
        self.view("--tokens", self.tokens)
        self.assertEqual(self.page.read_bytes(), first)

    def test_what_is_refused(self):
        def refused(words, *arguments, code=2):
            self.fails(code, words, "view", *arguments)

        page = ["-o", self.page]
        array = ["--attention", self.array, *page]
        refused(["MODEL_DIR", "--attention"], *page)
        refused(["--text is missing"], TEXT_MODEL, *page)
        refused(["exclude"], TEXT_MODEL, *array)
        refused(["-o"], "--attention", self.array)
        refused(["--tokens", "--attention"], TEXT_MODEL, "--text", "a", "--tokens", self.tokens, *page)
        refused(["--text", "MODEL_DIR"], "--text", "a", *array)
        refused(["--layers", "--by-layer"], "--layers", "0", *array)
        refused(["same file"], "--attention", self.array, "-o", self.array)
        refused(["same file"], *array, "--bertviz", self.page)
        refused(["--tokens", "same file"], *array, "--tokens", self.tokens, "--export", self.tokens)
        refused(["standard output"], "--attention", self.array, "-o", "-", "--json")
        refused(["--export"], *array, "--export", "-")
        refused(["no folder"], "--attention", self.array, "-o", self.folder / "absent" / "page.html")
        refused(["--sequence 2"], *array, "--sequence", "2")
        refused(["--layers 2"], *array, "--by-layer", "--layers", "0,2")
        refused(["--layers 2"], TEXT_MODEL, "--text", "a", *page, "--layers", "2")
        refused(["fewer than the 5 tokens"], *array, "--tokens", self.lines(5), code=1)
        refused(["no tokens"], *array, "--tokens", self.lines(0), code=1)

    def lines(self, count):
        path = self.folder / "lines.txt"
        path.write_text("a\n" * count)
        return path

    def test_arrays_that_are_no_weights(self):
        for shape, values, words in (
            ([4, 4], [0.25] * 16, "[4, 4]"),
            ([1, 2, 3], [0.5] * 6, "2 queries and 3 keys"),
            ([1, 0, 0], [], "holds nothing"),
            ([1, 2, 2], [0.5, 0.5, -1.0, 2.0], "holds -1"),
            ([1, 1, 1], [float("inf")], "holds inf"),
            ([1] * 5, [1.0], "[1, 1, 1, 1, 1]"),
        ):
            path = write_npy(self.folder / "bad.npy", shape, values)
            self.fails(1, [words], "view", "--attention", path, "-o", self.page)
        self.assertFalse(self.page.exists())

    def test_what_is_no_number_arrives(self):
        path = write_npy(self.folder / "nan.npy", [1, 1, 1], [float("nan")])
        self.ok("view", "--attention", path, "-o", self.page)
        data, codes = self.shown()
        self.assertEqual((codes[0, 0], data["statistics"][0][0]["itself"]), ((65535,), None))
        self.assertEqual(data["notes"], ["the weights hold 1 NaN and 0 infinite values"])

    def test_texts_cannot_leave_their_place(self):
        self.tokens.write_text("</script>\n<!--script-->\n<!--weights-->\n<script>\n")
        self.view("--tokens", self.tokens)
        text = self.page.read_text()
        self.assertEqual(self.shown()[0]["tokens"], self.tokens.read_text().split())
        self.assertEqual(text.count("<script>"), 1)
        self.assertEqual(text.count("</script>"), 2 + 3)


class ViewOfModels(CommandTest):
    """A tiny model with random weights; the page of a real one is looked at in tests/view."""

    def setUp(self):
        super().setUp()
        self.page = self.folder / "page.html"

    def view(self, *arguments):
        self.ok("view", TEXT_MODEL, *arguments, "-o", self.page, "--export", self.folder / "w.npz")
        with zipfile.ZipFile(self.folder / "w.npz") as archive:
            archive.extractall(self.folder)
        return blocks(self.page.read_text())

    def test_text_and_pair(self):
        data, codes = self.view("--text", "the bank", "--pair", "money")
        self.assertEqual((data["text"], data["pair"], len(codes)), ("the bank", "money", 6))
        self.assertEqual(data["tokens"][0], "[CLS]")
        self.assertEqual((data["segments"][0], data["segments"][-1], set(data["segments"])), (0, 0, {0, 1, 2}))

    def test_rows_add_up_and_contributions_are_there(self):
        data, _ = self.view("--text", "the bank was")
        shape, weights = read_npy(self.folder / "attention.npy")
        count = len(data["tokens"])
        self.assertEqual(shape, [2, 3, count, count])
        for row in range(0, len(weights), count):
            self.assertAlmostEqual(sum(weights[row : row + count]), 1, places=5)
        shape, norms = read_npy(self.folder / "contribution.npy")
        self.assertEqual(shape, [2, 3, count])
        self.assertTrue(all(norm > 0 for norm in norms))

    def test_chosen_layers_are_those_of_all(self):
        self.view("--text", "the bank")
        whole = read_npy(self.folder / "attention.npy")[1]
        data, _ = self.view("--text", "the bank", "--layers", "1")
        self.assertEqual(data["layers"], [1])
        self.assertEqual(read_npy(self.folder / "attention.npy")[1], whole[len(whole) // 2 :])

    def test_a_text_that_is_too_long_is_cut_and_the_page_says_so(self):
        result = self.ok("view", TEXT_MODEL, "--text", "the " * 100, "-o", self.page)
        self.assertIn(b"cut to 12", result.err)
        data, _ = blocks(self.page.read_text())
        self.assertEqual(len(data["tokens"]), 12)
        self.assertIn("cut to 12", data["notes"][0])

    def test_no_file_of_the_model_is_written_over(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        (model / "1_Pooling").mkdir()
        (model / "1_Pooling" / "config.json").write_text("{}")
        (self.folder / "symbolic").symlink_to(model / "vocab.txt")
        os.link(model / "config.json", self.folder / "hard")
        before = {path: path.read_bytes() for path in model.rglob("*") if path.is_file()}
        targets = [*before, self.folder / "symbolic", self.folder / "hard"]
        for option in ("-o", "--export", "--bertviz"):
            for target in targets:
                call = ["view", model, "--text", "the bank", option, target]
                self.fails(2, ["the model's ", "name the same file"], *call)
        self.assertEqual({path: path.read_bytes() for path in before}, before)
        self.ok("view", model, "--text", "the bank", "-o", model / "heads.html", "--export", model / "heads.npz")
        self.ok("view", model, "--text", "the bank", "-o", model / "heads.html", "--export", model / "heads.npz")

    def test_tokenizer_and_model_must_fit(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        with open(model / "vocab.txt", "a") as words:
            words.write("more\nand\nmore2\n" + "\n".join(f"w{i}" for i in range(60)) + "\n")
        for call in (["view", model, "-o", self.page], ["ask-heads", model, "--from", "the", "--to", "bank"]):
            self.fails(1, ["tokens, the model 30", "not of one model"], *call, "--text", "the bank")

    def test_a_model_with_values_that_are_no_numbers(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        spoil_words(model)
        shown = self.ok("view", model, "--text", "the bank", "-o", self.page, "--json")
        notes = ["the weights hold 96 NaN and 0", "the norms of what heads add hold 24 NaN and 0 infinite"]
        self.assertEqual(len(shown.json()["notes"]), 2)
        for note, inside in zip(notes, blocks(self.page.read_text())[0]["notes"], strict=True):
            self.assertIn(note, inside)
            self.assertIn(note, shown.err.decode())

    def test_an_empty_text(self):
        data, _ = self.view("--text", "")
        self.assertEqual(data["tokens"], ["[CLS]", "[SEP]"])

    def test_hostile_texts(self):
        data, _ = self.view("--text", "</script><b>\x01\x7f\u202e ", "--pair", b"\xff\xfe")
        self.assertEqual((data["text"], data["pair"]), ("</script><b>\x01\x7f\u202e ", "\\xFF\\xFE"))

    def test_ask_heads_looks_at_the_same_weights(self):
        text = ["--text", "the bank was full", "--pair", "of money"]
        archive = self.folder / "w.json"
        self.ok("view", TEXT_MODEL, *text, "--bertviz", archive)
        shown = self.ok(
            "ask-heads", TEXT_MODEL, *text, "--from", "bank", "--to", "money", "--top", "0", "--json"
        ).json()
        self.assertEqual(len(shown["heads"]), 6)
        weights = json.loads(archive.read_text())["attention"]
        for answer in shown["heads"]:
            rows = weights[answer["layer"]][0][answer["head"]]
            source, target = shown["from"]["positions"], shown["to"]["positions"]
            mean = sum(rows[q][k] for q in source for k in target) / len(source)
            self.assertAlmostEqual(answer["forward"], mean, places=7)


class RunView(CommandTest):
    def test_the_report_tells_of_the_page_and_its_notes(self):
        page, tokens = self.folder / "page.html", self.folder / "tokens.txt"
        tokens.write_text("a\nb\n")
        call = ["run", TINY_BERT, "--query", self.query, "--repeat", "1", "--attention", self.folder / "w.npy"]
        result = self.ok(*call, "--view", page, "--tokens", tokens)
        self.assertRegex(result.out.decode(), r"(?m)^page +[0-9.]+ kB to .*page\.html$")
        for note in (b"sequence 0 of 2, counted from 0", b"past the 2 tokens count as padding"):
            self.assertIn(note, result.err)
        shown = self.ok(*call, "--view", page, "--tokens", tokens, "--json").json()["view"]
        self.assertEqual((shown["file"], shown["bytes"]), (str(page), page.stat().st_size))
        self.assertEqual(shown["notes"], blocks(page.read_text())[0]["notes"])
        self.assertIsNone(self.ok(*call, "--json").json()["view"])

    def test_the_layer_that_ran(self):
        query = write_npy(self.folder / "q.npy", [1, 4, 32], wave(128))
        tokens = self.folder / "tokens.txt"
        tokens.write_text("a\nb\nc\nd\n")
        page, array = self.folder / "page.html", self.folder / "w.npy"
        files = ["--attention", array, "--head-contribution", self.folder / "c.npy", "--view", page, "--tokens", tokens]
        self.ok("run", TINY_BERT, "--layer", "1", "--query", query, "--repeat", "1", *files)
        data, codes = blocks(page.read_text())
        self.assertEqual((data["layers"], data["tokens"], data["heads"]), ([1], ["a", "b", "c", "d"], 4))
        weights = read_npy(array)[1]
        for head in range(4):
            row = weights[head * 16 : head * 16 + 16]
            self.assertEqual([weight_of(code) for code in codes[0, head]], [float(f"{w:.3e}") for w in row])
        parts = read_npy(self.folder / "c.npy")[1]
        norms = struct.unpack("<16f", base64.b64decode(data["contribution"]))
        for i, norm in enumerate(norms):
            self.assertAlmostEqual(norm, sum(v * v for v in parts[32 * i : 32 * i + 32]) ** 0.5, places=5)

    def test_the_title_names_the_folder(self):
        """Most files have the same name."""
        shutil.copytree(TINY_BERT.parent, self.folder / "mine")
        query = write_npy(self.folder / "q.npy", [1, 4, 32], wave(128))
        page, title = self.folder / "page.html", f"mine/{TINY_BERT.name}"
        files = ["--attention", self.folder / "w.npy", "--view", page]
        for file in (self.folder / title, self.folder / "mine" / ".." / title, os.path.relpath(self.folder / title)):
            self.ok("run", file, "--query", query, "--repeat", "1", *files)
            self.assertEqual(blocks(page.read_text())[0]["title"], title)

    def test_what_is_refused(self):
        call = ["run", TINY_BERT, "--query", self.query]
        array, page = ["--attention", self.folder / "w.npy"], ["--view", self.folder / "page.html"]
        self.fails(2, ["--view", "--attention"], *call, *page)
        self.fails(2, ["--tokens", "--view"], *call, *array, "--tokens", self.query)
        for path in (self.folder / "w.npy", self.query, TINY_BERT):
            self.fails(2, ["same file", "--view"], *call, *array, "--view", path)
        tokens = self.folder / "tokens.txt"
        tokens.write_text("a")
        self.fails(2, ["same file", "--tokens"], *call, "--attention", tokens, *page, "--tokens", tokens)
        self.fails(2, ["standard output"], *call, *array, "--view", "-")
        self.fails(2, ["--attention-heads"], *call, *array, *page, "--attention-heads", "0")
        self.fails(1, ["absent"], *call, *array, *page, "--tokens", self.folder / "absent.txt")

    def with_tokens(self):
        """A call of four tokens whose page shows those of a file."""
        self.page, self.tokens = self.folder / "page.html", self.folder / "tokens.txt"
        query = write_npy(self.folder / "q.npy", [1, 4, 32], wave(128))
        files = ["--attention", self.folder / "w.npy", "--view", self.page]
        return ["run", TINY_BERT, "--query", query, "--repeat", "1", *files, "--tokens"]

    def test_what_can_stand_in_the_place_of_tokens(self):
        call = self.with_tokens()
        os.mkfifo(self.folder / "fifo")
        (self.folder / "inner").mkdir()
        (self.folder / "empty").touch()
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "dangling").symlink_to("absent")
        (self.folder / "zeros").symlink_to("/dev/zero")
        (self.folder / "null").symlink_to("/dev/null")
        for name in ("fifo", "inner", "empty", "loop", "dangling", "zeros", "null"):
            with self.subTest(name):
                self.fails(1, [name], *call, self.folder / name, timeout=20)
        self.assertFalse(self.page.exists() or (self.folder / "w.npy").exists())

    def test_files_that_hold_no_tokens_or_too_many(self):
        call, most = self.with_tokens(), 1 << 20
        for text, words in (
            (b"\n" * (most + 1), "longer than 1 MiB"),
            (b"[" * (most + 1), "longer than 1 MiB"),
            (b"\n" * most, f"{most} tokens"),
            (b"[" * most, "no valid JSON"),
            (b"[" * (most // 2) + b"]" * (most // 2), "list of other things"),
            (b'["' + b'","' * (most // 3 - 2) + b'"]', f"{most // 3 - 1} tokens"),
            (b"a\0b\nc\n", "NUL"),
            (b'["a\xff", "b"]', "no valid JSON"),
            (b'["\\ud800", "a"]', "no valid JSON"),
        ):
            with self.subTest(start=text[:20], words=words):
                self.tokens.write_bytes(text)
                self.fails(1, [words], *call, self.tokens, timeout=60)
                self.assertFalse(self.page.exists())

    def test_strange_and_long_tokens_are_shown(self):
        call, most = self.with_tokens(), 1 << 20
        for text, expected in (
            (b"a\xff\n\xe4\xb8\n\r\n \n", ["a\\xFF", "\\xE4\\xB8", "", " "]),
            (b"x" * (most - 2) + b"\ny", ["x" * (most - 2), "y"]),
        ):
            with self.subTest(start=text[:20]):
                self.tokens.write_bytes(text)
                self.ok(*call, self.tokens)
                self.assertEqual(blocks(self.page.read_text())[0]["tokens"], expected)


if __name__ == "__main__":
    unittest.main()
