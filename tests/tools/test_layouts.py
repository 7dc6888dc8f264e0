"""Families, maps of names and stored checks on the command line."""

import json
import struct
import unittest

import layers
from command import CommandTest, wave, write_npy, write_safetensors

WIDTH, HEADS = layers.WIDTH, layers.HEADS


def fused(prefix="h.0.attn."):
    """A layer of one matrix for query, key and value, whose order no name tells."""
    return {
        f"{prefix}query_key_value.weight": ([3 * WIDTH, WIDTH], layers.scaled(3 * WIDTH * WIDTH, 0.7)),
        f"{prefix}dense.weight": ([WIDTH, WIDTH], layers.scaled(WIDTH * WIDTH, 1.1)),
    }


class Layouts(CommandTest):
    def setUp(self):
        super().setUp()
        self.hidden = write_npy(self.folder / "hidden.npy", [1, 4, WIDTH], wave(4 * WIDTH))

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def output(self, model, *arguments):
        path = self.folder / "output.npy"
        self.ok("run", model, "--query", self.hidden, "--output", path, "--repeat", "1", *arguments)
        return path.read_bytes()

    def test_the_table_of_layouts(self):
        text = self.ok("inspect", "--families").out.decode()
        for word in ("torch_mha", "self.query.weight", "[in, out]", "not supported: ", "modernbert"):
            self.assertIn(word, text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        rows = self.ok("inspect", "--families", "--json").json()["families"]
        self.assertIn("gpt2", [row["family"] for row in rows])
        self.assertTrue(all((row["storage"] is None) == (row["refusal"] is not None) for row in rows))

    def test_an_open_family_is_asked_for(self):
        model = write_safetensors(self.folder / "m.safetensors", fused())
        self.fails(2, ["bloom, gpt_neox, falcon or chatglm", "--family", "model_type"], "run", model, "--query",
                   self.hidden, "--heads", "4")
        self.assertIn("--family bloom|gpt_neox|falcon|chatglm", self.ok("inspect", model).out.decode())
        layer = self.ok("inspect", model, "--json").json()["layers"][0]
        self.assertEqual((layer["family"], len(layer["candidates"])), (None, 4))
        bloom = self.output(model, "--heads", "4", "--family", "bloom")
        self.assertNotEqual(bloom, self.output(model, "--heads", "4", "--family", "chatglm"))
        self.write("config.json", json.dumps({"model_type": "gpt_neox", "num_attention_heads": 4, "rotary_pct": 1}))
        self.assertEqual(bloom, self.output(model, "--rotary-dim", "0"))
        self.assertEqual(self.ok("inspect", model, "--json").json()["layers"][0]["family"], "gpt_neox")

    def test_a_family_that_is_unknown(self):
        model = write_safetensors(self.folder / "m.safetensors", fused())
        self.fails(2, ["'nonsense'", "torch_mha", "bloom"], "inspect", model, "--family", "nonsense")

    def test_a_family_that_is_known_by_name_only(self):
        names = ("kv_a_proj_with_mqa", "kv_b_proj", "o_proj")
        model = write_safetensors(self.folder / "m.safetensors", {f"a.{name}.weight": ([1, 1], [1.0]) for name in names})
        self.assertIn("family deepseek_mla: not supported\n", self.ok("inspect", model).out.decode())
        self.fails(1, ["deepseek_mla", "low-rank"], "run", model, "--query", self.hidden, "--heads", "1")

    def test_a_map(self):
        tensors, _ = layers.plain()
        own = {f"x/{name}": value for name, value in tensors.items()}
        model = write_safetensors(self.folder / "m.safetensors", tensors)
        renamed = write_safetensors(self.folder / "r.safetensors", {f"x{i}": own[n] for i, n in enumerate(own)})
        entries = {"query_weight": "x0", "key_weight": "x1", "value_weight": "x2", "output_weight": "x3", "num_heads": 4}
        mapped = self.write("map.json", json.dumps(entries))
        self.fails(1, ["--map", "--families"], "run", renamed, "--query", self.hidden, "--heads", "4")
        self.assertEqual(self.output(renamed, "--map", mapped), self.output(model, "--heads", "4"))
        layer = self.ok("inspect", renamed, "--map", mapped, "--json").json()["layers"][0]
        self.assertEqual((layer["family"], layer["loads"]["config"]["num_heads"]), ("map", 4))
        self.ok("verify", renamed, "--map", mapped)
        self.ok("explain", renamed, "--map", mapped, "--query", self.hidden)
        self.fails(2, ["--map", "--family"], "run", renamed, "--query", self.hidden, "--map", mapped, "--family", "bert")
        self.write("map.json", json.dumps({**entries, "querry_bias": "x"}))
        self.fails(1, ["map.json", "'querry_bias'"], "run", renamed, "--query", self.hidden, "--map", mapped)

    def test_heads_in_the_shapes_need_no_option(self):
        tensors = {f"mha/{name}/kernel": ([WIDTH, HEADS, 4], layers.scaled(WIDTH * WIDTH, 0.3 + i / 7))
                   for i, name in enumerate(("query", "key", "value"))}
        tensors["mha/attention_output/kernel"] = ([HEADS, 4, WIDTH], layers.scaled(WIDTH * WIDTH, 0.9))
        model = write_safetensors(self.folder / "m.safetensors", tensors)
        self.assertIn("4 heads (by their shapes) of 4", self.ok("inspect", model).out.decode())
        self.output(model)

    def checked(self, check):
        """A model whose file keeps this check for its layer."""
        path = write_safetensors(self.folder / "m.safetensors", layers.plain()[0])
        with open(path, "rb") as file:
            data = file.read()
        (length,) = struct.unpack("<Q", data[:8])
        header = json.loads(data[8 : 8 + length])
        header["__metadata__"] = {"headwise.check:": json.dumps(check)}
        text = json.dumps(header).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data[8 + length :])
        return path

    def test_a_check_that_fails_and_what_to_do(self):
        model = self.checked({"version": 1, "num_heads": 4, "num_kv_heads": 4, "sums": [1, 2, 3, 4, 0]})
        message = self.fails(1, ["stored check", "fails at the query", "--stored-check off"], "run", model, "--query",
                             self.hidden, "--heads", "4")
        self.output(model, "--heads", "4", "--stored-check", "off")
        sums = []
        for name in ("the query", "the key", "the value", "the output"):  # each refusal tells the next number
            message = self.fails(1, [name], "run", model, "--query", self.hidden, "--heads", "4")
            sums.append(float(message.split(f"{name}: ")[1].split()[0]))
            rest = [0.5] * (4 - len(sums)) + [0]
            model = self.checked({"version": 1, "num_heads": 4, "num_kv_heads": 4, "sums": sums + rest})
        self.assertIn("stored check passed", self.ok("verify", model, "--heads", "4").out.decode())
        self.ok("run", model, "--query", self.hidden, "--heads", "4", "--stored-check", "require")
        self.fails(1, ["4 heads", "has 2 heads"], "run", model, "--query", self.hidden, "--heads", "2")

    def test_a_check_that_is_required(self):
        model = write_safetensors(self.folder / "m.safetensors", layers.plain()[0])
        self.fails(1, ["required", "none"], "verify", model, "--heads", "4", "--stored-check", "require")


if __name__ == "__main__":
    unittest.main()
