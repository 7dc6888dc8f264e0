"""Shell completion and manual pages: what they offer is what the help says, read by the shells and by groff."""

import pathlib
import re
import shutil
import subprocess
import unittest

from command import TIMEOUT, TOOL, CommandTest, every_command

COMMANDS = [*every_command(""), "completion"]


def need(program):
    """A test that could not run must not pass."""
    assert shutil.which(program), f"{program} is not installed; tools/install_packages.sh does that"
    return program


class Shells(CommandTest):
    def setUp(self):
        super().setUp()
        self.scripts = {}
        for shell in ("bash", "zsh", "fish"):
            self.scripts[shell] = self.folder / f"completion.{shell}"
            self.scripts[shell].write_bytes(self.ok("completion", shell).out)

    def options_of(self, command):
        """The names in the left column of the help."""
        text = self.ok(*([command] if command else []), "--help").out.decode()
        lines = re.findall(r"^  (-\S+)", text, re.MULTILINE)
        return sorted(name for line in lines for name in line.split(","))

    def shell(self, *arguments, **options):
        done = subprocess.run(arguments, capture_output=True, timeout=TIMEOUT, text=True, check=False, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def bash(self, *words, **options):
        """What bash offers for the last of these words, through the function that 'complete' registered."""
        line = " ".join(f"'{word}'" for word in words)
        script = f"""source '{self.scripts["bash"]}'
          registered=$(complete -p headwise) && [[ $registered == *'-F _headwise headwise' ]] || exit 1
          COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}
          _headwise headwise '{words[-1]}' '{words[-2]}'
          ((${{#COMPREPLY[@]}} == 0)) || printf '%s\\n' "${{COMPREPLY[@]}}" """
        return self.shell("bash", "--norc", "-euo", "pipefail", "-c", script, **options).splitlines()

    def test_bash_offers_every_command_and_option(self):
        self.assertEqual(sorted(self.bash("headwise", "")), sorted([*COMMANDS, *self.options_of("")]))
        self.assertEqual(self.bash("headwise", "ver"), ["verify"])
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertEqual(sorted(self.bash("headwise", command, "-")), self.options_of(command))
        self.assertEqual(self.bash("headwise", "run", "--json", "--schedule", "wide", "--attention-q"), ["--attention-queries"])

    def test_bash_offers_values(self):
        self.assertEqual(self.bash("headwise", "run", "--schedule", ""), ["auto", "wide", "deep"])
        self.assertEqual(self.bash("headwise", "run", "--schedule", "=", "d"), ["deep"])
        self.assertEqual(self.bash("headwise", "run", "--schedule", "="), ["auto", "wide", "deep"])
        self.assertIn("reference", self.bash("headwise", "verify", "--isa", "r"))
        self.assertEqual(self.bash("headwise", "run", "--threads", ""), [])
        self.assertEqual(self.bash("headwise", "bench", "--part", ""), ["layer", "core"])
        self.assertEqual(self.bash("headwise", "completion", "f"), ["fish"])

    def test_bash_offers_files(self):
        for name in ("a b.npy", "модель", "x.npy"):
            (self.folder / name).touch()
        here = {"cwd": self.folder}
        for words in (["run", "--query", ""], ["run", ""], ["bench", "-o", ""], ["bench", "--compare", ""], ["inspect", ""]):
            offered = self.bash("headwise", *words, **here)
            self.assertLessEqual({"a b.npy", "модель", "x.npy"}, set(offered), words)
        self.assertEqual(self.bash("headwise", "run", "--key-lengths", "a", **here), ["a b.npy"])
        self.assertEqual(self.bash("headwise", "info", "", **here), [])

    def test_fish_offers_the_same(self):
        def offered(line):
            text = self.shell(need("fish"), "--no-config", "-c", f"source {self.scripts['fish']}; complete -C '{line}'")
            return sorted(words.split("\t")[0] for words in text.splitlines())

        self.shell("fish", "--no-execute", self.scripts["fish"])
        self.assertEqual(offered("headwise "), sorted(COMMANDS))
        for command in COMMANDS:
            names = offered(f"headwise {command} -")
            self.assertLessEqual(set(self.options_of(command)), set(names), command)
        self.assertEqual(offered("headwise run --schedule "), ["auto", "deep", "wide"])
        self.assertEqual(offered("headwise completion "), ["bash", "fish", "zsh"])

    def test_zsh_loads_it(self):
        self.shell(need("zsh"), "-n", self.scripts["zsh"])
        script = f"autoload -Uz compinit && compinit -u -D && source {self.scripts['zsh']} && print $_comps[headwise]"
        self.assertEqual(self.shell("zsh", "-f", "-c", script), "_headwise\n")
        for command in COMMANDS:
            body = re.search(rf"^        {command}\) _arguments(.*?) ;;$", self.scripts["zsh"].read_text(), re.M | re.S)
            for name in self.options_of(command):
                self.assertRegex(body.group(1), rf"[{{,']{name}[}}\[,]", f"{command} {name}")


class Pages(CommandTest):
    def page(self, *command):
        """A manual page as groff shows it, without a warning."""
        source = self.ok("man", *command).out
        source.decode("ascii")
        shown = subprocess.run(
            [need("groff"), "-ww", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-rLL=400n"],
            input=source, capture_output=True, timeout=TIMEOUT, check=False,
        )
        self.assertEqual((shown.returncode, shown.stderr), (0, b""))
        return " ".join(shown.stdout.decode().split())

    def test_every_page_has_every_option_with_its_help(self):
        for command in ([], *([name] for name in COMMANDS)):
            page = self.page(*command)
            text = self.ok(*command, "--help", environment={"COLUMNS": "120"}).out.decode()
            entries = re.findall(r"^  (-\S+(?: \S+)?)\s+(\S.*(?:\n {30}\S.*)*)", text, re.MULTILINE)
            self.assertGreater(len(entries), 0)
            for names, words in entries:
                with self.subTest(command=command, names=names):
                    self.assertIn(names.split()[0].replace(",", ", "), page)
                    self.assertIn(" ".join(words.split()), page)

    def test_the_text_below_the_options_is_there(self):
        for name in COMMANDS:
            page = self.page(name)
            text = self.ok(name, "--help").out.decode().split("\n\n")[-2:]
            for word in " ".join(text).replace("Example:", "").split():
                self.assertIn(word, page)

    def test_pages_name_each_other_and_the_variables(self):
        page = self.page()
        for name in every_command(""):
            self.assertIn(f"headwise-{name}(1)", page)
        for name in ("HEADWISE_ISA", "OMP_NUM_THREADS", "COLUMNS", "NO_COLOR"):
            self.assertIn(name, page)
        self.assertIn("SEE ALSO headwise(1)", self.page("run"))

    def test_all_files_where_programs_look_for_them(self):
        prefix = self.folder / "usr"
        self.assertEqual(self.ok("man", "--into", prefix).out, b"")
        written = {str(path.relative_to(prefix / "share")): path.read_bytes() for path in prefix.rglob("*") if path.is_file()}
        expected = {f"man/man1/headwise-{name}.1": self.ok("man", name).out for name in COMMANDS}
        expected["man/man1/headwise.1"] = self.ok("man").out
        places = {"bash": "bash-completion/completions/headwise", "zsh": "zsh/site-functions/_headwise",
                  "fish": "fish/vendor_completions.d/headwise.fish"}
        expected |= {place: self.ok("completion", shell).out for shell, place in places.items()}
        self.assertEqual(written, expected)
        self.fails(1, ["folder"], "man", "--into", "/dev/null")
        self.fails(2, ["--into"], "man", "run", "--into", prefix)

    def test_the_build_has_written_them(self):
        share = pathlib.Path(TOOL).parent / "share"
        self.assertEqual((share / "man" / "man1" / "headwise.1").read_bytes(), self.ok("man").out)

    def test_man_finds_the_name(self):
        first = self.ok("man", "run").out.decode().splitlines()
        self.assertTrue(first[1].startswith('.TH HEADWISE\\-RUN 1 '), first[1])
        self.assertIn("headwise\\-run \\- Run one attention layer", "\n".join(first))


if __name__ == "__main__":
    unittest.main()
