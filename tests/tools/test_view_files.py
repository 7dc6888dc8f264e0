"""headwise view: the files it writes, what it says of them, and what it refuses."""

import json
import re
import textwrap
import unittest
import zipfile

from command import ROOT, TEXT_MODEL, read_npy, write_npy
from view_pages import ViewTest


class ViewFiles(ViewTest):
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

    def test_layers_that_are_left_out_keep_their_place_in_bertviz(self):
        """Empty, but with a head for each, because BertViz counts those of the first."""
        values = [i / 64 for i in range(4 * 3 * 4)]
        array, written = write_npy(self.folder / "w.npy", [4, 3, 2, 2], values), self.folder / "w.json"
        for chosen in ([0], [0, 1], [1, 3], [2], [0, 1, 2, 3]):
            layers = ",".join(map(str, chosen))
            self.ok("view", "--attention", array, "--by-layer", "--layers", layers, "--bertviz", written)
            view = json.loads(written.read_text())
            self.assertEqual(len(view["attention"]), chosen[-1] + 1)
            for layer, (heads,) in enumerate(view["attention"]):
                flat = [weight for rows in heads for row in rows for weight in row]
                self.assertEqual(flat, values[12 * layer : 12 * layer + 12] if layer in chosen else [])
                self.assertEqual(len(heads), 3)
            self.assertEqual(view.get("include_layers", list(range(len(chosen)))), chosen)

    def test_bertviz_takes_no_weights_that_are_no_numbers(self):
        """JSON has none, and BertViz draws them as it draws 1."""
        for place in (0, 5, 95):
            values = [*self.weights]
            values[place] = float("nan")
            array = write_npy(self.folder / "nan.npy", [2, 3, 4, 4], values)
            targets = [self.page, self.folder / "w.json", self.folder / "w.npz"]
            call = ["view", "--attention", array, "--by-layer", "-o", targets[0], "--export", targets[2]]
            self.fails(1, ["1 NaN and 0 infinite", "leave out --bertviz"], *call, "--bertviz", targets[1], "--quiet")
            self.assertFalse(any(path.exists() for path in targets))

    def test_bertviz_is_ascii_whatever_the_tokens_hold(self):
        tokens = ["été", "中", "\U0001f642", "\\xff"]
        self.tokens.write_text("\n".join(tokens), encoding="utf-8")
        self.view("--tokens", self.tokens, "--bertviz", self.folder / "w.json")
        self.assertEqual(json.loads((self.folder / "w.json").read_bytes().decode("ascii"))["tokens"], tokens)

    def test_the_lines_for_bertviz_are_the_same_in_readme_and_help(self):
        """tests/conformance/bertviz_views.py runs those of README.md."""
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        (lines,) = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
        self.assertIn(textwrap.indent(lines, "  "), self.ok("view", "--help").out.decode())

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
        refused(["fewer than the 5 tokens"], *array, "--tokens", self.lines(5))
        refused(["no tokens"], *array, "--tokens", self.lines(0), code=1)

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
            self.fails(2, [words], "view", "--attention", path, "-o", self.page)
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


if __name__ == "__main__":
    unittest.main()
