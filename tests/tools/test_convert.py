"""headwise convert: layouts, types, pruning and formats, read back by the command and by plain Python."""

import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import unittest
import zipfile

import layers
from command import TINY_BERT, TOOL, CommandTest, read_npy, write_safetensors

SIZES = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8}


def read_safetensors(path):
    """Metadata and tensors (dtype, shape, values), by the rules of the format, none of them bent."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    assert (8 + length) % 64 == 0
    header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=once)
    metadata = header.pop("__metadata__", {})
    assert all(isinstance(value, str) for value in metadata.values())
    body, expected, tensors = data[8 + length :], 0, {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        size = SIZES[entry["dtype"]]
        assert begin == expected and end - begin == size * math.prod(entry["shape"]) and begin % size == 0
        tensors[name] = entry["dtype"], entry["shape"], decode(body[begin:end], entry["dtype"])
        expected = end
    assert expected == len(body)
    return metadata, tensors


def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)


def decode(data, dtype):
    if dtype == "BF16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    code = {"F32": "f", "F16": "e", "F64": "d"}[dtype]
    return list(struct.unpack(f"<{len(data) // SIZES[dtype]}{code}", data))


def write_npz(path, tensors, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, (shape, values) in tensors.items():
            text = "(" + "".join(f"{size}, " for size in shape) + ")"
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {text}, }}".encode()
            start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
            archive.writestr(name + ".npy", start + struct.pack(f"<{len(values)}f", *values))
    return path


class Convert(CommandTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.safetensors"

    def convert(self, *options, source=TINY_BERT, out=None):
        return self.ok("convert", source, out or self.out, *options)

    def outputs(self, model, *options):
        """Output and weights of a run; bits, not numbers."""
        files = self.folder / "y.npy", self.folder / "w.npy"
        names = "--output", files[0], "--attention", files[1]
        self.ok("run", model, "--query", self.query, "--repeat", "1", *names, *options)
        return [file.read_bytes() for file in files]


class Layouts(Convert):
    def test_every_family_computes_the_same_bits(self):
        expected = self.outputs(TINY_BERT, "--layer", "1")
        for family in ("bert", "torch_mha", "torch_mha_separate", "linear4", "gpt2", "bloom", "keras", "llama"):
            with self.subTest(family=family):
                self.convert("--to-family", family, "--force")
                self.assertEqual(self.outputs(self.out, "--layer", "1"), expected)

    def test_there_and_back_gives_the_same_file(self):
        self.convert()
        back = self.folder / "back.safetensors"
        self.convert("--to-family", "gpt2", out=self.folder / "gpt2.safetensors")
        self.convert("--to-family", "bert", source=self.folder / "gpt2.safetensors", out=back)
        self.assertEqual(back.read_bytes(), self.out.read_bytes())

    def test_tensors_are_those_of_the_source(self):
        self.convert("--to-family", "torch_mha", "--layer", "0", "--to-prefix", "attn")
        metadata, tensors = read_safetensors(self.out)
        prefix = "encoder.layer.0.attention."
        source = read_source(TINY_BERT)
        rows = sum((source[f"{prefix}self.{part}.weight"] for part in ("query", "key", "value")), [])
        self.assertEqual(tensors["attn.in_proj_weight"], ("F32", [96, 32], rows))
        self.assertEqual(sorted(tensors)[0], "attn.in_proj_bias")
        self.assertEqual(len(tensors), 4)
        self.assertIn("headwise.settings:attn.", metadata)
        self.assertIn("headwise.check:attn.", metadata)

    def test_prefixes(self):
        self.convert("--to-prefix", "h.{layer}.attn")
        names = read_safetensors(self.out)[1]
        self.assertIn("h.1.attn.self.query.weight", names)
        self.fails(2, ["--to-prefix", "{layer}"], "convert", TINY_BERT, self.out, "--to-prefix", "x", "--force")
        self.convert("--to-prefix", "", "--layer", "0", "--force")
        self.assertIn("self.query.weight", read_safetensors(self.out)[1])

    def test_a_family_without_a_place_is_refused(self):
        model = layers.write_layer(self.folder, layers.rich()[0])
        self.fails(2, ["qkv", "query_norm", "--to-family"], "convert", model, self.out, "--heads", 4, "--to-family", "qkv")
        self.fails(2, ["nonsense", "--families"], "convert", TINY_BERT, self.out, "--to-family", "nonsense")
        self.assertFalse(self.out.exists())


def read_source(path):
    """Any f32 safetensors file: name -> values."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    start = 8 + length
    cut = lambda entry: data[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]]  # noqa: E731
    return {name: decode(cut(entry), "F32") for name, entry in header.items() if entry["dtype"] == "F32"}


class Types(Convert):
    def test_rounding_is_that_of_plain_python(self):
        source = read_source(TINY_BERT)
        name = "encoder.layer.0.attention.self.query.weight"
        self.convert("--dtype", "f16")
        dtype, _, values = read_safetensors(self.out)[1][name]
        self.assertEqual(dtype, "F16")
        self.assertEqual(values, [struct.unpack("<e", struct.pack("<e", value))[0] for value in source[name]])
        self.convert("--dtype", "bf16", "--force")
        self.assertEqual(read_safetensors(self.out)[1][name][2], [to_bf16(value) for value in source[name]])
        self.convert("--dtype", "f64", "--force")
        self.assertEqual(read_safetensors(self.out)[1][name][2], source[name])

    def test_values_out_of_range_are_counted_and_told(self):
        tensors, _ = layers.plain()
        values = tensors["q_proj.weight"][1]
        values[:4] = [1e6, -7e4, 1e-9, 65519.0]
        model = layers.write_layer(self.folder, tensors)
        options = "--heads", 4, "--dtype", "f16"
        result = self.ok("convert", model, self.out, *options, "--json")
        summary = result.json()
        self.assertEqual((summary["overflowed"], summary["underflowed"]), (2, 1))
        self.assertIn(b"2 finite values are too large for f16", result.err)
        text = self.ok("convert", model, self.out, *options, "--force", "--quiet")
        self.assertIn("2 values became infinite, 1 value became zero", text.out.decode())
        self.assertEqual(text.err, b"")
        summary = self.ok("convert", model, self.out, "--heads", 4, "--dtype", "bf16", "--force", "--json").json()
        self.assertEqual((summary["overflowed"], summary["underflowed"]), (0, 0))

    def test_a_half_sized_file_runs(self):
        self.convert("--dtype", "f16")
        self.ok("verify", self.out, "--layer", "1")
        self.ok("inspect", self.out)


def to_bf16(value):
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


class Pruned(Convert):
    def test_heads_that_stay_compute_the_same(self):
        expected = self.outputs(TINY_BERT, "--keep-heads", "0,3")
        self.convert("--keep-heads", "0,3")
        self.assertEqual(self.outputs(self.out), expected)
        # Beside the whole model's config.json, which says four heads.
        (self.folder / "config.json").write_bytes((TINY_BERT.parent / "config.json").read_bytes())
        self.assertEqual(self.outputs(self.out), expected)
        self.assertEqual(self.ok("inspect", self.out, "--json").json()["layers"][0]["loads"]["config"]["num_heads"], 2)

    def test_one_layer(self):
        summary = self.convert("--layer", "1", "--json").json()
        self.assertEqual([layer["index"] for layer in summary["layers"]], [1])
        self.assertEqual(self.outputs(self.out), self.outputs(TINY_BERT, "--layer", "1"))
        self.fails(2, ["no layer 2"], "convert", TINY_BERT, self.out, "--layer", "2", "--force")


class Settings(Convert):
    def test_what_config_json_says_travels_with_the_file(self):
        config = {"model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1000}
        model = layers.write_layer(self.folder, layers.rich()[0], config)
        query, _ = layers.write_query(self.folder)
        self.query = query
        expected = self.outputs(model)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        out = elsewhere / "layer.safetensors"
        self.convert("--to-family", "linear4", source=model, out=out)
        self.assertEqual(self.outputs(out), expected)
        settings = json.loads(read_safetensors(out)[0]["headwise.settings:model.layers.0.self_attn."])
        self.assertEqual((settings["num_heads"], settings["rotary_base"]), (4, 1000))
        # Options come first.
        self.assertNotEqual(self.outputs(out, "--scale", "3"), expected)

    def test_metadata_is_kept_and_added_to(self):
        self.convert("--metadata", "a=b=c", "--metadata", "note=", "--layer", "0")
        second = self.folder / "second.safetensors"
        self.convert("--metadata", "note=2", "--to-prefix", "x", source=self.out, out=second)
        metadata, _ = read_safetensors(second)
        self.assertEqual((metadata["a"], metadata["note"]), ("b=c", "2"))
        self.assertEqual([key for key in metadata if key.startswith("headwise.")],
                         ["headwise.check:x.", "headwise.settings:x."])
        self.fails(2, ["KEY=VALUE"], "convert", TINY_BERT, second, "--metadata", "nothing")

    def test_a_changed_tensor_is_found_by_the_check(self):
        self.convert("--layer", "0")
        data = bytearray(self.out.read_bytes())
        data[-2] ^= 0x20
        self.out.write_bytes(data)
        self.fails(1, ["check"], "run", self.out, "--query", self.query)


class Formats(Convert):
    def test_npz_in_and_out(self):
        npz = self.folder / "out.npz"
        self.convert("--to-family", "linear4", "--layer", "0", out=npz)
        expected = self.outputs(TINY_BERT)
        self.assertEqual(self.outputs(npz, "--heads", "4"), expected)
        with zipfile.ZipFile(npz) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            member = self.folder / "member.npy"
            member.write_bytes(archive.read("encoder.layer.0.attention.w_q.bias.npy"))
        self.assertEqual(len(names), 8)
        self.assertEqual(read_npy(member)[0], [32])
        self.convert("--heads", "4", source=npz)
        self.assertEqual(self.outputs(self.out), expected)

    def test_npz_of_python(self):
        tensors, _ = layers.plain()
        model = write_safetensors(self.folder / "m.safetensors", tensors)
        self.query, _ = layers.write_query(self.folder)
        expected = self.outputs(model, "--heads", "4")
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            npz = write_npz(self.folder / "m.npz", tensors, compression)
            self.assertEqual(self.outputs(npz, "--heads", "4"), expected)
            shown = self.ok("inspect", npz, "--json").json()
            self.assertEqual((shown["format"], len(shown["tensors"])), ("npz", 4))

    def test_shards_and_folders(self):
        tensors, _ = layers.plain()
        model = write_safetensors(self.folder / "m.safetensors", tensors)
        folder = self.folder / "model"
        folder.mkdir()
        weight_map = {}
        for i, (name, tensor) in enumerate(tensors.items()):
            write_safetensors(folder / f"s{i % 2}.safetensors", {n: t for j, (n, t) in enumerate(tensors.items()) if j % 2 == i % 2})
            weight_map[name] = f"s{i % 2}.safetensors"
        index = folder / "model.safetensors.index.json"
        index.write_text(json.dumps({"metadata": {"total_size": 0}, "weight_map": weight_map}))
        (folder / "config.json").write_text('{"num_attention_heads": 4}')
        self.query, _ = layers.write_query(self.folder)
        expected = self.outputs(model, "--heads", "4")
        for path in (index, folder):
            self.assertEqual(self.outputs(path), expected)
        shown = self.ok("inspect", folder, "--json").json()
        self.assertEqual((shown["format"], shown["num_heads"]), ("safetensors index", 4))
        self.assertEqual({t["name"]: t["file"] for t in shown["tensors"]}, weight_map)
        self.assertIn("s1.safetensors", self.ok("inspect", folder).out.decode())
        self.convert(source=folder)
        self.assertEqual(self.outputs(self.out), expected)
        (folder / "s1.safetensors").unlink()
        self.fails(1, ["s1.safetensors", "not there"], "run", folder, "--query", self.query)

    def test_what_npz_cannot_hold(self):
        npz = self.folder / "out.npz"
        self.fails(2, ["bf16"], "convert", TINY_BERT, npz, "--dtype", "bf16")
        self.fails(2, ["--metadata"], "convert", TINY_BERT, npz, "--metadata", "a=b")


def write_zeros(path, width, count):
    """Layers of zeros, which take no room on the disk."""
    header, size = {}, 4 * width * width
    for i in range(4 * count):
        name = f"layers.{i // 4}.self_attn.{'qkvo'[i % 4]}_proj.weight"
        header[name] = {"dtype": "F32", "shape": [width, width], "data_offsets": [i * size, (i + 1) * size]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(path, 8 + len(text) + 4 * count * size)
    return path


class Killed(Convert):
    """A signal while the new file is open, so while it is written or read back."""

    def open_file(self, process):
        """A file of the folder, with a name or without one, that the process has open for writing."""
        descriptors = pathlib.Path(f"/proc/{process.pid}/fd")
        with contextlib.suppress(OSError):
            for descriptor in descriptors.iterdir():
                target = os.readlink(descriptor)
                if target.startswith(str(self.folder.resolve())) and not target.endswith("model.safetensors"):
                    return target
        return None

    def test_leaves_nothing_and_the_old_file(self):
        model = write_zeros(self.folder / "model.safetensors", width=1024, count=3)
        for replaced, end in ((None, signal.SIGINT), (None, signal.SIGTERM), (b"old", signal.SIGINT)):
            with self.subTest(replaced=replaced, end=end):
                if replaced:
                    self.out.write_bytes(replaced)
                before = sorted(self.folder.iterdir())
                command = [TOOL, "convert", model, self.out, "--heads", "16", "--force", "--to-family", "torch_mha"]
                with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    while process.poll() is None and self.open_file(process) is None:
                        pass
                    process.send_signal(end)
                self.assertEqual(process.returncode, -end)
                self.assertEqual(sorted(self.folder.iterdir()), before)
                if replaced:
                    self.assertEqual(self.out.read_bytes(), replaced)


class Manners(Convert):
    def test_a_file_that_is_there_stays(self):
        self.out.write_bytes(b"mine")
        self.fails(1, ["out.safetensors", "--force"], "convert", TINY_BERT, self.out)
        self.assertEqual(self.out.read_bytes(), b"mine")
        self.convert("--force")
        self.assertNotEqual(self.out.read_bytes(), b"mine")
        self.fails(2, ["same file"], "convert", self.out, self.out, "--force")
        self.fails(2, ["same file"], "convert", self.out, self.folder / "." / "out.safetensors", "--force")

    def test_names_that_say_no_format(self):
        for name in ("out", "out.bin", "out.npy", "out.json"):
            self.fails(2, [".safetensors or .npz"], "convert", TINY_BERT, self.folder / name)
        self.fails(2, ["folder"], "convert", TINY_BERT, self.folder / "none" / "out.npz")
        self.fails(2, ["OUT"], "convert", TINY_BERT)

    def test_a_file_of_the_model_is_never_the_result(self):
        model = self.folder / "model"
        shutil.copytree(TINY_BERT.parent, model)
        before = (model / "model.safetensors").read_bytes()
        self.fails(2, ["the model's model.safetensors"], "convert", model, model / "model.safetensors", "--force")
        self.assertEqual((model / "model.safetensors").read_bytes(), before)

    def test_metadata_cannot_change_how_a_layer_loads(self):
        self.fails(2, ["headwise.check:"], "convert", TINY_BERT, self.out, "--metadata", "headwise.check:x=1")
        self.assertFalse(self.out.exists())

    def test_an_archive_says_what_it_does_not_keep(self):
        result = self.ok("convert", TINY_BERT, self.folder / "a.npz", "--layer", "0")
        self.assertIn(b"--no-model-config --family bert --heads 4", result.err)

    def test_a_failure_leaves_no_file(self):
        self.fails(1, [], "convert", self.folder / "none.safetensors", self.out)
        model = layers.write_layer(self.folder, layers.plain()[0])
        self.fails(2, ["--heads"], "convert", model, self.out)
        self.assertFalse(self.out.exists())
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith(".")], [])

    def test_the_same_bytes_each_time(self):
        self.convert("--dtype", "bf16")
        first = self.out.read_bytes()
        self.convert("--dtype", "bf16", "--force")
        self.assertEqual(self.out.read_bytes(), first)

    def test_summary(self):
        shown = self.convert("--to-family", "torch_mha", "--json").json()
        self.assertEqual((shown["tensors"], shown["dtype"]), (8, "f32"))
        self.assertGreater(shown["tensors_left_out"], 0)
        layer = shown["layers"][1]
        self.assertEqual((layer["family"], layer["to_family"]), ("bert", "torch_mha"))
        self.assertEqual(layer["config"]["num_heads"], 4)
        text = self.convert("--force").out.decode()
        for words in ("16 tensors of f32", "left out", "loads back bit for bit", "encoder.layer.1.attention."):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
