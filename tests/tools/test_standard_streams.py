"""'-' among the files of a command line: arrays and texts through pipes."""

import json
import os
import pty
import struct
import subprocess
import threading
import unittest

from command import TIMEOUT, TINY_BERT, TOOL, CommandTest, Result, run, wave, write_npy

RUN = ["run", TINY_BERT, "--repeat", "1"]


def piped(data, *arguments, pieces=1):
    """Runs the command on bytes that come through a pipe, which cannot be sought in, in so many pieces."""
    process = subprocess.Popen(
        [TOOL, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )

    def feed():
        step = -(-len(data) // pieces) or 1
        try:
            for at in range(0, len(data), step):
                process.stdin.write(data[at : at + step])
                process.stdin.flush()
            process.stdin.close()
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    with process.stdout, process.stderr:
        out, err = process.stdout.read(), process.stderr.read()
    process.wait(TIMEOUT)
    feeder.join()
    return Result(subprocess.CompletedProcess([], process.returncode, out, err))


class Arrays(CommandTest):
    def setUp(self):
        super().setUp()
        self.files = {
            "--query": self.query,
            "--key": write_npy(self.folder / "key.npy", [2, 4, 32], wave(256, 0.3)),
            "--mask": write_npy(self.folder / "mask.npy", [5, 4], [0.0, -1.0] * 10),
            "--key-lengths": write_npy(self.folder / "lengths.npy", [2], [3, 4], "<i8"),
            "--head-gate": write_npy(self.folder / "gate.npy", [4], [1.0, 0.5, 0.0, 2.0]),
        }

    def call(self, through=None):
        words = []
        for option, path in self.files.items():
            words += [option, "-" if option == through else path]
        return [*RUN, *words]

    def test_every_kind_of_input_comes_through_a_pipe(self):
        self.ok(*self.call(), "--output", self.folder / "expected.npy")
        expected = (self.folder / "expected.npy").read_bytes()
        for option, path in self.files.items():
            for pieces in (1, 97):
                with self.subTest(option=option, pieces=pieces):
                    result = piped(path.read_bytes(), *self.call(option), "--output", "-", pieces=pieces)
                    self.assertEqual((result.code, result.err), (0, b""))
                    self.assertEqual(result.out, expected)

    def test_other_commands_read_the_same(self):
        for command in (["explain", TINY_BERT], ["verify", TINY_BERT], ["profile", TINY_BERT, "--no-limits"]):
            with self.subTest(command=command[0]):
                result = piped(self.query.read_bytes(), *command, "--query", "-", "--json")
                self.assertEqual((result.code, result.err), (0, b""))
                self.assertEqual(result.json()["inputs"]["query"], {"shape": [2, 5, 32], "dtype": "f32", "file": "-"})

    def test_a_file_on_standard_input(self):
        with open(self.query, "rb") as file:
            result = run(*RUN, "--query", "-", stdin=file)
        self.assertEqual(result.code, 0, result.err)
        self.assertIn(b"from standard input", result.out)

    def test_inspect(self):
        shown = piped(self.query.read_bytes(), "inspect", "-", "--json", "--values").json()
        self.assertEqual((shown["shape"], shown["file"]), ([2, 5, 32], "-"))
        self.assertIn(b"standard input: [2, 5, 32] f32", piped(self.query.read_bytes(), "inspect", "-").out)

    def test_a_conversion_names_the_source(self):
        wide = write_npy(self.folder / "wide.npy", [1, 3, 32], [0.5] * 96, "<f8")
        self.assertIn(b"query standard input is f64", piped(wide.read_bytes(), *RUN, "--query", "-").err)

    def test_every_result_goes_to_standard_output(self):
        for option in ("--output", "--attention", "--column-sums", "--log-sum-exp"):
            path = self.folder / "result.npy"
            self.ok(*self.call(), option, path)
            result = self.ok(*self.call(), option, "-")
            self.assertEqual((result.out, result.err), (path.read_bytes(), b""), option)

    def test_one_command_feeds_the_next(self):
        first = " ".join(f"'{word}'" for word in [TOOL, *self.call("--query"), "--output", "-"])
        second = f"'{TOOL}' inspect - --json --values"
        line = f"set -o pipefail; cat '{self.query}' | {first} | {second}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=TIMEOUT, check=True)
        self.ok(*self.call(), "--output", self.folder / "y.npy")
        values = json.loads(done.stdout)["values"]
        self.assertEqual(struct.pack(f"<{len(values)}f", *values), self.folder.joinpath("y.npy").read_bytes()[-4 * len(values) :])

    def test_a_file_of_that_name(self):
        name = self.folder / "-"
        write_npy(name, [1, 2, 32], wave(64))
        self.ok(*RUN, "--query", "./-", "--output", "./-.npy", cwd=self.folder)
        self.assertTrue((self.folder / "-.npy").exists())


class Refusals(CommandTest):
    def test_standard_input_serves_one_option(self):
        for more in (["--key", "-"], ["--mask", "-"], ["--key-lengths", "-"]):
            result = piped(self.query.read_bytes(), *RUN, "--query", "-", *more)
            self.assertEqual(result.code, 2)
            self.assertIn(b"once only", result.err)

    def test_standard_output_serves_one_result(self):
        for more, word in ((["--attention", "-"], "--attention"), (["--json"], "--json")):
            self.fails(2, ["--output", word, "standard output"], *RUN, "--query", self.query, "--output", "-", *more)
        profile = ["profile", TINY_BERT, "--no-limits", "--trace", "-"]
        self.fails(2, ["--trace", "--json"], *profile, "--json")
        self.fails(2, ["--trace", "--html"], "profile", TINY_BERT, "--trace", "-", "--html", "-")
        self.fails(2, ["--output", "--format"], "bench", "--output", "-")

    def test_weight_files_are_files(self):
        for command in (["run", "-", "--query", self.query], ["verify", "-"], ["explain", "-"], ["profile", "-"],
                        ["bench", "-", "--shapes", "1x8"]):
            self.fails(2, ["FILE", "'-'"], *command)

    def test_what_is_no_array(self):
        whole = self.query.read_bytes()
        for data, word in ((b"", b"empty"), (TINY_BERT.read_bytes(), b"magic"), (whole[:-4], b"4 bytes"), (whole[:30], b"ends"),
                           (b"\x93NUMPY", b"ends")):
            for arguments in ([*RUN, "--query", "-"], ["inspect", "-"]):
                result = piped(data, *arguments)
                self.assertEqual((result.code, result.out), (1, b""))
                self.assertIn(b"standard input", result.err)
                self.assertIn(word, result.err)
                self.assertEqual(result.err.count(b"\n"), 1)

    def test_an_endless_source_is_left_at_once(self):
        with open("/dev/zero", "rb") as zeros:
            result = run("inspect", "-", stdin=zeros)
        self.assertEqual(result.code, 1)
        self.assertIn(b"magic", result.err)

    def test_a_closed_input(self):
        self.fails(1, ["standard input is empty"], *RUN, "--query", "-", preexec_fn=lambda: os.close(0), stdin=None)

    def test_terminals(self):
        try:
            leader, follower = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        self.fails(2, ["terminal"], *RUN, "--query", "-", stdin=follower)
        result = run(*RUN, "--query", self.query, "--output", "-", stdout=follower)
        os.close(follower)
        os.close(leader)
        self.assertEqual(result.code, 2)
        self.assertIn(b"--output", result.err)


class Texts(CommandTest):
    QUICK = ["--min-time", "0.001", "--rounds", "1"]

    def test_shapes(self):
        result = piped(b"1x8x32x4 causal\n", "bench", "--shape-file", "-", *self.QUICK, "--json")
        self.assertEqual([(r["shape"], r["ask"]) for r in result.json()["records"]], [("1x8x32x4", "causal")])
        wrong = piped(b"1x8\n1x\n", "bench", "--shape-file", "-")
        self.assertEqual(wrong.code, 1)
        self.assertIn(b"standard input, line 2", wrong.err)

    def test_records(self):
        made = self.ok("bench", "--shapes", "1x8x32x4", *self.QUICK, "--json").out
        old = self.folder / "old.json"
        old.write_bytes(made)
        for arguments in (["--results", "-"], ["--results", "-", "--compare", old], ["--results", old, "--compare", "-"]):
            result = piped(made, "bench", *arguments, "--json")
            self.assertEqual((result.code, result.err), (0, b""))
        self.assertEqual(piped(made, "bench", "--results", "-", "--compare", "-").code, 2)
        self.assertIn(b"standard input cannot be used", piped(b"{}", "bench", "--results", "-").err)
        self.assertIn(b"empty", piped(b"", "bench", "--results", "-").err)

    def test_reports(self):
        call = ["profile", TINY_BERT, "--repeat", "1"]
        self.assertTrue(json.loads(self.ok(*call, "--no-limits", "--trace", "-").out)["traceEvents"])
        page = self.ok(*call, "--html", "-").out
        self.assertTrue(page.lstrip().lower().startswith(b"<!doctype html"), page[:80])


if __name__ == "__main__":
    unittest.main()
