"""C13: a kernel file is compiled for no feature of a CPU that the dispatcher does not ask for.

The build's own commands are read from compile_commands.json: the -m flags of each file in isa/ must be the list that it
gets as HEADWISE_FEATURES and that its table carries to the dispatcher, and the compiler, asked for its macros, must not
enable more with all flags of the file than these features imply.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

# Of instruction sets; __SSE_MATH__ and its like say how they are used.
FEATURE_MACRO = re.compile(r"__(SSE|SSSE|AVX|FMA|POPCNT|BMI|LZCNT|F16C|GFNI|VAES|VPCLMUL|AMX|EVEX|XOP|MOVBE)[A-Z0-9_]*__")


def kernel_commands():
    commands = json.loads(pathlib.Path(os.environ["HEADWISE_COMPILE_COMMANDS"]).read_text())
    for command in commands:
        if "/engine/kernels/isa/" in command["file"]:
            yield pathlib.Path(command["file"]).stem, shlex.split(command["command"])


def features_of(words):
    definition = next(word for word in words if word.startswith("-DHEADWISE_FEATURES="))
    return definition.split("=", 1)[1].strip('"').split()


def flags_of(words):
    return [word for word in words if word.startswith(("-m", "-f", "-O"))]


def macros_with(compiler, flags):
    command = [compiler, *flags, "-dM", "-E", "-x", "c++", "/dev/null"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[1] for line in lines}
    return {name for name in names if FEATURE_MACRO.fullmatch(name) and not name.endswith("_MATH__")}


class Features(unittest.TestCase):
    def setUp(self):
        self.commands = dict(kernel_commands())

    def test_every_file_is_there(self):
        self.assertEqual(set(self.commands), {"sse2", "avx2", "avx512"})

    def test_flags_are_the_list(self):
        for isa, words in self.commands.items():
            with self.subTest(isa):
                machine_flags = [word[2:] for word in words if word.startswith("-m")]
                self.assertEqual(machine_flags, features_of(words))

    def test_no_more_is_enabled_than_the_list_implies(self):
        for isa, words in self.commands.items():
            with self.subTest(isa):
                compiler = next(word for word in words if "ccache" not in word)
                implied = macros_with(compiler, [])
                for feature in features_of(words):
                    implied |= macros_with(compiler, ["-m" + feature])
                self.assertEqual(macros_with(compiler, flags_of(words)) - implied, set())


if __name__ == "__main__":
    unittest.main()
