"""A decimal comma in the host's locale changes no byte, of the command and of the library (case D01)."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from command import TIMEOUT, TINY_BERT, CommandTest, every_command, every_page, run, wave, write_npy, write_safetensors
from command import identity, zeros

HOST = os.environ["HEADWISE_LOCALE_HOST"]
TIMES = re.compile(rb'"(milliseconds|gigaflops_per_second|timed_calls)":[^,}]*')


class Locales(CommandTest):
    """Debian has no such locale by default, so the tests make it."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        target = os.path.join(folder.name, "de_DE.UTF-8")
        done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", target], capture_output=True, check=False)
        assert os.path.isdir(target), f"no German locale to test with: {done.stderr}"
        cls.german = {"LC_ALL": "de_DE.UTF-8", "LOCPATH": folder.name}
        show = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
        shown = subprocess.run([sys.executable, "-c", show], env={**os.environ, **cls.german}, capture_output=True, check=True)
        assert shown.stdout == b",\n", "the German locale is not in force"

    def both(self, *arguments, code=0):
        plain = run(*arguments, environment={"LC_ALL": "C"})
        german = run(*arguments, environment=self.german)
        self.assertEqual((plain.code, german.code), (code, code), plain.err + german.err)
        return plain, german

    def same(self, *arguments, code=0):
        plain, german = self.both(*arguments, code=code)
        self.assertEqual(TIMES.sub(b"", plain.out), TIMES.sub(b"", german.out))
        self.assertEqual(plain.err, german.err)
        return plain

    def test_every_command_reads_and_writes_the_same(self):
        query = write_npy(self.folder / "long.npy", [1, 12, 32], wave(384))
        scaled = ["--query", query, "--scale", "0.125", "--softcap", "1234.5"]
        for name in ("run", "explain", "verify"):
            more = ["--repeat", "1", "--values"] if name == "run" else []
            shown = self.same(name, TINY_BERT, *scaled, *more, "--json").json()
            self.assertEqual((shown["config"]["scale"], shown["config"]["softcap"]), (0.125, 1234.5))
        self.same("explain", TINY_BERT, *scaled)
        self.same("verify", TINY_BERT, *scaled)
        values = write_npy(self.folder / "x.npy", [3], [0.5, 1234.5, 1e-5])
        for arguments in ([TINY_BERT], [TINY_BERT, "--json"], [values], [values, "--json", "--values"]):
            self.same("inspect", *arguments)

    def test_every_page(self):
        for name, arguments in every_page(self.query).items():
            if name not in every_command(self.query):
                with self.subTest(name=name):
                    self.same(*arguments)

    def test_figures_of_measurements_have_points(self):
        for name in ("run", "profile", "bench", "info"):
            with self.subTest(name=name):
                german = self.both(*every_command(self.query)[name])[1].out.decode()
                self.assertIsNone(re.search(r"\d,\d+ ", german), german)

    def test_records_of_bench(self):
        path = self.folder / "old.json"
        self.ok("bench", "--shapes", "1x16x32x4", "--min-time", "0.001", "--rounds", "2", "-o", path, environment=self.german)
        for form in ("table", "markdown", "csv", "json"):
            self.same("bench", "--results", path, "--compare", path, "--format", form)

    def test_arguments_with_commas_are_refused(self):
        for option in ("--scale", "--softcap"):
            self.same("run", TINY_BERT, "--query", self.query, option, "0,5", code=2)
        self.same("bench", "--min-time", "0,1", code=2)

    def test_messages_with_numbers(self):
        """Thousands would get a dot, and what is cut off a file is told in bytes."""
        short = self.folder / "short.safetensors"
        short.write_bytes(TINY_BERT.read_bytes()[:-12345])
        self.same("inspect", short, code=1)
        narrow = write_npy(self.folder / "narrow.npy", [1, 2, 1234], [0.5] * 2468)
        self.same("run", TINY_BERT, "--query", narrow, code=2)

    def host(self, environment, folder):
        config = '{"num_attention_heads": 2, "rms_norm_eps": 1e-5, "attn_logit_softcapping": 1234.5}'
        pathlib.Path(folder, "config.json").write_text(config)
        done = subprocess.run([HOST, folder], env={**os.environ, **environment}, capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_the_library_in_a_host_that_sets_its_locale(self):
        """The host calls setlocale and std::locale::global with what the environment says, then uses the library."""
        model = {f"w_{part}.{kind}": identity(8) if kind == "weight" else zeros(8) for part in "qkvo" for kind in ("weight", "bias")}
        write_safetensors(self.folder / "model.safetensors", model)
        plain, german = self.host({"LC_ALL": "C"}, self.folder), self.host(self.german, self.folder)
        self.assertIn(b"decimal point .", plain.stderr)
        self.assertIn(b"decimal point ,", german.stderr)
        self.assertEqual(plain.stdout, german.stdout)
        self.assertIn(b"1234.5", plain.stdout)


if __name__ == "__main__":
    unittest.main()
