"""What a layer is beside its tensors comes back from a converted file, or is told, or the file is not written."""

import json
import shlex
import unittest

import layers
from command import CommandTest, run, wave, write_npy

PREFIX = "model.layers.0.self_attn."
ROTARY = ("--rotary-dim", "4")
YARN = ("--rotary-scaling", "yarn", "--rotary-factor", "4", "--rotary-original-positions", "8")
LLAMA3 = ("--rotary-scaling", "llama3", "--rotary-factor", "8", "--rotary-original-positions", "16")
ALIBI = ("--position-bias", "alibi")
T5 = ("--position-bias", "t5")

# Options of plain().
SCORES = {
    "nothing": (),
    "scale": ("--scale", "0.37"),
    "scale of zero": ("--scale", "0"),
    "softcap": ("--softcap", "1.5"),
    "zero attention": ("--add-zero-attention",),
    "rows zero": ("--rows-without-keys", "zero"),
    "rows mean": ("--rows-without-keys", "mean"),
    "rows nan": ("--rows-without-keys", "nan"),
    "rotary": ROTARY,
    "rotary layout": ("--rotary-dim", "2", "--rotary-layout", "interleaved", "--rotary-base", "12.5"),
    "rotary linear": (*ROTARY, "--rotary-scaling", "linear", "--rotary-factor", "3"),
    "rotary ntk": (*ROTARY, "--rotary-scaling", "ntk", "--rotary-factor", "2.5"),
    "rotary yarn": (*ROTARY, *YARN),
    "rotary yarn whole": (*ROTARY, *YARN, "--rotary-beta-fast", "20", "--rotary-beta-slow", "0.5",
                          "--rotary-attention-factor", "1.25"),
    "rotary llama3": (*ROTARY, *LLAMA3),
    "rotary llama3 whole": (*ROTARY, *LLAMA3, "--rotary-low-frequency-factor", "1.5",
                            "--rotary-high-frequency-factor", "6"),
    "alibi": ALIBI,
    "alibi max": (*ALIBI, "--alibi-max", "6.5"),
    "kept heads": ("--keep-heads", "0,2"),
    "alibi, all heads kept": (*ALIBI, "--keep-heads", "0,1,2,3"),
    "alibi, kept heads": (*ALIBI, "--keep-heads", "0,2"),
    "all at once": ("--scale", "0.3", "--softcap", "2", "--rows-without-keys", "mean", *ROTARY, *YARN, *ALIBI,
                    "--keep-heads", "1,2,3"),
}
NOT_IN_NPZ = ("alibi, kept heads", "all at once")


def three_heads():
    """As many heads as the two rules for slopes disagree about."""
    shapes = {"q_proj": [12, 16], "k_proj": [12, 16], "v_proj": [12, 16], "o_proj": [16, 12]}
    return {f"{name}.weight": (shape, wave(192, 0.7 + i)) for i, (name, shape) in enumerate(shapes.items())}


def with_one_bias():
    return layers.plain()[0] | {"v_proj.bias": ([16], wave(16))}


def table():
    """Name -> tensors, config.json or None, options of the layer."""
    heads = ("--heads", "4")
    norms, t5 = layers.rich()[0], layers.t5()[0]
    llama = {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1000}
    gemma = {"model_type": "gemma3", "num_attention_heads": 4, "num_key_value_heads": 2, "query_pre_attn_scalar": 7,
             "attn_logit_softcapping": 3.5, "rms_norm_eps": 0.02}
    t5_config = {"model_type": "t5", "num_heads": 4, "d_kv": 4, "relative_attention_max_distance": 40}
    rows = {name: (layers.plain()[0], None, (*heads, *options)) for name, options in SCORES.items()}
    return rows | {
        "alibi rule": (three_heads(), None, ("--heads", "3", *ALIBI, "--alibi-slopes", "geometric")),
        "norms and sinks": (norms, None, heads),
        "norm epsilon": (norms, None, (*heads, "--norm-epsilon", "0.03")),
        "norm plus one": (norms, None, (*heads, "--norm-plus-one")),
        "sinks, kept heads": (norms, None, (*heads, "--keep-heads", "2,3")),
        "appended key": (layers.appended()[0], None, heads),
        "appended key, kept heads": (layers.appended()[0], None, (*heads, "--keep-heads", "3")),
        "missing bias": (with_one_bias(), None, (*heads, "--allow-missing-bias")),
        "llama": (norms, llama, ()),
        "gemma": (norms, gemma, ()),
        "config left aside": (norms, gemma, (*heads, "--no-model-config")),
        "t5": (t5, None, heads),
        "t5 config": (t5, t5_config, ()),
        "t5 scale": (t5, None, (*heads, "--scale", "0.25")),
        "t5 backward": (t5, None, (*heads, *T5, "--t5-backward", "--t5-max-distance", "20")),
        "t5 without": (t5, None, (*heads, "--position-bias", "none")),
        "t5 with alibi": (t5, None, (*heads, *ALIBI)),
        "t5, kept heads": (t5, None, (*heads, "--keep-heads", "0,3")),
    }


class Settings(CommandTest):
    def setUp(self):
        super().setUp()
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()
        x, _ = layers.write_query(self.folder, batch=2)
        keep = write_npy(self.folder / "keep.npy", [2, layers.LENGTH], [True] * 5 + [False] * 9, "|b1")
        self.call = ["--query", x, "--key-padding", keep, "--key-padding-meaning", "keep", "--repeat", "1"]

    def outputs(self, model, *options):
        """Bits of output and scores; the second sequence has no key."""
        files = self.folder / "y.npy", self.folder / "s.npy"
        written = ["--output", files[0], "--scores", files[1], "--score-stage", "masked", "--quiet"]
        result = run("run", model, *self.call, *written, *options)
        self.assertEqual(result.code, 0, result.err)
        return [file.read_bytes() for file in files]

    def each(self):
        for name, (tensors, config, options) in table().items():
            folder = self.folder / name
            folder.mkdir()
            model = layers.write_layer(folder, tensors, config)
            yield name, model, options, self.outputs(model, *options)

    def test_from_safetensors_without_an_option(self):
        for name, model, options, expected in self.each():
            out, again = (self.elsewhere / f"{name}{end}.safetensors" for end in ("", " again"))
            with self.subTest(name):
                self.ok("convert", model, out, *options)
                self.assertTrue(self.outputs(out) == expected, "other results")
                self.ok("convert", out, again)
                self.assertTrue(again.read_bytes() == out.read_bytes(), "another file")

    def test_from_npz_with_the_options_of_the_note(self):
        for name, model, options, expected in self.each():
            out = self.elsewhere / f"{name}.npz"
            with self.subTest(name):
                if name in NOT_IN_NPZ:
                    self.fails(2, ["layer 0", "ALiBi slopes", ".safetensors"], "convert", model, out, *options)
                    self.assertFalse(out.exists())
                    continue
                note = self.ok("convert", model, out, *options).err.decode()
                told = shlex.split(note.split("load it with ")[1])
                self.assertTrue(self.outputs(out, *told) == expected, f"other results with {told}")

    def test_the_note_names_no_more_than_it_must(self):
        model = layers.write_layer(self.folder, layers.plain()[0])
        note = self.ok("convert", model, self.folder / "a.npz", "--heads", "4").err.decode()
        self.assertTrue(note.endswith("load it with --no-model-config --family linear4 --heads 4\n"), note)

    def test_layers_that_need_other_options_are_told_apart(self):
        tensors, _ = layers.t5()
        both = tensors | {name.replace("encoder", "decoder"): tensor for name, tensor in tensors.items()}
        model = layers.write_layer(self.folder, both)
        lines = self.ok("convert", model, self.folder / "a.npz", "--heads", "4").err.decode().splitlines()
        self.assertEqual(len(lines), 2)
        backward = {line.split("(")[1]: "--t5-backward" in line for line in lines}
        self.assertEqual(backward, {"layer 0)": True, "layer 1)": False})

    def test_options_come_before_the_settings(self):
        model = layers.write_layer(self.folder, layers.plain()[0])
        kept = self.elsewhere / "a.safetensors"
        for stored in ("mean", "nan", "zero"):
            self.ok("convert", model, kept, "--heads", "4", "--force", "--rows-without-keys", stored)
            for given in ("mean", "nan", "zero"):
                option = ("--rows-without-keys", given)
                self.assertEqual(self.outputs(kept, *option), self.outputs(model, "--heads", "4", *option))

    def test_settings_of_a_version_without_the_rows(self):
        model = layers.write_layer(self.folder, layers.plain()[0])
        out = self.elsewhere / "a.safetensors"
        self.ok("convert", model, out, "--heads", "4", "--rows-without-keys", "zero")
        data = out.read_bytes()
        field = json.dumps(',"rows_without_keys":"zero"')[1:-1].encode()
        self.assertIn(field, data)
        out.write_bytes(data.replace(field, b" " * len(field)))
        self.assertEqual(self.outputs(out), self.outputs(model, "--heads", "4"))


if __name__ == "__main__":
    unittest.main()
