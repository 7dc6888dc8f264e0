"""Names of files in every alphabet, and in none (case D07), over all sub-commands that read or write files."""

import os
import shutil
import unittest

from command import TEXT_MODEL, CommandTest, every_command, run, wave, write_layer, write_npy

NAMES = (
    "модель весов".encode(),
    "模型".encode(),
    "🎉 100%s".encode(),
    b"with space",
    b"bad \xff\xc3( byte",
    b"new\nline\x1b[31m",
    b"quote\"d'",
    b"-dash",
    "é".encode("latin-1"),
)


class Paths(CommandTest):
    def setUp(self):
        super().setUp()
        self.query = write_npy(self.folder / "narrow.npy", [1, 3, 4], wave(12))

    def calls(self, model, query):
        """What reads these two files, by sub-command."""
        more = ["--heads", "2", "--allow-missing-bias"]
        text = [os.fsencode(model) + b".folder", "--text", "the bank"]
        return {
            "inspect": ["inspect", model],
            "run": ["run", model, *more, "--query", query, "--repeat", "1"],
            "explain": ["explain", model, *more, "--query", query],
            "profile": ["profile", model, *more, "--query", query, "--repeat", "1", "--no-limits"],
            "verify": ["verify", model, *more, "--query", query],
            "convert": ["convert", model, *more, os.fsdecode(query) + ".safetensors", "--force"],
            "bench": ["bench", model, *more, "--shapes", "1x8", "--min-time", "0.001", "--rounds", "1"],
            "embed": ["embed", text[0], "--file", model, "--quiet"],
            "similar": ["similar", text[0], "the", "bank", "--quiet"],
            "view": ["view", *text, "-o", os.fsdecode(query) + ".html"],
            "ask-heads": ["ask-heads", *text, "--from", "the", "--to", "bank"],
        }

    def each(self):
        for name in NAMES:
            folder = os.path.join(os.fsencode(self.folder), name)
            os.mkdir(folder)
            query = os.path.join(folder, name + b".npy")
            with open(query, "wb") as file:
                file.write(self.query.read_bytes())
            model = write_layer(folder)
            shutil.copytree(os.fsencode(TEXT_MODEL), model + b".folder")
            yield name, folder, self.calls(model, query)

    def test_every_command_opens_them_and_shows_them_in_utf8(self):
        self.assertEqual({*self.calls("", "")} | {"info"}, {*every_command("")})
        for name, _, calls in self.each():
            for command, arguments in calls.items():
                with self.subTest(name=name, command=command):
                    self.ok(*arguments, "--json").json()
                    text = self.ok(*arguments).out.decode("utf-8")
                    self.assertNotIn("\x1b", text)
                    self.assertNotIn("\r", text)

    def test_messages_name_them_on_one_line(self):
        for name, folder, calls in self.each():
            for command in calls:
                with self.subTest(name=name, command=command):
                    missing = os.path.join(folder, b"absent " + name)
                    arguments = self.calls(missing, self.query)[command]
                    message = self.fails(1, ["absent"], *arguments)
                    self.assertNotIn("\x1b", message)

    def test_no_locale_changes_that(self):
        name, folder = "модель".encode(), os.path.join(os.fsencode(self.folder), "модель".encode())
        os.mkdir(folder)
        model = write_layer(folder, name)
        pages = {run("inspect", model, environment={"LC_ALL": locale}).out for locale in ("C", "POSIX", "C.UTF-8", "xx")}
        self.assertEqual(len(pages), 1)
        self.assertIn(name, pages.pop())

    def test_files_are_written_under_them(self):
        for name, folder, calls in self.each():
            target = os.path.join(folder, b"y " + name + b".npy")
            self.ok(*calls["run"], "--output", target, "--json").json()
            self.assertTrue(os.path.exists(target))
            trace, records = os.path.join(folder, b"t.json"), os.path.join(folder, b"r.json")
            self.ok(*calls["profile"], "--trace", trace)
            self.ok(*calls["bench"], "-o", records)
            self.ok("bench", "--results", records, "--compare", records, "--json").json()
            self.assertTrue(os.path.exists(trace))


if __name__ == "__main__":
    unittest.main()
