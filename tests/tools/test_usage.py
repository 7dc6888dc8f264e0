"""Exit codes, help, and values of options that are refused."""

import os
import shutil
import unittest

from command import INTEGERS, TINY_BERT, CommandTest, run, wave, write_npy


class Usage(CommandTest):
    def test_help_of_every_command_has_an_example(self):
        self.assertIn(b"Exit codes", self.ok("--help").out)
        self.assertLessEqual(max(map(len, self.ok("--help").out.decode().splitlines())), 80)
        for name in ("inspect", "run", "explain", "verify", "bench", "info"):
            result = self.ok(name, "--help")
            self.assertIn(f"headwise {name}", result.out.decode())
            self.assertIn(b"Example:", result.out)
            self.assertLessEqual(max(map(len, result.out.decode().splitlines())), 80)
            self.assertEqual(result.err, b"")

    def test_version(self):
        self.assertRegex(self.ok("--version").out.decode(), r"^headwise \d+\.\d+\.\d+\n$")

    def test_wrong_command_lines_exit_with_2(self):
        self.fails(2, ["--help"])
        self.fails(2, ["'runn'", "did you mean 'run'"], "runn")
        self.fails(2, ["--nonsense", "headwise info --help"], "info", "--nonsense")
        self.fails(2, ["FILE"], "inspect")
        self.fails(2, ["unknown option '--hlep'", "did you mean '--help'", "headwise run --help"], "run", "--hlep")
        self.fails(2, ["unknown option '--quary'", "'--query'"], "run", TINY_BERT, "--quary", self.query)
        self.fails(2, ["--query"], "run", TINY_BERT)

    def test_failures_exit_with_1_and_name_the_file(self):
        self.fails(1, ["absent.safetensors"], "inspect", self.folder / "absent.safetensors")
        self.fails(1, ["absent.npy"], "run", TINY_BERT, "--query", self.folder / "absent.npy")
        self.fails(2, ["layer 7"], "run", TINY_BERT, "--query", self.query, "--layer", "7")
        broken = self.folder / "broken.safetensors"
        broken.write_bytes(b"\xff" * 64)
        self.fails(1, ["broken.safetensors"], "inspect", broken)

    def test_what_does_not_fit_exits_with_2(self):
        """Sound files, of which something is asked that they do not give: options and inputs alike."""
        narrow = write_npy(self.folder / "narrow.npy", [2, 5, 31], [0.0] * 310)
        flat = write_npy(self.folder / "flat.npy", [32], [0.0] * 32)
        whole = write_npy(self.folder / "whole.npy", [2, 5, 32], [1] * 320, "<i8")
        run = ["run", TINY_BERT, "--query"]
        for words, call in (
            (["31", "32"], [*run, narrow]),
            (["[32]"], [*run, flat]),
            (["i64", "save it as f32"], [*run, whole]),
            (["--key has"], [*run, self.query, "--key", narrow]),
            (["--mask"], [*run, self.query, "--mask", narrow]),
            (["--key-lengths holds 9"], [*run, self.query, "--key-lengths", "9,1"]),
            (["--only-heads"], [*run, self.query, "--only-heads", "7"]),
            (["31", "32"], ["verify", TINY_BERT, "--query", narrow]),
            (["31", "32"], ["explain", TINY_BERT, "--query", narrow]),
            (["31", "32"], ["profile", TINY_BERT, "--query", narrow]),
            (["shape"], ["view", "--attention", flat, "-o", self.folder / "p.html"]),
            (["shape"], ["ask-heads", "--attention", flat, "--from", "0", "--to", "1"]),
        ):
            with self.subTest(call=call):
                self.fails(2, words, *call)


class Threads(CommandTest):
    def test_a_count_is_obeyed(self):
        """On work that is worth two threads: a small call runs on one."""
        query = write_npy(self.folder / "long.npy", [8, 64, 32], [0.25] * (8 * 64 * 32))
        for count in (1, 2):
            shown = self.ok("run", TINY_BERT, "--query", query, "--threads", count, "--json").json()
            self.assertEqual(shown["threads"], count)


class Combinations(CommandTest):
    def refused(self, words, *arguments, **options):
        self.fails(2, words, "run", TINY_BERT, "--query", self.query, *arguments, **options)

    def test_options_that_need_another(self):
        self.refused(["--mask-meaning", "--mask"], "--mask-meaning", "keep")
        self.refused(["--key-padding-meaning"], "--key-padding-meaning", "drop")
        self.refused(["--values", "--json"], "--values")

    def test_a_boolean_mask_needs_a_meaning(self):
        mask = write_npy(self.folder / "mask.npy", [5, 5], [True] * 25, "|b1")
        self.refused(["mask.npy", "bool", "--mask-meaning"], "--mask", mask)

    def test_an_integer_mask_needs_a_meaning(self):
        for dtype in INTEGERS:
            mask = write_npy(self.folder / "mask.npy", [5], [1] * 5, dtype)
            kind = dtype[1] + str(8 * int(dtype[2:]))
            for role in ("mask", "key-padding"):
                words = [f"{role} {mask} is {kind}", "nonzero", f"--{role}-meaning keep or drop"]
                self.refused(words, f"--{role}", mask)

    def test_a_float_mask_has_no_meaning_to_name(self):
        for dtype, kind in (("<f2", "f16"), ("<f4", "f32"), ("<f8", "f64")):
            mask = write_npy(self.folder / "mask.npy", [5], [0] * 5, dtype)
            for role in ("mask", "key-padding"):
                words = [f"{role} {mask} is {kind}", f"--{role}-meaning"]
                self.refused(words, f"--{role}", mask, f"--{role}-meaning", "keep")
                self.fails(2, words, "verify", TINY_BERT, f"--{role}", mask, f"--{role}-meaning", "drop")

    def test_key_lengths(self):
        for text, word in (("9,-1", "-1"), ("3,,2", ""), ("2.5, 1", "2.5"), ("+5,1", "+5"), ("9" * 30, "9" * 30)):
            self.refused(["--key-lengths", f"'{word}'", f"'{text}'"], "--key-lengths", text)
        for dtype, kind in (("<f4", "f32"), ("<f8", "f64"), ("|b1", "bool")):
            path = write_npy(self.folder / "n.npy", [2], [1, 1], dtype)
            words = [f"--key-lengths {path} is {kind}", "i64"]
            self.fails(2, words, "run", TINY_BERT, "--query", self.query, "--key-lengths", path)
        path = write_npy(self.folder / "n.npy", [2], [1 << 63, 1], "<u8")
        self.fails(2, [f"--key-lengths {path}"], "run", TINY_BERT, "--query", self.query, "--key-lengths", path)

    def test_words_that_are_no_choice(self):
        self.refused(["--causal", "upper-left", "'sideways'"], "--causal", "sideways")
        self.refused(["--isa", "reference", "'mmx'"], "--isa", "mmx")
        self.refused(["--schedule", "wide"], "--schedule", "fast")

    def test_numbers(self):
        for text in ("0,5", "nan", "inf", "1e999", "", "0.5x"):
            self.refused(["--scale"], "--scale", text)
        self.refused(["--layer"], "--layer", "-1")
        self.refused(["--heads"], "--heads", "0")
        self.refused(["--repeat"], "--repeat", "0")

    def test_targets(self):
        self.refused(["no-such-folder"], "--output", self.folder / "no-such-folder" / "y.npy")
        self.refused(["/dev/null", "no regular file"], "--output", "/dev/null")
        for name, target in (("dangling", "absent.npy"), ("loop", "loop")):
            (self.folder / name).symlink_to(target)
            self.refused([name, "symbolic link"], "--output", self.folder / name)
            self.assertTrue((self.folder / name).is_symlink())
        same = self.folder / "y.npy"
        self.refused(["--output", "--attention", "same file"], "--output", same, "--attention", same)
        self.assertFalse(same.exists())

    def test_a_target_under_two_names(self):
        plain, dotted, link = self.folder / "y.npy", f"{self.folder}/./y.npy", self.folder / "link.npy"
        words = ["--output", "--attention", "same file"]
        self.refused(words, "--output", plain, "--attention", dotted)
        self.refused(words, "--output", "y.npy", "--attention", plain, cwd=self.folder)
        self.refused(words, "--output", "y.npy", "--attention", "./y.npy", cwd=self.folder)
        os.symlink(self.folder, self.folder / "elsewhere")
        self.refused(words, "--output", plain, "--attention", self.folder / "elsewhere" / "y.npy")
        self.assertFalse(plain.exists())
        write_npy(plain, [1], [1.0])
        os.symlink(plain, link)
        self.refused(["--output", "--average-attention"], "--output", plain, "--average-attention", link)

    def test_a_target_that_is_an_input(self):
        other = write_npy(self.folder / "other.npy", [2, 5, 32], wave(320))
        before = other.read_bytes()
        os.symlink(other, self.folder / "link.npy")
        names = (other, f"{self.folder}/../{self.folder.name}/other.npy", self.folder / "link.npy")
        for role in ("--key", "--value", "--mask", "--key-padding", "--key-lengths"):
            for name in names:
                self.refused([role, "--attention", "same file"], role, other, "--attention", name)
        self.refused(["--query", "--output", "same file"], "--output", self.query)
        model = self.folder / "model.safetensors"
        shutil.copy(TINY_BERT, model)
        self.fails(2, ["FILE", "--output", "same file"], "run", model, "--query", self.query, "--output", model)
        self.assertEqual(other.read_bytes(), before)

    def test_info_shows_a_bad_variable(self):
        bad = {"HEADWISE_ISA": "mmx"}
        result = self.ok("info", environment=bad)
        self.assertRegex(result.out.decode(), r"kernels +none in use: .*mmx.*HEADWISE_ISA")
        self.assertNotIn(": in use", result.out.decode())
        shown = self.ok("info", "--json", environment=bad).json()
        self.assertIsNone(shown["isa"])
        self.assertIn("mmx", shown["isa_problem"])
        self.assertIsNone(self.ok("info", "--json").json()["isa_problem"])

    def test_a_bad_variable_cannot_write_to_the_terminal(self):
        for text in ("\x1b[31mred", "a\nb", "\x9b", "\u009b31m", "x" * 5000):
            bad = {"HEADWISE_ISA": text}
            shown = self.ok("info", environment=bad).out.decode() + self.ok("info", "--json", environment=bad).json()["isa_problem"]
            self.assertNotRegex(shown.replace("\n", ""), r"[\x00-\x1f\x7f-\x9f]")
            self.assertNotIn("a\nb", shown)
            self.assertLess(len(shown), 5000)

    def test_a_bad_variable_is_named(self):
        for command in (["run", TINY_BERT, "--query", self.query], ["verify", TINY_BERT]):
            self.fails(1, ["mmx", "HEADWISE_ISA"], *command, environment={"HEADWISE_ISA": "mmx"})

    def test_an_isa_that_is_not_there(self):
        isas = self.ok("info", "--json").json()["isas"]
        for isa in isas:
            if not (isa["compiled"] and isa["present"]):
                self.fails(1, [isa["name"]], "run", TINY_BERT, "--query", self.query, "--isa", isa["name"])


if __name__ == "__main__":
    unittest.main()
