"""What the library has to say that is no error reaches the users of the command, each line once."""

import os
import unittest

import layers
from command import TINY_BERT, CommandTest, wave, write_npy, write_safetensors


class Warnings(CommandTest):
    def setUp(self):
        super().setUp()
        self.long = self.folder / "long\x1b[31m.safetensors"
        self.long.write_bytes(TINY_BERT.read_bytes() + b"abcd")
        (self.folder / "config.json").write_bytes((TINY_BERT.parent / "config.json").read_bytes())

    def warned(self, words, *arguments, **options):
        """The only line on stderr."""
        result = self.ok(*arguments, **options)
        message = result.err.decode()
        self.assertTrue(message.startswith("headwise: warning: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        for word in words:
            self.assertIn(word, message)
        self.assertNotIn("\x1b", message)
        return result

    def test_bytes_that_are_not_read(self):
        words = ["long", "4 bytes behind the last tensor are not read"]
        run = ["--query", self.query, "--repeat", "1"]
        out = self.folder / "out.safetensors"
        for call in (["inspect"], ["run", *run], ["explain", *run[:2]], ["verify", *run[:2]], ["convert", out, "--force"]):
            call = [call[0], self.long, "--allow-trailing-bytes", *call[1:]]
            self.warned(words, *call)
            self.assertEqual(self.ok(*call, "--quiet").err, b"")
        self.warned(words, "inspect", self.long, "--allow-trailing-bytes", "--json").json()

    def test_biases_taken_as_zero(self):
        tensors = layers.plain()[0] | {"o_proj.bias": ([layers.WIDTH], wave(layers.WIDTH))}
        model = write_safetensors(self.folder / "b.safetensors", tensors)
        query, _ = layers.write_query(self.folder)
        call = ["run", model, "--heads", "4", "--query", query, "--repeat", "3"]
        self.warned(["taken as zero"], *call, "--allow-missing-bias")
        self.fails(1, ["--allow-missing-bias"], *call)

    def test_threads_that_did_not_come(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU: no call plans for two threads")
        query = write_npy(self.folder / "long.npy", [8, 64, 32], [0.25] * (8 * 64 * 32))
        call = ["run", TINY_BERT, "--query", query, "--threads", "2", "--repeat", "5"]
        self.warned(["planned for 2 threads got 1"], *call, environment={"OMP_THREAD_LIMIT": "1"})

    def test_nothing_to_say(self):
        self.assertEqual(self.run_tiny().err, b"")


if __name__ == "__main__":
    unittest.main()
