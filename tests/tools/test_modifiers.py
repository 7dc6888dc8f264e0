"""headwise run on layers that change scores and positions, and on masks of all kinds, against plain Python."""

import unittest

import layers
import modified
from command import read_npy, write_npy
from layers import HEADS, LENGTH, SIZE, WIDTH, LayerTest


class Scores(LayerTest):
    def test_norms_and_sinks_of_grouped_heads(self):
        tensors, layer = layers.rich()
        self.use(tensors)
        self.expect(layer)
        layer.epsilon = 0.5
        self.expect(layer, "--norm-epsilon", "0.5")

    def test_softcap_and_scale(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        layer.softcap, layer.scale = 0.75, 2.0
        self.expect(layer, "--softcap", "0.75", "--scale", "2")

    def test_a_key_and_value_of_the_layer_and_zeros(self):
        tensors, layer = layers.appended()
        self.use(tensors)
        self.expect(layer)
        layer.extra.append(([0.0] * WIDTH, [0.0] * WIDTH))
        self.expect(layer, "--add-zero-attention")

    def test_alibi(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        layer.slopes = [2 ** (-2 * (h + 1)) for h in range(HEADS)]
        self.expect(layer, "--position-bias", "alibi")
        layer.slopes = [2 ** (-(h + 1)) for h in range(HEADS)]
        self.expect(layer, "--position-bias", "alibi", "--alibi-slopes", "geometric", "--alibi-max", "4")

    def test_t5_comes_from_the_file(self):
        tensors, layer = layers.t5()
        self.use(tensors)
        self.expect(layer)
        layer.relative = None
        self.expect(layer, "--position-bias", "none")

    def test_windows(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        for left, right in ((2, 1), (0, 0), (3, -1), (-1, 2)):
            layer.left, layer.right = left, right
            words = ",".join("open" if side < 0 else str(side) for side in (left, right))
            self.expect(layer, "--window", words)
            self.expect(layer, f"--window={left},{right}")
        layer.left, layer.right = 2, 0
        self.expect(layer, "--window", "2,open", "--causal")

    def test_gates_and_chosen_heads(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        layer.gates = [0.5, -1.0, 0.0, 2.0]
        gate = write_npy(self.folder / "gate.npy", [HEADS], layer.gates)
        expected = [v for row in modified.attend(layer, self.rows)[0] for v in row]
        self.assert_close(self.results("--head-gate", gate)[0], expected)
        layer.gates = [1, 0, 0, 1]
        expected = [v for row in modified.attend(layer, self.rows)[0] for v in row]
        self.assert_close(self.results("--only-heads", "0,3")[0], expected)
        self.assert_close(self.results("--keep-heads", "0,3")[0], expected)


class Rotary(LayerTest):
    def test_options_describe_it(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        layer.rotary, layer.base = 4, 100.0
        self.expect(layer, "--rotary-dim", "4", "--rotary-base", "100")
        layer.interleaved, layer.rotary = True, 2
        self.expect(layer, "--rotary-dim", "2", "--rotary-base", "100", "--rotary-layout", "interleaved")

    def test_config_json_describes_it(self):
        tensors, layer = layers.plain()
        self.use(tensors, {"model_type": "llama", "num_attention_heads": HEADS, "rope_theta": 500.0})
        shown = self.ok("run", self.model, "--query", self.query, "--json").json()
        self.assertEqual((shown["config"]["rotary"]["dim"], shown["config"]["rotary"]["base"]), (SIZE, 500.0))
        layer.rotary, layer.base = SIZE, 500.0
        output = self.folder / "y.npy"
        self.ok("run", self.model, "--query", self.query, "--output", output)
        self.assert_close(read_npy(output)[1], [v for row in modified.attend(layer, self.rows)[0] for v in row])
        layer.rotary = 0
        self.expect(layer, "--rotary-dim", "0")
        self.expect(layer, "--no-model-config")
        words = ["--no-model-config", "--heads"]
        self.fails(2, words, "run", self.model, "--query", self.query, "--no-model-config")

    def test_positions_of_their_own(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        layer.rotary = 4
        ids = [0, 1, 2, 0, 1, 5, 9]
        self.expect(layer, "--rotary-dim", "4", "--position-ids", ",".join(map(str, ids)), positions=ids)

    def test_scalings(self):
        self.use(layers.plain()[0])
        plain = self.results("--rotary-dim", "4")
        for scaling in (["linear"], ["ntk"], ["yarn", "--rotary-original-positions", "4"]):
            options = ["--rotary-dim", "4", "--rotary-scaling", *scaling, "--rotary-factor", "4"]
            self.assertNotEqual(self.results(*options), plain)
        options = ["--rotary-dim", "4", "--rotary-scaling", "llama3", "--rotary-factor", "8"]
        self.assertNotEqual(self.results(*options, "--rotary-original-positions", "2"), plain)
        self.fails(2, ["--rotary-original-positions"], "run", self.model, "--heads", "4", "--query", self.query, *options)


class Sequences(LayerTest):
    def test_documents_are_sequences_of_their_own(self):
        tensors, layer = layers.plain()
        self.use(tensors)
        rows = modified.attend(layer, self.rows[:3])[0] + modified.attend(layer, self.rows[3:])[0]
        expected = [v for row in rows for v in row]
        self.assert_close(self.results("--query-documents", "5,5,5,8,8,8,8")[0], expected)
        self.query = write_npy(self.folder / "r.npy", [LENGTH, WIDTH], [v for row in self.rows for v in row])
        self.assert_close(self.results("--cumulative-query-lengths", "0,3,7")[0], expected)
        shape = read_npy(self.folder / "w.npy")[0]
        self.assertEqual(shape, [2, HEADS, 4, 4])

    def test_query_lengths_leave_zeros(self):
        self.use(layers.plain()[0])
        output = self.results("--query-lengths", "5", "--key-lengths", "5")[0]
        self.assertEqual(set(output[5 * WIDTH :]), {0.0})
        self.assertNotIn(0.0, output[: 5 * WIDTH])

    def test_an_offset_places_the_queries(self):
        self.use(layers.plain()[0])
        self.query = write_npy(self.folder / "q.npy", [1, 2, WIDTH], [v for row in self.rows[5:] for v in row])
        key = write_npy(self.folder / "k.npy", [1, LENGTH, WIDTH], [v for row in self.rows for v in row])
        by_offset = self.results("--key", key, "--causal", "--query-offsets", "5")
        self.assertEqual(self.results("--key", key, "--causal", "lower-right"), by_offset)
        self.assertEqual(self.results("--key", key, "--causal", "--causal-alignment", "lower-right"), by_offset)
        self.assertEqual(by_offset[1][:LENGTH].count(0.0), 1)


class Refusals(LayerTest):
    def refused(self, words, *options):
        self.fails(2, words, "run", self.model, "--heads", "4", "--query", self.query, *options)

    def test_options_of_another_kind(self):
        self.use(layers.plain()[0])
        w = self.folder / "w.npy"
        self.refused(["--rotary-base", "--rotary-dim"], "--rotary-base", "100")
        self.refused(["--rotary-factor", "--rotary-scaling"], "--rotary-dim", "4", "--rotary-factor", "2")
        yarn = ["--rotary-dim", "4", "--rotary-scaling", "yarn", "--rotary-original-positions", "8"]
        self.refused(["--rotary-low-frequency-factor", "llama3"], *yarn, "--rotary-low-frequency-factor", "1")
        self.refused(["--alibi-slopes", "--position-bias"], "--alibi-slopes", "geometric")
        self.refused(["--t5-max-distance", "t5"], "--position-bias", "alibi", "--t5-max-distance", "9")
        self.refused(["--top", "--top-keys"], "--top", "3")
        self.refused(["--top-keys", "--top"], "--top-keys", w)
        self.refused(["--score-stage", "--scores"], "--score-stage", "masked")
        self.refused(["--attention-heads", "--attention"], "--attention-heads", "1")
        self.refused(["--key-documents", "--query-documents"], "--key-documents", "1,2")
        self.refused(["--query-offsets", "alignment"], "--query-offsets", "0", "--causal", "upper-left")
        self.refused(["different corners"], "--causal", "upper-left", "--causal-alignment", "lower-right")
        self.refused(["--query-lengths", "exclude"], "--query-lengths", "3", "--cumulative-query-lengths", "0,7")

    def test_values_that_are_none(self):
        self.use(layers.plain()[0])
        for text in ("3", "3,", ",3", "a,b", "1,2,3", "-2,0", "1.5,0"):
            self.refused(["--window", "127,0"], f"--window={text}")
        self.refused(["--keep-heads", "'x'"], "--keep-heads", "1,x")
        self.refused(["--rotary-dim"], "--rotary-dim", "-4")
        self.refused(["--softcap", "0.125"], "--softcap", "nan")
        self.refused(["--dtype", "bf16"], "--dtype", "f64")

    def test_what_the_layer_lacks(self):
        self.use(layers.plain()[0])
        start = ["run", self.model, "--heads", "4", "--query", self.query]
        self.fails(2, ["relative bias"], *start, "--position-bias", "t5")
        self.fails(2, ["--position-ids", "rotary"], *start, "--position-ids", "0,1,2,3,4,5,6")
        self.fails(2, ["head 7"], *start, "--only-heads", "7")


if __name__ == "__main__":
    unittest.main()
