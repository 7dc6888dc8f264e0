#!/usr/bin/env python3
"""Hidden states of a sentence, from a BERT model's own embeddings, as a .npy file.

The sum of the word, position and token-type embeddings and its LayerNorm, computed in double: what enters the first
attention layer. Needs nothing but the standard library.
"""

import argparse
import array
import json
import math
import os
import string
import struct
import sys


class Safetensors:
    """Reads single rows of the f32 tensors of a safetensors file."""

    def __init__(self, path):
        self.file = open(path, "rb")
        (length,) = struct.unpack("<Q", self.file.read(8))
        self.header = json.loads(self.file.read(length))
        self.data_start = 8 + length

    def row(self, name, index):
        """Row `index` of a matrix, or the whole vector when the tensor has one axis (index 0)."""
        info = self.header[name]
        if info["dtype"] != "F32":
            raise SystemExit(f"{name} is {info['dtype']}; only F32 embeddings are supported")
        width = info["shape"][-1]
        self.file.seek(self.data_start + info["data_offsets"][0] + index * width * 4)
        values = array.array("f", self.file.read(width * 4))
        if sys.byteorder == "big":
            values.byteswap()
        return list(values)

    def find_prefix(self, suffix):
        for name in self.header:
            if name.endswith(suffix):
                return name[: -len(suffix)]
        raise SystemExit(f"no tensor ends in {suffix}; this is no model of the BERT family")


def read_vocabulary(path):
    with open(path, encoding="utf-8") as lines:
        return {line.rstrip("\n"): number for number, line in enumerate(lines)}


def split_words(sentence):
    """Lower-case words, each punctuation mark a word of its own."""
    spaced = "".join(f" {c} " if c in string.punctuation else c for c in sentence.lower())
    return spaced.split()


def word_pieces(word, vocabulary):
    """The longest known piece first, then the longest that continues it; [UNK] when no split exists."""
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((e for e in ends if prefix + word[start:e] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


def tokenize(sentence, vocabulary):
    if not sentence.isascii():
        raise SystemExit("only ASCII sentences are supported: accents would need Unicode normalisation")
    pieces = [piece for word in split_words(sentence) for piece in word_pieces(word, vocabulary)]
    return ["[CLS]", *pieces, "[SEP]"]


def layer_norm(values, weight, bias, epsilon):
    mean = math.fsum(values) / len(values)
    variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
    scale = 1.0 / math.sqrt(variance + epsilon)
    return [(v - mean) * scale * w + b for v, w, b in zip(values, weight, bias)]


def hidden_states(model, token_ids, epsilon):
    prefix = model.find_prefix("embeddings.word_embeddings.weight") + "embeddings."
    weight = model.row(prefix + "LayerNorm.weight", 0)
    bias = model.row(prefix + "LayerNorm.bias", 0)
    token_type = model.row(prefix + "token_type_embeddings.weight", 0)
    rows = []
    for position, token in enumerate(token_ids):
        word = model.row(prefix + "word_embeddings.weight", token)
        place = model.row(prefix + "position_embeddings.weight", position)
        rows.append(layer_norm([w + p + t for w, p, t in zip(word, place, token_type)], weight, bias, epsilon))
    return rows


def write_npy(path, rows):
    """An f32 array [1, tokens, width]."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path + ".part", "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii"))
        for row in rows:
            out.write(struct.pack(f"<{len(row)}f", *row))
    os.replace(path + ".part", path)


def check_length(tokens, config):
    limit = config.get("max_position_embeddings", 512)
    if len(tokens) > limit:
        raise SystemExit(f"the sentence has {len(tokens)} tokens, the model takes {limit}; shorten it")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog='example: tools/make_hidden_states.py build/models/all-MiniLM-L6-v2 "The bank was full." -o bank.npy',
    )
    parser.add_argument("model", metavar="MODEL_DIR", help="folder with model.safetensors, config.json and vocab.txt")
    parser.add_argument("sentence", help="an ASCII sentence")
    parser.add_argument("-o", "--output", required=True, help="the .npy file to write, f32 [1, tokens, width]")
    arguments = parser.parse_args()

    with open(os.path.join(arguments.model, "config.json"), encoding="utf-8") as text:
        config = json.load(text)
    vocabulary = read_vocabulary(os.path.join(arguments.model, "vocab.txt"))
    tokens = tokenize(arguments.sentence, vocabulary)
    check_length(tokens, config)
    print("tokens: " + " ".join(tokens), file=sys.stderr)
    model = Safetensors(os.path.join(arguments.model, "model.safetensors"))
    ids = [vocabulary[token] for token in tokens]
    write_npy(arguments.output, hidden_states(model, ids, config.get("layer_norm_eps", 1e-12)))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        raise SystemExit(f"make_hidden_states.py: {error}") from None
