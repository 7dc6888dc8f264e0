"""Runs the headwise command for the tests and makes the files it reads. Standard library only."""

import json
import math
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

TOOL = os.environ["HEADWISE_TOOL"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY_BERT = ROOT / "tests" / "data" / "tiny_bert" / "model.safetensors"
TINY_ENCODER = ROOT / "tests" / "data" / "encoders" / "bert"
TEXT_MODEL = ROOT / "tests" / "data" / "encoders" / "words"
TIMEOUT = 120

FORMATS = {"<f4": "f", "<f8": "d", "<f2": "e", "|b1": "?"}
INTEGERS = {"|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q"}


class Result:
    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    def json(self):
        """The output as strict JSON: no NaN, no Infinity, valid UTF-8, one object."""

        def refuse(word):
            raise AssertionError(f"{word} is no JSON")

        parsed = json.loads(self.out.decode("utf-8"), parse_constant=refuse)
        assert isinstance(parsed, dict)
        return parsed


def run(*arguments, **options):
    """Runs the command; arguments may be strings, bytes or paths."""
    environment = dict(os.environ, **options.pop("environment", {}))
    defaults = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "timeout": TIMEOUT}
    command = [TOOL, *(a if isinstance(a, bytes) else str(a) for a in arguments)]
    return Result(subprocess.run(command, env=environment, **{**defaults, **options}))


def write_npy(path, shape, values, dtype="<f4"):
    shape_text = "(" + "".join(f"{size}, " for size in shape) + ")"
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape_text}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{(FORMATS | INTEGERS)[dtype]}", *values)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return path


def read_npy(path):
    """Shape and values of an f32 file, as the command writes it."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<H", data[8:10])
    header = data[10 : 10 + length].decode()
    assert "'<f4'" in header and "False" in header, header
    inside = header[header.index("(") + 1 : header.index(")")]
    shape = [int(part) for part in inside.split(",") if part.strip()]
    return shape, list(struct.unpack(f"<{math.prod(shape)}f", data[10 + length :]))


def write_safetensors(path, tensors):
    """tensors: name -> (shape, f32 values)."""
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    path = os.fsencode(path)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)
    return path


def identity(size):
    return [size, size], [float(row == column) for row in range(size) for column in range(size)]


def zeros(*shape):
    return list(shape), [0.0] * math.prod(shape)


def wave(count, step=0.7):
    """Plain numbers without a pattern that a mistake could hide in."""
    return [math.sin(step * (i + 1)) for i in range(count)]


def read_case(name):
    """Inputs and expected values of a case file."""
    case = json.loads((ROOT / "tests" / "data" / "cases" / f"{name}.json").read_text())
    return case["inputs"], case["expected"]


def every_command(query):
    """A quick call of each sub-command that reads or measures something, by its name."""
    small = ["--shapes", "1x8x32x4", "--min-time", "0.001", "--rounds", "1"]
    return {
        "inspect": ["inspect", TINY_BERT],
        "run": ["run", TINY_BERT, "--query", query, "--repeat", "1"],
        "explain": ["explain", TINY_BERT, "--query", query],
        "profile": ["profile", TINY_BERT, "--query", query, "--repeat", "1", "--no-limits"],
        "verify": ["verify", TINY_BERT, "--query", query],
        "convert": ["convert", TINY_BERT, os.fsdecode(query) + ".safetensors", "--force"],
        "bench": ["bench", *small, "--quiet"],
        "embed": ["embed", TINY_ENCODER, "--text", "a b", "--quiet"],
        "similar": ["similar", TINY_ENCODER, "a b", "c", "--quiet"],
        "view": ["view", TEXT_MODEL, "--text", "the bank", "-o", os.fsdecode(query) + ".html"],
        "ask-heads": ["ask-heads", TEXT_MODEL, "--text", "the bank", "--from", "the", "--to", "bank"],
        "info": ["info"],
    }


def every_page(query):
    """The same, and what is printed without --json: help, version, scripts, pages."""
    pages = {name: [name, "--help"] for name in every_command(query)}
    pages |= {"help": ["--help"], "version": ["--version"], "verbose": ["--version", "--verbose"]}
    pages |= {"man": ["man"]} | {shell: ["completion", shell] for shell in ("bash", "zsh", "fish")}
    return {f"{name} page": arguments for name, arguments in pages.items()} | every_command(query)


def spoil_words(model, *words):
    """Makes the embeddings of these words in a tiny text model NaN; all of them without words."""
    path = model / "model.safetensors"
    data = bytearray(path.read_bytes())
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    name = next(name for name in header if name.endswith("word_embeddings.weight"))
    (rows, _), (begin, end) = header[name]["shape"], header[name]["data_offsets"]
    size = (end - begin) // rows
    vocabulary = (model / "vocab.txt").read_text().split()
    for row in [vocabulary.index(word) for word in words] or range(rows):
        start = 8 + length + begin + row * size
        data[start : start + size] = struct.pack("<f", math.nan) * (size // 4)
    path.write_bytes(data)


def write_layer(folder, name="m.safetensors"):
    """A layer of width 4 and two heads in a file of a folder, which may be bytes."""
    model = {f"w_{part}.weight": identity(4) for part in "qkvo"}
    path = os.path.join(os.fsencode(folder), os.fsencode(name))
    return write_safetensors(path, model)


class CommandTest(unittest.TestCase):
    """A test with a folder of its own and a query that fits the tiny model."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.query = write_npy(self.folder / "query.npy", [2, 5, 32], wave(2 * 5 * 32))

    def ok(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.code, 0, result.err)
        return result

    def fails(self, code, words, *arguments, **options):
        """One line on stderr that names these words, nothing on stdout."""
        result = run(*arguments, **options)
        message = result.err.decode()
        self.assertEqual(result.code, code, message)
        self.assertTrue(message.startswith("headwise: "), message)
        self.assertEqual(message.count("\n"), 1, message)
        for word in words:
            self.assertIn(word, message)
        self.assertFalse(result.out)
        return message

    def run_tiny(self, *arguments, **options):
        return self.ok("run", TINY_BERT, "--query", self.query, "--repeat", "1", *arguments, **options)

    def output_of(self, *arguments, **options):
        """The output of a run as shape and values."""
        path = self.folder / "output.npy"
        self.run_tiny("--output", path, *arguments, **options)
        return read_npy(path)

    def assert_close(self, left, right, tolerance=1e-5):
        self.assertEqual(len(left), len(right))
        for a, b in zip(left, right):
            self.assertLessEqual(abs(a - b), tolerance * (1 + abs(b)))
