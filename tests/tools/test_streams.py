"""What goes to stdout and what to stderr; closed, full and broken outputs; terminals."""

import os
import pty
import signal
import subprocess
import unittest

from command import TIMEOUT, TINY_BERT, TOOL, CommandTest, every_command, every_page, run, write_npy


class Streams(CommandTest):
    def test_talk_goes_to_stderr_and_quiet_silences_it(self):
        wide = write_npy(self.folder / "wide.npy", [1, 3, 32], [0.5] * 96, "<f8")
        arguments = ["run", TINY_BERT, "--query", wide, "--json"]
        result = self.ok(*arguments)
        result.json()
        self.assertIn(b"wide.npy is f64, converted to f32", result.err)
        self.assertEqual(self.ok(*arguments, "--quiet").err, b"")

    def test_stderr_is_empty_when_there_is_nothing_to_say(self):
        for arguments in (["inspect", TINY_BERT], ["info"], ["verify", TINY_BERT]):
            self.assertEqual(self.ok(*arguments).err, b"")

    def test_quiet_still_reports_failure(self):
        self.fails(1, ["absent"], "inspect", "absent", "--quiet")

    def test_files_hold_the_results_and_nothing_is_left_beside_them(self):
        folder = self.folder / "results"
        folder.mkdir()
        self.run_tiny("--output", folder / "y.npy", "--attention", folder / "w.npy")
        self.assertEqual(sorted(p.name for p in folder.iterdir()), ["w.npy", "y.npy"])


class BrokenOutputs(CommandTest):
    """Case D03: never success when the results went nowhere."""

    def calls(self):
        for arguments in every_page(self.query).values():
            yield arguments
        for name, arguments in every_command(self.query).items():
            yield [*arguments, "--json"]
        yield [*every_command(self.query)["run"], "--output", "-"]
        yield [*every_command(self.query)["profile"], "--trace", "-"]

    def test_full_device(self):
        for arguments in self.calls():
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                self.fails(1, ["cannot write output"], *arguments, stdout=full)

    def test_closed_output(self):
        for arguments in self.calls():
            with self.subTest(arguments=arguments):
                message = self.fails(1, ["cannot write output"], *arguments, preexec_fn=lambda: os.close(1), stdout=None)
                self.assertIn("closed", message)

    def after(self, arguments, reader):
        """The exit code of a command whose output goes to a reader, and what stands on standard error."""
        line = " ".join(f"'{word}'" for word in [TOOL, *arguments])
        script = f"{line} | {reader}; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=TIMEOUT, check=False)
        return done.returncode, done.stderr

    def test_a_reader_that_stops_early(self):
        for arguments in self.calls():
            for reader in ("head -c 10", "true"):
                with self.subTest(arguments=arguments, reader=reader):
                    self.assertIn(self.after(arguments, reader), ((141, b""), (0, b"")))

    def test_much_output_ends_by_the_signal(self):
        """More than a pipe holds, so that the reader is gone before the end."""
        query = write_npy(self.folder / "long.npy", [8, 64, 32], [0.25] * (8 * 64 * 32))
        run_json = ["run", TINY_BERT, "--query", query, "--repeat", "1", "--json", "--values"]
        for arguments in (run_json, ["inspect", query, "--json", "--values"], [*run_json[:-2], "--attention", "-"]):
            for reader in ("head -c 10", "true"):
                self.assertEqual(self.after(arguments, reader), (141, b""))

    def test_a_pipe_that_was_broken_by_the_parent(self):
        """Even where the parent ignores the signal, as Python does."""
        for arguments in self.calls():
            reader, writer = os.pipe()
            os.close(reader)
            result = run(*arguments, stdout=writer)
            os.close(writer)
            self.assertEqual((result.code, result.err), (-signal.SIGPIPE, b""))

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        """The first file opened would get number 2, and messages would be written into it."""
        target = self.folder / "y.npy"
        command = [TOOL, "run", TINY_BERT, "--query", self.query, "--output", target]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.close(2), check=False)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(target.read_bytes().startswith(b"\x93NUMPY"))

    def test_an_output_that_cannot_be_written_leaves_no_file(self):
        folder = self.folder / "full"
        folder.mkdir(mode=0o500)
        if os.access(folder, os.W_OK):
            self.skipTest("this user may write anywhere")
        self.fails(1, ["y.npy"], "run", TINY_BERT, "--query", self.query, "--output", folder / "y.npy")


class Terminals(CommandTest):
    def stderr_on_terminal(self, terminal, *arguments):
        try:
            leader, follower = pty.openpty()
        except OSError as error:  # a container without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        environment = {"TERM": terminal, "NO_COLOR": "1"}
        result = run(*arguments, stderr=follower, environment=environment)
        os.close(follower)
        try:
            text = os.read(leader, 1 << 16)
        except OSError:  # nothing was written
            text = b""
        os.close(leader)
        self.assertEqual(result.code, 0, text)
        return text

    def big_file(self):
        """Zeros without blocks on disk, more than half a second of reading on any machine, so that a bar is due."""
        path = self.folder / "sparse.safetensors"
        size, count = 1 << 26, 48
        entries = ",".join(
            f'"t{i}":{{"dtype":"F32","shape":[{size >> 2}],"data_offsets":[{i * size},{(i + 1) * size}]}}'
            for i in range(count)
        )
        header = ("{" + entries + "}").encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        os.truncate(path, 8 + len(header) + size * count)
        return path

    def test_a_bar_on_a_terminal_only(self):
        path = self.big_file()
        drawn = self.stderr_on_terminal("xterm", "inspect", path)
        self.assertIn(b"\r", drawn)
        self.assertIn(b" %", drawn)
        self.assertNotIn(b"\x1b", drawn)
        for quiet in (self.stderr_on_terminal("dumb", "inspect", path), self.ok("inspect", path).err):
            self.assertEqual(quiet, b"")

    def test_no_control_bytes_of_any_command(self):
        """Case D06: neither in files nor, but for the bar, on terminals, whatever they are called."""
        calls = [*every_page(self.query).values(), ["inspect", self.big_file()]]
        for arguments in calls:
            with self.subTest(arguments=arguments):
                log = self.folder / "log"
                with open(log, "wb") as file:
                    result = run(*arguments, stderr=file)
                dumb = self.stderr_on_terminal("dumb", *arguments)
                self.assertEqual((result.code, log.read_bytes(), dumb), (0, b"", b""))
                self.assertNotIn(b"\r", result.out)
                self.assertNotIn(b"\x1b", result.out)

    def test_a_bar_leaves_the_results_alone(self):
        """Standard output in a pipe while standard error is a terminal."""
        leader, follower = pty.openpty()
        result = run("inspect", self.big_file(), "--json", stderr=follower, environment={"TERM": "xterm"})
        os.close(follower)
        self.assertIn(b"\r", os.read(leader, 1 << 16))
        os.close(leader)
        result.json()
        quiet = run("inspect", self.big_file(), "--json", "--quiet")
        self.assertEqual(quiet.err, b"")

    def test_no_control_bytes_in_a_log(self):
        result = run("run", TINY_BERT, "--query", self.folder / "a\r\x1b[31mb.npy")
        self.assertEqual(result.code, 1)
        self.assertNotIn(b"\r", result.err)
        self.assertNotIn(b"\x1b", result.err)


if __name__ == "__main__":
    unittest.main()
