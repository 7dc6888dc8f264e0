"""Arguments that are refused, over all sub-commands that take them (case D10)."""

import pathlib
import re
import shutil
import unittest

from command import TINY_BERT, CommandTest, every_command, run, write_npy

THREADED = ("run", "explain", "profile", "verify", "bench", "view", "ask-heads")
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


class Values(CommandTest):
    """Values that are wrong whatever the file holds, so before it is opened, and values that do not fit the file."""

    LOADING = ("run", "explain", "profile", "verify", "convert")
    WRONG = (
        (["--family", "bogus"], ["--family", "'bogus'", "--families"]),
        (["--family", ""], ["--family"]),
        (["--softcap", "-1"], ["--softcap is negative", "-1"]),
        (["--norm-epsilon", "0"], ["--norm-epsilon is"]),
        (["--norm-epsilon", "-1"], ["--norm-epsilon is"]),
        (["--rotary-dim", "3"], ["--rotary-dim is 3", "even"]),
        (["--rotary-dim", "99999999"], ["--rotary-dim is 99999999"]),
        (["--rotary-dim", "4", "--rotary-base", "0"], ["--rotary-base is 0"]),
        (["--rotary-dim", "4", "--rotary-scaling", "linear", "--rotary-factor", "0.5"], ["--rotary-factor is 0.5"]),
        (["--rotary-dim", "4", "--rotary-scaling", "yarn", "--rotary-factor", "2"], ["--rotary-original-positions"]),
        (["--position-bias", "alibi", "--alibi-max", "0"], ["--alibi-max is 0"]),
        (["--position-bias", "t5", "--t5-max-distance", "1"], ["--t5-max-distance is 1"]),
        (["--keep-heads", "0,2,0"], ["--keep-heads", "head 0 twice"]),
        (["--map", "map.json", "--family", "bert"], ["--map", "--family"]),
        (["--map", "map.json", "--prefix", "a"], ["--map", "--prefix"]),
    )
    UNFIT = (
        (["--keep-heads", "9"], ["--keep-heads: there is no head 9 among 4"]),
        (["--layer", "9"], ["no layer 9"]),
        (["--heads", "5"], ["32", "not divisible by 5 heads"]),
        (["--prefix", "nothing"], ["'nothing'", "encoder.layer.0.attention."]),
        (["--family", "gpt2"], ["gpt2"]),
        (["--rotary-dim", "64"], ["--rotary-dim is 64", "0 to 8"]),
        (["--position-bias", "t5"], ["--position-bias is t5"]),
        (["--no-model-config"], ["give --heads", "--no-model-config"]),
    )

    def test_wrong_values_are_told_before_the_file_is_opened(self):
        for name in self.LOADING:
            arguments = [self.folder / "absent" if a == TINY_BERT else a for a in every_command(self.query)[name]]
            for options, words in self.WRONG:
                with self.subTest(name=name, options=options):
                    self.fails(2, words, *arguments, *options)

    def test_values_that_do_not_fit_the_file(self):
        for name in self.LOADING:
            for options, words in self.UNFIT:
                with self.subTest(name=name, options=options):
                    self.fails(2, words, *every_command(self.query)[name], *options)

    def test_a_config_that_does_not_fit_the_file(self):
        model = pathlib.Path(shutil.copy(TINY_BERT, self.folder / "model.safetensors"))
        (self.folder / "config.json").write_text('{"num_attention_heads": 5}')
        for name in self.LOADING:
            with self.subTest(name=name):
                arguments = [model if a == TINY_BERT else a for a in every_command(self.query)[name]]
                self.fails(1, ["config.json", "not divisible by 5 heads"], *arguments)

    def test_how_inspect_and_convert_take_names(self):
        self.fails(2, ["--family", "'bogus'"], "inspect", self.folder / "absent", "--family", "bogus")
        self.fails(2, ["gpt2"], "inspect", TINY_BERT, "--family", "gpt2")
        self.fails(2, ["--map", "--family"], "inspect", TINY_BERT, "--family", "bert", "--map", "map.json")
        convert = every_command(self.query)["convert"]
        for name in ("nonsense", "deberta", ""):
            self.fails(2, ["--to-family", f"'{name}'", "--families"], *convert, "--to-family", name)
        for name in ("llama", "gpt2", "xlm-roberta"):
            self.ok(*convert, "--to-family", name)

    def test_a_broken_file_is_no_wrong_command_line(self):
        broken = self.folder / "broken.safetensors"
        broken.write_bytes(b"\xff" * 64)
        for name in self.LOADING:
            arguments = [broken if a == TINY_BERT else a for a in every_command(self.query)[name]]
            self.fails(1, ["broken.safetensors"], *arguments)


class Words(CommandTest):
    """Messages name options, never the library's own types and members."""

    API = re.compile(r"Options::|StoredCheck::|CausalAlignment::|use_model_config|keep_heads|norm_epsilon|rotary\.|"
                     r"position_bias|attention_mask|[a-z]+_lengths|query_offsets|position_ids")

    def test_inputs_are_called_by_their_options(self):
        mask = write_npy(self.folder / "mask.npy", [3, 3], [0] * 9)
        ids = write_npy(self.folder / "ids.npy", [2, 5], [1] * 10, "<i8")
        for options, word in ((["--key-lengths", "9,1"], "--key-lengths holds 9"), (["--mask", mask], "--mask has shape"),
                              (["--key-padding", mask], "--key-padding has shape"), (["--only-heads", "7"], "--only-heads"),
                              (["--query-offsets", "1,2,3"], "--query-offsets has shape"),
                              (["--position-ids", ids], "--position-ids"), (["--key", mask], "--key has shape")):
            with self.subTest(options=options):
                message = self.fails(2, [word], "run", TINY_BERT, "--query", self.query, *options)
                self.assertNotRegex(message.replace(str(self.folder), ""), self.API)

    def test_options_are_called_by_their_names(self):
        run = ["run", TINY_BERT, "--query", self.query]
        for options, words in Values.WRONG + Values.UNFIT:
            self.assertNotRegex(self.fails(2, words, *run, *options), self.API)
        self.assertNotRegex(self.fails(1, ["--stored-check off"], *run, "--stored-check", "require"), self.API)

    def test_words_in_names_stay(self):
        model = self.folder / "keep_heads: softcap is LoadOptions::family.safetensors"
        self.fails(1, [model.name], "run", model, "--query", self.query)


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
        self.fails(2, ["'headwise inspect FILE'"], "run", TINY_BERT, "--query", self.query, "--layer", "9")


if __name__ == "__main__":
    unittest.main()
