"""headwise inspect; the small model and its hidden states."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import unittest

import layers
from command import ROOT, TINY_BERT, CommandTest, identity, read_npy, write_npy, write_safetensors


class Inspect(CommandTest):
    def test_layers_and_roles(self):
        shown = self.ok("inspect", TINY_BERT, "--json").json()
        self.assertEqual(shown["num_heads"], 4)
        self.assertEqual([layer["prefix"] for layer in shown["layers"]], [f"encoder.layer.{i}.attention." for i in (0, 1)])
        layer = shown["layers"][1]
        self.assertEqual((layer["family"], layer["model_dim"], layer["head_dim"]), ("bert", 32, 8))
        roles = {part["role"]: part["tensor"] for part in layer["parts"]}
        self.assertEqual(roles["output_bias"], "encoder.layer.1.attention.output.dense.bias")
        self.assertEqual(len(roles), 8)

    def test_people_see_the_layers_before_the_tensors(self):
        text = self.ok("inspect", TINY_BERT).out.decode()
        self.assertIn("2 attention layers, family bert: width 32, 4 heads (config.json) of 8", text)
        self.assertLess(text.index("query_weight"), text.index("embeddings.word_embeddings.weight"))

    def test_heads_by_option_and_by_map(self):
        shutil.copy(TINY_BERT, self.folder / "model.safetensors")
        model, mapped = self.folder / "model.safetensors", self.folder / "map.json"
        names = {f"{part}_weight": f"encoder.layer.{{layer}}.attention.self.{part}.weight" for part in ("query", "key", "value")}
        names["output_weight"] = "encoder.layer.{layer}.attention.output.dense.weight"
        mapped.write_text(json.dumps(names | {"num_heads": 8}))
        for options, heads, source in ((["--heads", "2"], 2, "--heads"), (["--map", mapped], 8, "--map"),
                                       (["--map", mapped, "--heads", "16"], 16, "--heads"), (["--heads", "5"], 5, "--heads")):
            with self.subTest(options=options):
                layer = self.ok("inspect", model, "--json", *options).json()["layers"][1]
                size = None if 32 % heads else 32 // heads
                self.assertEqual((layer["num_heads"], layer["head_dim"]), (heads, size))
                text = self.ok("inspect", model, *options).out.decode()
                self.assertIn(f"{heads} heads ({source})", text)
                self.assertIn("not divisible by 5" if heads == 5 else "loads with: scale", text)
        shutil.copy(TINY_BERT.parent / "config.json", self.folder)
        self.assertIn("4 heads (config.json) of 8", self.ok("inspect", model).out.decode())
        self.assertIn("2 heads (--heads) of 16", self.ok("inspect", model, "--heads", "2", "--no-scan").out.decode())
        self.fails(2, ["--heads"], "inspect", model, "--heads", "0")

    def test_heads_of_each_part_of_a_model(self):
        tensors = {}
        for prefix in ("model.encoder.layers.0.self_attn.", "model.decoder.layers.0.self_attn."):
            tensors |= {f"{prefix}{name}_proj.weight": identity(12) for name in ("q", "k", "v", "out")}
        model = write_safetensors(self.folder / "model.safetensors", tensors)
        (self.folder / "config.json").write_text('{"encoder_attention_heads": 4, "decoder_attention_heads": 6}')
        layers = self.ok("inspect", model, "--json").json()["layers"]
        self.assertEqual([(layer["num_heads"], layer["head_dim"]) for layer in layers], [(6, 2), (4, 3)])
        text = self.ok("inspect", model).out.decode()
        self.assertIn("6 heads (config.json) of 2", text)
        self.assertIn("4 heads (config.json) of 3", text)

    def test_heads_unknown(self):
        copy = self.folder / "model.safetensors"
        shutil.copy(TINY_BERT, copy)
        self.assertIn("heads unknown", self.ok("inspect", copy).out.decode())
        self.assertIsNone(self.ok("inspect", copy, "--json").json()["num_heads"])
        self.fails(2, ["heads", "--heads"], "run", copy, "--query", self.query)
        self.ok("run", copy, "--query", self.query, "--heads", "4")

    def test_a_broken_config_does_not_hide_the_file(self):
        shutil.copy(TINY_BERT, self.folder / "model.safetensors")
        (self.folder / "config.json").write_text('{"num_attention_heads": "four"}')
        result = self.ok("inspect", self.folder / "model.safetensors")
        self.assertIn(b"num_attention_heads", result.err)

    def test_nonfinite_values_are_counted(self):
        values = [float("nan"), float("inf"), float("-inf"), float("nan"), 1.0]
        path = write_safetensors(self.folder / "x.safetensors", {"bad": ([5], values), "good": identity(2)})
        tensors = self.ok("inspect", path, "--json").json()["tensors"]
        self.assertEqual([(t["nan_count"], t["infinite_count"]) for t in tensors], [(2, 2), (0, 0)])
        self.assertIn("2 NaN and 2 infinite values in 1 tensor", self.ok("inspect", path).out.decode())
        self.assertIsNone(self.ok("inspect", path, "--json", "--no-scan").json()["nan_count"])

    def test_tensors_that_belong_to_no_layer_are_counted(self):
        path = ROOT / "tests" / "data" / "cases" / "b28_prefix_module.safetensors"
        self.assertEqual(self.ok("inspect", path, "--json").json()["tensors_outside_layers"], 1)
        self.assertIn("5 tensors (1 outside the attention layers)", self.ok("inspect", path).out.decode())

    def test_trailing_bytes_need_permission(self):
        path = self.folder / "long.safetensors"
        path.write_bytes(TINY_BERT.read_bytes() + b"abcd")
        self.fails(1, ["long.safetensors", "--allow-trailing-bytes"], "inspect", path)
        self.ok("inspect", path, "--allow-trailing-bytes")

    def test_what_a_layer_loads_with(self):
        config = {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1000}
        model = layers.write_layer(self.folder, layers.rich()[0], config)
        layer = self.ok("inspect", model, "--json").json()["layers"][0]
        self.assertEqual((layer["num_kv_heads"], layer["head_dim"]), (2, 4))
        loaded = layer["loads"]["config"]
        self.assertEqual((loaded["rotary"]["base"], loaded["sinks"], loaded["norms"]), (1000, True, True))
        text = self.ok("inspect", model).out.decode()
        for word in ("on 2 key/value heads", "rotary 4 half-split, base 1000", "query_norm", "sinks"):
            self.assertIn(word, text)
        self.assertIsNone(self.ok("inspect", model, "--no-scan", "--json").json()["layers"][0]["loads"])

    def test_why_a_layer_does_not_load(self):
        config = {"model_type": "nonsense", "num_attention_heads": 4, "rope_theta": 5}
        model = layers.write_layer(self.folder, layers.plain()[0], config)
        self.assertIn("nonsense", self.ok("inspect", model, "--json").json()["layers"][0]["loads"]["refusal"])
        self.assertIn("does not load as it is", self.ok("inspect", model).out.decode())

    def test_arrays(self):
        shown = self.ok("inspect", self.query, "--json").json()
        self.assertEqual((shown["shape"], shown["dtype"]), ([2, 5, 32], "f32"))
        for dtype, values in (("|b1", [True, False]), ("<i8", [-3, 7]), ("<f2", [0.5, 2.0]), ("<f8", [0.1, 1e300])):
            path = write_npy(self.folder / "x.npy", [2], values, dtype)
            shown = self.ok("inspect", path, "--json", "--values").json()
            self.assertEqual(shown["values"], values)
            self.assertEqual(shown["max"], max(values))

    def test_what_is_no_regular_file_never_blocks(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for path in (pipe, self.folder, "/dev/zero"):
            self.fails(1, [str(path)], "inspect", path, timeout=20)
        os.rename(pipe, self.folder / "pipe.npy")
        self.fails(1, ["pipe.npy"], "inspect", self.folder / "pipe.npy", timeout=20)

    def test_an_array_under_any_name(self):
        os.rename(self.query, self.folder / "array")
        self.assertEqual(self.ok("inspect", self.folder / "array", "--json").json()["shape"], [2, 5, 32])


class Scripts(CommandTest):
    def test_the_small_model_is_what_its_script_makes(self):
        script = ROOT / "tests" / "data" / "make_tiny_bert.py"
        copy = self.folder / script.name
        shutil.copy(script, copy)
        subprocess.run([sys.executable, copy], check=True)
        for name in ("model.safetensors", "config.json", "vocab.txt"):
            self.assertTrue(filecmp.cmp(self.folder / "tiny_bert" / name, TINY_BERT.parent / name, shallow=False), name)

    def test_hidden_states_run_through_the_model(self):
        states = self.folder / "states.npy"
        script = ROOT / "tools" / "make_hidden_states.py"
        arguments = [sys.executable, script, TINY_BERT.parent, "The bank was full of money.", "-o", states]
        done = subprocess.run(arguments, check=True, capture_output=True)
        self.assertEqual(done.stderr.decode().strip(), "tokens: [CLS] the bank was full of money . [SEP]")
        self.assertEqual(read_npy(states)[0], [1, 9, 32])
        self.query = states
        self.assertEqual(self.output_of()[0], [1, 9, 32])

    def test_scripts_explain_themselves(self):
        for name in ("install_packages.sh", "fetch_model.sh", "quickstart.sh", "test.sh"):
            script = ROOT / "tools" / name
            self.assertTrue(os.access(script, os.X_OK))
            shown = subprocess.run([script, "--help"], check=True, capture_output=True, cwd=self.folder)
            self.assertIn(b"Usage: tools/" + name.encode(), shown.stdout)
            self.assertEqual(subprocess.run([script, "--nonsense"], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
