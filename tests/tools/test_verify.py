"""headwise verify: every layer that loads is held against its definition in double, on every instruction set."""

import unittest

import layers
from command import TINY_BERT, CommandTest, wave, write_npy, write_safetensors


class Verify(CommandTest):
    def setUp(self):
        super().setUp()
        known = self.ok("info", "--json").json()["isas"]
        self.isas = [isa["name"] for isa in known if isa["compiled"] and isa["present"]]
        self.query, _ = layers.write_query(self.folder, batch=2)

    def passes(self, tensors, *options, config=None):
        model = layers.write_layer(self.folder, tensors, config)
        heads = () if config else ("--heads", "4")
        for isa in self.isas:
            shown = self.ok("verify", model, *heads, "--isa", isa, "--json", *options).json()
            self.assertEqual((shown["isa"], shown["passed"]), (isa, True))
            for part in ("core", "attention", "output"):
                self.assertEqual(shown[part]["mismatches"], 0)
                self.assertLess(shown[part]["max_absolute"], 1e-5)
        return shown

    def test_kinds_of_layers(self):
        self.passes(layers.rich()[0])
        self.passes(layers.appended()[0], "--add-zero-attention", "--causal")
        self.passes(layers.t5()[0])
        llama = {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1000}
        self.assertEqual(self.passes(layers.plain(kv_heads=2)[0], config=llama)["config"]["rotary"]["dim"], 4)

    def test_scores_and_positions(self):
        tensors = layers.rich()[0]
        self.passes(tensors, "--softcap", "0.5", "--norm-epsilon", "0.1", "--norm-plus-one")
        for scaling in ([], ["--rotary-scaling", "ntk", "--rotary-factor", "3"]):
            self.passes(tensors, "--rotary-dim", "4", "--rotary-layout", "interleaved", *scaling)
        yarn = ["--rotary-scaling", "yarn", "--rotary-factor", "4", "--rotary-original-positions", "8"]
        self.passes(tensors, "--rotary-dim", "4", *yarn, "--query-offsets", "3,1", "--query", self.query)
        self.passes(tensors, "--position-bias", "alibi", "--causal", "--keep-heads", "0,2")
        self.passes(tensors, "--rotary-dim", "2", "--query", self.query, "--position-ids", "4,4,2,0,9,1,1")

    def test_masks_of_a_call(self):
        tensors = layers.plain()[0]
        given = ["--query", self.query]
        self.passes(tensors, *given, "--window", "2,1", "--query-documents", "1,1,1,1,2,2,2")
        self.passes(tensors, *given, "--key-lengths", "3,7", "--query-lengths", "7,4", "--causal", "lower-right")
        short = write_npy(self.folder / "m.npy", [4, 1, 5], wave(20))
        padding = write_npy(self.folder / "p.npy", [2, 7], [1, 1, 0, 1, 1, 0, 1] * 2, "|u1")
        masks = ["--mask", short, "--key-padding", padding, "--key-padding-meaning", "keep"]
        for policy in ("zero", "mean", "nan"):
            self.passes(tensors, *given, *masks, "--window", "0,0", "--rows-without-keys", policy)
        biased = tensors | {"o_proj.bias": ([layers.WIDTH], wave(layers.WIDTH))}
        self.passes(biased, *given, "--query-lengths", "7,4", "--allow-missing-bias")
        gate = write_npy(self.folder / "g.npy", [2, 4], wave(8))
        self.passes(tensors, *given, "--head-gate", gate, "--only-heads", "1,2,3")
        huge = write_npy(self.folder / "h.npy", [7], [-1e9] * 7)
        self.passes(tensors, *given, "--mask", huge)

    def test_decoding(self):
        tensors = layers.rich()[0]
        rotary = ["--rotary-dim", "4"]
        shown = self.passes(tensors, "--cache-capacity", "40", *rotary)
        self.assertLess(shown["cache"]["max_absolute"], 1e-5)
        self.passes(tensors, "--cache-capacity", "5", "--cache-circular", *rotary)
        shown = self.passes(tensors, "--cache-capacity", "40", "--cache-type", "bf16", *rotary)
        self.assertGreater(shown["cache"]["max_absolute"], 1e-5)
        self.assertIn("cache", self.ok("verify", self.folder / "model.safetensors", "--heads", "4",
                                       "--cache-capacity", "40").out.decode())

    def test_what_it_cannot_check(self):
        model = layers.write_layer(self.folder, layers.plain()[0])
        start = ["verify", model, "--heads", "4", "--query", self.query]
        self.fails(2, ["verify", "--cumulative-query-lengths"], *start, "--cumulative-query-lengths", "0,7")
        self.fails(2, ["verify", "--dtype"], *start, "--dtype", "f16")
        self.fails(2, ["--query-documents", "[2, 7]"], *start, "--query-documents", "1")


class Inputs(CommandTest):
    def test_every_isa_passes_on_random_and_on_given_inputs(self):
        for isa in self.ok("info", "--json").json()["isas"]:
            if not (isa["compiled"] and isa["present"]):
                continue
            shown = self.ok("verify", TINY_BERT, "--isa", isa["name"], "--json").json()
            self.assertEqual((shown["isa"], shown["passed"], shown["seed"]), (isa["name"], True, 1))
            self.assertEqual((shown["batch"], shown["query_length"]), (2, 33))
            options = ["--query", self.query, "--causal", "auto", "--key-lengths", "5,0", "--layer", "1"]
            self.ok("verify", TINY_BERT, "--isa", isa["name"], *options)

    def test_the_seed_is_said(self):
        self.assertIn("--seed 7", self.ok("verify", TINY_BERT, "--seed", "7").out.decode())

    def test_widths_of_their_own(self):
        model = {
            "q_proj_weight": ([8, 8], wave(64)),
            "k_proj_weight": ([8, 6], wave(48)),
            "v_proj_weight": ([8, 5], wave(40)),
            "out_proj.weight": ([8, 8], wave(64)),
        }
        path = write_safetensors(self.folder / "m.safetensors", model)
        shown = self.ok("verify", path, "--heads", "2", "--allow-missing-bias", "--json").json()
        self.assertEqual((shown["config"]["key_input_dim"], shown["config"]["value_input_dim"]), (6, 5))


if __name__ == "__main__":
    unittest.main()
