"""headwise explain: what run would do, told before anything is computed."""

import unittest

import layers
from command import TINY_BERT, CommandTest, write_npy


class Explain(CommandTest):
    def test_it_is_what_run_does(self):
        told = self.ok("explain", TINY_BERT, "--query", self.query, "--json").json()
        done = self.run_tiny("--json").json()
        for key in ("isa", "kernel", "schedule", "threads", "scratch_bytes", "steps", "flops", "live_pairs", "reasons"):
            self.assertEqual(told[key], done[key], key)
        self.assertGreater(told["flops"], 0)
        self.assertEqual(told["live_pairs"], 2 * 4 * 5 * 5)

    def test_nothing_is_written(self):
        target = self.folder / "w.npy"
        told = self.ok("explain", TINY_BERT, "--query", self.query, "--average-attention", target, "--json").json()
        self.assertFalse(target.exists())
        self.assertEqual(told["outputs"], ["output", "average_attention"])
        self.assertTrue(any("average_attention" in reason for reason in told["reasons"]))

    def test_people_see_kernel_steps_and_reasons(self):
        text = self.ok("explain", TINY_BERT, "--isa", "reference", "--length", "9").out.decode()
        for word in ("reference", "scratch", "FLOP", "ProjectQkv", "Attend", "Why it is not faster", "asked for"):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text[text.index("step ") :].splitlines())), 80)

    def test_sizes_instead_of_files(self):
        told = self.ok("explain", "--width", "64", "--heads", "8", "--kv-heads", "2", "--length", "40", "--json").json()
        self.assertIsNone(told["file"])
        self.assertEqual((told["config"]["num_kv_heads"], told["config"]["head_dim"]), (2, 8))
        self.assertEqual(told["inputs"]["query"]["shape"], [1, 40, 64])
        causal = self.ok("explain", "--width", "64", "--heads", "8", "--length", "40", "--causal", "--json").json()
        self.assertEqual(causal["live_pairs"], 8 * 40 * 41 / 2)
        window = ["--window", "3,0", "--batch", "2", "--key-length", "50", "--causal-alignment", "lower-right"]
        told = self.ok("explain", "--width", "64", "--heads", "8", "--length", "40", *window, "--json").json()
        self.assertEqual(told["live_pairs"], 2 * 8 * 40 * 4)

    def test_a_step_of_decoding(self):
        told = self.ok("explain", TINY_BERT, "--cache-capacity", "100", "--json").json()
        self.assertEqual((told["kernel"], told["cached_tokens"], told["live_pairs"]), ("few queries", 99, 4 * 100))

        start = [TINY_BERT, "--query", self.query, "--json"]
        options = [*start, "--cache-capacity", "8"]
        told, done = self.ok("explain", *options).json(), self.ok("run", *options).json()
        self.assertEqual((told["steps"], told["live_pairs"]), (done["steps"], done["live_pairs"]))
        self.assertEqual((told["cached_tokens"], told["live_pairs"]), (4, 2 * 4 * 5))
        circular = ["--cache-capacity", "3", "--cache-circular"]
        self.assertEqual(self.ok("explain", *start, *circular).json()["live_pairs"], 2 * 4 * 3)
        self.fails(2, ["--key-lengths"], "explain", *options, "--key-lengths", "3,3")

    def test_layers_with_everything(self):
        model = layers.write_layer(self.folder, layers.rich()[0])
        query, _ = layers.write_query(self.folder)
        options = ["--heads", "4", "--rotary-dim", "4", "--softcap", "30"]
        text = self.ok("explain", model, "--query", query, *options).out.decode()
        for word in ("rotary 4 half-split", "softcap 30", "norms", "sinks", "on 2 key/value heads"):
            self.assertIn(word, text)

    def test_refusals(self):
        self.fails(2, ["FILE", "--width", "--heads"], "explain")
        self.fails(2, ["--width", "without FILE"], "explain", TINY_BERT, "--width", "64")
        self.fails(2, ["--length", "without --query"], "explain", TINY_BERT, "--query", self.query, "--length", "4")
        self.fails(2, ["--key", "--query"], "explain", TINY_BERT, "--key", self.query)
        self.fails(1, ["absent"], "explain", self.folder / "absent")
        wrong = write_npy(self.folder / "n.npy", [3], [1, 1, 1], "<i8")
        self.fails(2, ["--key-lengths", "[3]"], "explain", TINY_BERT, "--query", self.query, "--key-lengths", wrong)


class NothingIsRun(CommandTest):
    def test_results_that_no_machine_could_hold(self):
        """16 TB of weights have a plan all the same."""
        wanted = ["--width", "64", "--heads", "4", "--length", "1000000", "--attention", self.folder / "w.npy"]
        shown = self.ok("explain", *wanted, "--json").json()
        self.assertIn("attention", shown["outputs"])
        huge = ["--width", "4", "--heads", "4", "--length", "10000000", "--attention", self.folder / "w.npy"]
        self.fails(1, ["more than this system addresses"], "explain", *huge)


if __name__ == "__main__":
    unittest.main()
