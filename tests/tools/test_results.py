"""What headwise run may be asked for beside its output, types of activations, and decoding through a cache."""

import math
import unittest

import layers
import modified
from command import read_npy, write_npy
from layers import HEADS, LENGTH, SIZE, WIDTH, LayerTest


class Results(LayerTest):
    def setUp(self):
        super().setUp()
        self.use(layers.plain()[0])
        self.output, self.weights = self.results("--window", "2,2")

    def file(self, name, *options):
        path = self.folder / "result.npy"
        self.assertEqual(self.results("--window", "2,2", "--" + name, path, *options)[0], self.output)
        return read_npy(path) if name != "top-keys" else path

    def rows_of_weights(self):
        return [self.weights[i : i + LENGTH] for i in range(0, len(self.weights), LENGTH)]

    def test_scores_of_each_stage(self):
        shape, masked = self.file("scores", "--score-stage", "masked")
        self.assertEqual(shape, [1, HEADS, LENGTH, LENGTH])
        self.assertEqual([s == -math.inf for s in masked], [w == 0 for w in self.weights])
        scaled = self.file("scores")[1]
        self.assertTrue(all(math.isfinite(s) for s in scaled))
        path = self.folder / "capped.npy"
        self.run_layer("--scores", path, "--score-stage", "capped", "--softcap", "0.25")
        self.assert_close(read_npy(path)[1], [0.25 * math.tanh(4 * s) for s in scaled])
        sums = self.file("log-sum-exp")
        self.assertEqual(sums[0], [1, HEADS, LENGTH])
        self.assert_close([math.exp(s - sums[1][i // LENGTH]) for i, s in enumerate(masked)], self.weights)

    def test_sums_of_columns(self):
        shape, sums = self.file("column-sums")
        self.assertEqual(shape, [1, HEADS, LENGTH])
        rows = self.rows_of_weights()
        expected = [sum(r[j] for r in rows[h * LENGTH : (h + 1) * LENGTH]) for h in range(HEADS) for j in range(LENGTH)]
        self.assert_close(sums, expected)

    def test_top_weights_and_keys(self):
        shape, top = self.file("top-weights", "--top", "2")
        self.assertEqual(shape, [1, HEADS, LENGTH, 2])
        self.assertEqual(top, [w for row in self.rows_of_weights() for w in sorted(row, reverse=True)[:2]])
        keys = self.ok("inspect", self.file("top-keys", "--top", "2"), "--json", "--values").json()
        self.assertEqual(keys["dtype"], "i64")
        chosen = [row[k] for i, row in enumerate(self.rows_of_weights()) for k in keys["values"][2 * i : 2 * i + 2]]
        self.assertEqual(chosen, top)

    def test_heads_add_up_to_the_output(self):
        shape, parts = self.file("head-contribution")
        self.assertEqual(shape, [1, HEADS, LENGTH, WIDTH])
        size = LENGTH * WIDTH
        self.assert_close([sum(parts[h * size + c] for h in range(HEADS)) for c in range(size)], self.output)
        self.assertEqual(self.file("head-context")[0], [1, HEADS, LENGTH, SIZE])

    def test_chosen_heads_and_rows(self):
        path = self.folder / "some.npy"
        self.run_layer("--window", "2,2", "--attention", path, "--attention-heads", "2,0", "--attention-queries", "6")
        shape, some = read_npy(path)
        self.assertEqual(shape, [1, 2, 1, LENGTH])
        rows = self.rows_of_weights()
        self.assertEqual(some, rows[2 * LENGTH + 6] + rows[6])

    def test_types_of_activations(self):
        for dtype, tolerance in (("f16", 5e-3), ("bf16", 5e-2)):
            shown = self.run_layer("--dtype", dtype, "--json", "--values", "--window", "2,2").json()
            self.assertEqual((shown["inputs"]["query"]["dtype"], shown["outputs"]["output"]["dtype"]), (dtype, dtype))
            self.assert_close(shown["outputs"]["output"]["values"], self.output, tolerance)
        self.assertIn(b"output is bf16, written as f32", self.run_layer("--dtype", "bf16", "--output", self.query.parent / "y.npy").err)


class Cache(LayerTest):
    def decoded(self, *options):
        output = self.folder / "y.npy"
        self.run_layer("--output", output, *options)
        return read_npy(output)[1]

    def test_token_by_token_is_causal(self):
        tensors, layer = layers.rich()
        self.use(tensors)
        layer.rotary = 4
        layer.right = 0
        rotary = ["--rotary-dim", "4"]
        expected = [v for row in modified.attend(layer, self.rows)[0] for v in row]
        self.assert_close(self.decoded("--cache-capacity", LENGTH, *rotary), expected)
        self.assert_close(self.decoded("--cache-capacity", "99", "--cache-type", "f16", *rotary), expected, 5e-3)
        layer.left = 2
        expected = [v for row in modified.attend(layer, self.rows)[0] for v in row]
        self.assert_close(self.decoded("--cache-capacity", "3", "--cache-circular", *rotary), expected)
        self.assert_close(self.decoded("--cache-capacity", "7", "--window", "2,0", *rotary), expected)

    def test_what_it_tells(self):
        self.use(layers.plain()[0])
        shown = self.run_layer("--cache-capacity", "8", "--json").json()
        self.assertEqual((shown["cache"]["capacity"], shown["cache"]["bytes"]), (8, 2 * 8 * WIDTH * 4))
        self.assertGreater(shown["cache"]["tokens_per_second"], 0)
        self.assertIn("tokens/s", self.run_layer("--cache-capacity", "8").out.decode())

    def test_what_it_refuses(self):
        self.use(layers.plain()[0])
        start = ["run", self.model, "--heads", "4", "--query", self.query]
        self.fails(2, ["--cache-capacity 3", "7 tokens", "--cache-circular"], *start, "--cache-capacity", "3")
        cached = [*start, "--cache-capacity", "9"]
        self.fails(2, ["--key-lengths", "--cache-capacity"], *cached, "--key-lengths", "3")
        self.fails(2, ["--attention", "--cache-capacity"], *cached, "--attention", self.folder / "w.npy")
        empty = write_npy(self.folder / "e.npy", [1, 0, WIDTH], [])
        nothing = ["run", self.model, "--heads", "4", "--query", empty, "--cache-capacity", "3"]
        self.fails(2, ["no token"], *nothing)
        self.fails(2, ["--cache-type"], *start, "--cache-type", "f16")


if __name__ == "__main__":
    unittest.main()
