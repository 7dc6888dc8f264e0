"""Arguments that are refused, over all sub-commands that take them (case D10)."""

import re
import unittest

from command import TINY_BERT, CommandTest, every_command, run

THREADED = ("run", "explain", "profile", "verify", "bench")
NO_COUNT = ("", "-1", "abc", "2x", "1e3", "1.0", "+2", " 2", "0x2", "²", "99999", "1025", "4294967297", "9" * 30)
NOT_LISTS = tuple(text for text in NO_COUNT if text != " 2")  # blanks beside the commas of a list are ignored


class Counts(CommandTest):
    def test_every_command_is_in_the_table(self):
        """A new sub-command gets its row there, so that these tests hold for it."""
        listed = re.search(r"Subcommands:\n((?:  .*\n)+)", self.ok("--help").out.decode()).group(1)
        names = set(re.findall(r"^  (\S+)", listed, re.MULTILINE))
        self.assertEqual(names, {*every_command(self.query), "completion"})

    def test_threads(self):
        for name in THREADED:
            for text in NOT_LISTS if name == "bench" else NO_COUNT:
                with self.subTest(name=name, text=text):
                    self.fails(2, ["--threads"], *every_command(self.query)[name], "--threads", text)

    def test_zero_threads_are_automatic(self):
        for name in THREADED:
            shown = self.ok(*every_command(self.query)[name], "--threads", "0", "--json").json()
            threads = shown["records"][0]["threads"] if name == "bench" else shown.get("threads", 1)
            self.assertGreaterEqual(threads, 1)

    def test_a_bad_variable_never_crashes(self):
        for name, arguments in every_command(self.query).items():
            for text in ("0", "abc", "2,2", "-3", "", "99999999999999999999"):
                with self.subTest(name=name, text=text):
                    environment = {"OMP_NUM_THREADS": text}
                    self.assertEqual(run(*arguments, environment=environment).code, 0)

    def test_other_whole_numbers(self):
        for option, command in (("--layer", "run"), ("--heads", "explain"), ("--batch", "explain"), ("--length", "profile"),
                                ("--cache-capacity", "run"), ("--top", "run"), ("--seed", "verify"), ("--rounds", "bench")):
            for text in ("", "-1", "abc", "2x", "1e3", "1.5", "9" * 30):
                with self.subTest(option=option, text=text):
                    self.fails(2, [option], *every_command(self.query)[command], option, text)


class Names(CommandTest):
    def test_unknown_options_have_a_suggestion(self):
        for name, arguments in every_command(self.query).items():
            with self.subTest(name=name):
                words = ["unknown option '--jsn'", "did you mean '--json'", f"headwise {name} --help"]
                self.fails(2, words, *arguments, "--jsn")
                self.fails(2, ["unknown option '--nothing-like-it'"], *arguments, "--nothing-like-it")
                self.fails(2, ["unknown option '-z'"], *arguments, "-z")
        self.fails(2, ["'--verson'", "did you mean '--version'"], "--verson")
        self.fails(2, ["'--colour'", "headwise --help"], "--colour")

    def test_words_that_nobody_expects(self):
        for name, arguments in every_command(self.query).items():
            with self.subTest(name=name):
                self.fails(2, ["headwise"], *arguments, "one", "two")
        self.fails(2, ["bash|zsh|fish", "'tcsh'"], "completion", "tcsh")
        self.fails(2, ["'nothing'"], "man", "nothing")

    def test_verbose_belongs_to_version(self):
        shown = self.ok("--version", "--verbose").out.decode()
        for word in ("headwise", "oneDNN", "commit", "kernels", "threads", "affinity"):
            self.assertIn(word, shown)
        self.assertEqual(self.ok("--verbose", "--version").out.decode(), shown)
        self.assertEqual(self.ok("info").out.decode(), shown)
        self.fails(2, ["--verbose", "--version"], "--verbose", "info")

    def test_quiet_says_nothing(self):
        for name, arguments in every_command(self.query).items():
            self.assertEqual(self.ok(*arguments, "--quiet").err, b"", name)


class Widths(CommandTest):
    PAGES = (["--help"], ["run", "--help"], ["bench", "--help"], ["verify", "--help"])

    def longest(self, arguments, **environment):
        """Examples are there to be copied and stay whole, and so do the names of options."""
        lines = self.ok(*arguments, environment=environment).out.decode().splitlines()
        return max(len(line) for line in lines if " " in line.strip() and not line.startswith("  headwise "))

    def test_help_follows_the_terminal(self):
        for arguments in self.PAGES:
            self.assertLessEqual(self.longest(arguments, COLUMNS="60"), 60)
            wide = self.longest(arguments, COLUMNS="110")
            self.assertTrue(80 < wide <= 110, wide)
            for other in ("", "0", "-5", "wide", "1e2"):
                self.assertLessEqual(self.longest(arguments, COLUMNS=other), 80)
            self.assertLessEqual(self.longest(arguments, COLUMNS="99999"), 120)
            self.ok(*arguments, environment={"COLUMNS": "1"})

    def test_no_word_is_lost(self):
        for arguments in self.PAGES:
            pages = [self.ok(*arguments, environment={"COLUMNS": width}).out.split() for width in ("50", "80", "120")]
            self.assertEqual(pages[0], pages[1])
            self.assertEqual(pages[1], pages[2])

    def test_the_hint_of_an_error_can_be_typed(self):
        self.fails(1, ["'headwise inspect FILE'"], "run", TINY_BERT, "--query", self.query, "--layer", "9")


if __name__ == "__main__":
    unittest.main()
