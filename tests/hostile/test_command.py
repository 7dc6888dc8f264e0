"""The command on full disks, limited files, forbidden files and files that are none."""

import os
import pathlib
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

from command import TINY_BERT, TOOL, CommandTest, run, wave, write_npy  # noqa: E402

NOBODY = 65534


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


class Outputs(CommandTest):
    """Whatever stops a write: one line that names the file, the old file as it was, nothing beside it."""

    def setUp(self):
        super().setUp()
        self.query = write_npy(self.folder / "long.npy", [8, 64, 32], wave(8 * 64 * 32))
        self.results = self.folder / "results"
        self.results.mkdir()

    def arguments(self, folder):
        return ["run", TINY_BERT, "--query", self.query, "--repeat", "1", "--output", folder / "y.npy"]

    def check_failure(self, folder, word, **options):
        self.fails(1, ["y.npy", word], *self.arguments(folder), **options)
        self.assertEqual(names_in(folder), [])
        (folder / "y.npy").write_bytes(b"old")
        self.fails(1, ["y.npy", word], *self.arguments(folder), **options)
        self.assertEqual(names_in(folder), ["y.npy"])
        self.assertEqual((folder / "y.npy").read_bytes(), b"old")

    def test_a_limit_on_the_size_of_files(self):
        limit = (16384, 16384)
        self.check_failure(
            self.results, "File too large", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        )

    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", disk]
        mounted = subprocess.run(mount, check=False, capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("A FULL DISK IS NOT TESTED: mounting one needs root; test_hostile has the failing writes")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.check_failure(disk, "No space left")

    def test_a_full_disk_behind_standard_output(self):
        with open("/dev/full", "wb") as full:
            arguments = [*self.arguments(self.results)[:-2], "--json", "--values"]
            self.fails(1, ["cannot write output", "No space left"], *arguments, stdout=full)

    def test_a_folder_that_may_not_be_written(self):
        self.results.chmod(0o555)
        self.folder.chmod(0o755)
        options = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        tool = shutil.copy(TOOL, self.folder / "tool")  # the tool itself may lie where nobody may look
        model = shutil.copy(TINY_BERT, self.folder / "model.safetensors")
        command = [tool, "run", model, "--heads", "4", "--query", self.query, "--output", self.results / "y.npy"]
        done = subprocess.run(command, capture_output=True, check=False, timeout=60, cwd="/", **options)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"Permission denied", done.stderr)
        self.assertEqual(names_in(self.results), [])


class Inputs(CommandTest):
    """What can stand in the place of a weight file or an array: one line that names it, at once."""

    def make_kinds(self):
        os.mkfifo(self.folder / "fifo")
        (self.folder / "folder.npy").mkdir()
        (self.folder / "empty").touch()
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "dangling").symlink_to("absent")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "socket"))
        kinds = [self.folder / name for name in ("fifo", "folder.npy", "empty", "loop", "dangling", "socket", "absent")]
        return kinds + [pathlib.Path(path) for path in ("/dev/zero", "/dev/null", "/proc/self/status")]

    def test_no_kind_of_file_makes_the_command_wait_or_crash(self):
        for path in self.make_kinds():
            with self.subTest(path=str(path)):
                self.fails(1, [path.name], "inspect", path, timeout=20)
                self.fails(1, [path.name], "run", TINY_BERT, "--query", path, timeout=20)

    def test_every_damaged_case_is_refused_in_one_line(self):
        cases = pathlib.Path(TINY_BERT).parents[1] / "cases"
        verdicts = [line.split("\t") for line in (cases / "verdicts.tsv").read_text().splitlines() if line[0] != "#"]
        damaged = [name for name, verdict, _ in verdicts if verdict == "bad_file"]
        self.assertGreater(len(damaged), 40)
        for name in damaged:
            with self.subTest(name=name):
                if name.endswith(".npy"):
                    self.fails(1, [name], "run", TINY_BERT, "--query", cases / name, timeout=20)
                else:
                    self.fails(1, [name], "inspect", cases / name, timeout=20)

    def test_a_large_sparse_file_costs_what_is_needed(self):
        """5 GiB of zeros behind the header, none of which a layer needs."""
        path = self.folder / "sparse.safetensors"
        size = 5 << 30
        header = b'{"t":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (size, size)
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        os.truncate(path, 8 + len(header) + size)
        result = run("run", path, "--query", self.query, "--heads", "1", timeout=20)
        self.assertEqual(result.code, 1)
        self.assertIn(b"no attention layer", result.err)


if __name__ == "__main__":
    tempfile.tempdir = os.path.realpath(tempfile.gettempdir())
    unittest.main()
