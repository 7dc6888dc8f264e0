"""headwise and the reference readers give the same verdict on every crafted file, but for the listed differences."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from crafted import write_files
from crafted_layouts import crafted_safetensors
from crafted_npy import crafted_npy
from differences import stricter_files

HERE = pathlib.Path(__file__).resolve().parent
JUDGE = os.environ["HEADWISE_JUDGE"]


def split_lines(text):
    """File name -> verdict and content, or verdict, code and message."""
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {pathlib.Path(fields[0]).name: fields[1:] for fields in lines}


def headwise_verdicts(files):
    with tempfile.TemporaryDirectory() as folder:
        write_files(files, folder)
        paths = "".join(f"{folder}/{file.name}\n" for file in files)
        done = subprocess.run([JUDGE], input=paths, capture_output=True, text=True, check=True, timeout=200)
    return split_lines(done.stdout)


class Verdicts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.safetensors, cls.npy = crafted_safetensors(), crafted_npy()
        cls.found = headwise_verdicts(cls.safetensors + cls.npy)
        cls.reference = split_lines((HERE / "reference.tsv").read_text())

    def test_there_are_many_files_of_both_verdicts(self):
        for files, least in ((self.safetensors, 200), (self.npy, 80)):
            verdicts = [self.reference[file.name][0] for file in files]
            self.assertGreaterEqual(len(files), least)
            for verdict in ("accepts", "refuses"):
                self.assertGreaterEqual(verdicts.count(verdict), least // 4)

    def test_every_file_has_a_verdict_of_the_reference(self):
        self.assertEqual(set(self.found), set(self.reference), "tests/verdicts/run.sh --write makes reference.tsv anew")

    def test_the_verdicts_differ_only_where_listed(self):
        differing = {name for name, fields in self.found.items() if fields[0] != self.reference[name][0]}
        self.assertEqual(sorted(differing - stricter_files()), [])
        self.assertEqual(sorted(stricter_files() - differing), [], "listed as different, but alike")

    def test_headwise_is_never_the_more_lenient_one(self):
        for name, fields in self.found.items():
            self.assertNotEqual((fields[0], self.reference[name][0]), ("accepts", "refuses"), name)

    def test_what_both_accept_holds_the_same(self):
        for name, fields in self.found.items():
            if fields[0] == self.reference[name][0] == "accepts":
                self.assertEqual(fields[1], self.reference[name][1], name)

    def test_a_refusal_names_the_file_and_is_one_printable_line(self):
        for name, fields in self.found.items():
            if fields[0] == "refuses":
                self.assertIn(fields[1], ("bad_file", "unsupported"), name)
                self.assertIn(name, fields[2])
                self.assertTrue(fields[2].isprintable(), name)
                self.assertLess(len(fields[2]), 1000, name)


if __name__ == "__main__":
    unittest.main()
