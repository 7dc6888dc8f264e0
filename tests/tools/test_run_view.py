"""headwise run --view: the page of the layer that ran."""

import base64
import os
import shutil
import struct
import unittest

from command import TINY_BERT, CommandTest, read_npy, wave, write_npy
from view_pages import blocks, weight_of


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

    def test_refusals_name_the_attention_and_not_the_model(self):
        """More or fewer keys than queries, and more tokens than either."""
        page, tokens = self.folder / "page.html", self.folder / "tokens.txt"
        tokens.write_text("a\n" * 5)
        query, files = self.folder / "q.npy", ["--attention", self.folder / "w.npy", "--view", page]
        call = ["run", TINY_BERT, "--repeat", "1", *files, "--query", query]
        for queries, keys in ((5, 4), (3, 4)):
            write_npy(query, [1, queries, 32], wave(32 * queries))
            memory = write_npy(self.folder / "m.npy", [1, keys, 32], wave(32 * keys))
            words = f"--view: the attention of this call has {queries} queries and {keys} keys; the view is of self-"
            self.fails(2, [words], *call, "--key", memory, "--value", memory)
        words = "--view: the attention of this call has 3 queries, fewer than the 5 tokens"
        self.fails(2, [words], *call, "--tokens", tokens)
        self.assertFalse(page.exists())

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
        for text, words, code in (
            (b"\n" * (most + 1), "longer than 1 MiB", 1),
            (b"[" * (most + 1), "longer than 1 MiB", 1),
            (b"\n" * most, f"{most} tokens", 2),
            (b"[" * most, "no valid JSON", 1),
            (b"[" * (most // 2) + b"]" * (most // 2), "list of other things", 1),
            (b'["' + b'","' * (most // 3 - 2) + b'"]', f"{most // 3 - 1} tokens", 2),
            (b"a\0b\nc\n", "NUL", 1),
            (b'["a\xff", "b"]', "no valid JSON", 1),
            (b'["\\ud800", "a"]', "no valid JSON", 1),
        ):
            with self.subTest(start=text[:20], words=words):
                self.tokens.write_bytes(text)
                self.fails(code, [words], *call, self.tokens, timeout=60)
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
