#!/usr/bin/env python3
"""Writes tests/data/tiny_bert: a two-layer encoder of the BERT family with random weights, small enough for git.

It stands in for the real file where that cannot be fetched. Standard library only, and the same bytes on every machine.
"""

import json
import os
import random
import string
import struct

WIDTH, HEADS, LAYERS, POSITIONS, INNER = 32, 4, 2, 64, 64
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiny_bert")


def vocabulary():
    """A few whole words, and every letter, digit and mark, so that any ASCII sentence can be spelled."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = ["the", "bank", "was", "full", "of", "money", "river", "and"]
    letters = string.ascii_lowercase + string.digits
    return special + words + list(letters) + ["##" + c for c in letters] + list(string.punctuation)


def uniform(generator, count, bound):
    return [generator.uniform(-bound, bound) for _ in range(count)]


def matrix(generator, rows, columns, bound):
    return [rows, columns], uniform(generator, rows * columns, bound)


def norm(generator, name):
    yield name + ".weight", ([WIDTH], [1.0 + x for x in uniform(generator, WIDTH, 0.25)])
    yield name + ".bias", ([WIDTH], uniform(generator, WIDTH, 0.25))


def embeddings(generator, words):
    start = "embeddings."
    yield start + "word_embeddings.weight", matrix(generator, words, WIDTH, 1.0)
    yield start + "position_embeddings.weight", matrix(generator, POSITIONS, WIDTH, 0.5)
    yield start + "token_type_embeddings.weight", matrix(generator, 2, WIDTH, 0.1)
    yield from norm(generator, start + "LayerNorm")


def attention(generator, layer):
    start = f"encoder.layer.{layer}.attention."
    for part in ("self.query", "self.key", "self.value", "output.dense"):
        yield f"{start}{part}.weight", matrix(generator, WIDTH, WIDTH, 0.5)
        yield f"{start}{part}.bias", ([WIDTH], uniform(generator, WIDTH, 0.25))


def around_attention(generator, layer):
    """Normalisations and the feed-forward part."""
    start = f"encoder.layer.{layer}."
    yield from norm(generator, start + "attention.output.LayerNorm")
    for name, rows, columns in (("intermediate.dense", INNER, WIDTH), ("output.dense", WIDTH, INNER)):
        yield f"{start}{name}.weight", matrix(generator, rows, columns, 0.3)
        yield f"{start}{name}.bias", ([rows], uniform(generator, rows, 0.25))
    yield from norm(generator, start + "output.LayerNorm")


def model(words):
    generator = random.Random(20)
    yield from embeddings(generator, words)
    for layer in range(LAYERS):
        yield from attention(generator, layer)
    for layer in range(LAYERS):
        yield from around_attention(generator, layer)


def write_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (shape, values) in tensors:
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def config(words):
    return {
        "model_type": "bert",
        "hidden_size": WIDTH,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "intermediate_size": INNER,
        "hidden_act": "gelu",
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-12,
        "vocab_size": words,
    }


def main():
    os.makedirs(FOLDER, exist_ok=True)
    words = vocabulary()
    write_safetensors(os.path.join(FOLDER, "model.safetensors"), model(len(words)))
    with open(os.path.join(FOLDER, "config.json"), "w", encoding="utf-8") as out:
        out.write(json.dumps(config(len(words)), indent=2) + "\n")
    with open(os.path.join(FOLDER, "vocab.txt"), "w", encoding="utf-8") as out:
        out.write("\n".join(words) + "\n")


if __name__ == "__main__":
    main()
