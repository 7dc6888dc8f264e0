"""Attention weights made by hand, and what a page should say of them. Standard library only."""

import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from command import run, write_npy  # noqa: E402

SENTENCE = ["[CLS]", "the", "bank", "was", "full", "of", "money", ".", "[SEP]"]
PAIR = ["[CLS]", "the", "bank", "[SEP]", "it", "was", "full", "[SEP]"]
LAYERS, HEADS = 2, 3


def softmax(scores):
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def score(layer, head, query, key):
    """Head 0 of layer 0 looks at the token before, head 1 at the one after, head 2 at all; the others are plain."""
    if layer == 0 and head < 2:
        return 9.0 * (key - query == (1 if head else -1))
    return (0.1 if layer == 0 else 2.5) * math.sin(1.7 * query + 0.6 * key * (head + 1) + layer)


def as_float(value):
    """The f32 nearest to a number, as the file holds it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Weights:
    """[layers][heads][queries][keys] of f32, in a .npy file with the tokens beside it."""

    def __init__(self, folder, tokens, layers=LAYERS, heads=HEADS):
        self.folder, self.tokens, self.layers, self.heads = pathlib.Path(folder), tokens, layers, heads
        size = range(len(tokens))
        self.rows = [
            [
                [[as_float(w) for w in softmax([score(layer, head, query, key) for key in size])] for query in size]
                for head in range(heads)
            ]
            for layer in range(layers)
        ]
        self.write()

    def write(self):
        flat = [w for layer in self.rows for head in layer for row in head for w in row]
        size = len(self.tokens)
        write_npy(self.folder / "w.npy", [self.layers, self.heads, size, size], flat)
        text = "\n".join(self.tokens)
        (self.folder / "tokens.txt").write_bytes(text.encode("utf-8", "surrogateescape"))

    def arguments(self):
        return ["--attention", self.folder / "w.npy", "--by-layer", "--tokens", self.folder / "tokens.txt"]

    def page(self, name="page.html"):
        """Writes the page and returns its path."""
        result = run("view", *self.arguments(), "-o", self.folder / name)
        assert result.code == 0, result.err
        return self.folder / name

    def mean(self, chosen, query, key):
        return sum(self.rows[layer][head][query][key] for layer, head in chosen) / len(chosen)


def shown_as(weight, digits=4):
    """A weight rounded as the page rounds it."""
    return float(f"{weight:.{digits - 1}e}") if weight >= 0.99995e-7 else 0.0
