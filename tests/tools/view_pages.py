"""What pages of `headwise view` hold, and the array that the tests of the command make them of."""

import base64
import json
import math
import re
import struct

from command import CommandTest, write_npy


def blocks(page):
    """The data of a page, and its codes of weights by layer and head."""
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1))
    found = re.findall(r'<script type="text/plain" id="weights-(\d+)-(\d+)">([^<]*)</script>', page)
    codes = {}
    for layer, head, text in found:
        raw = base64.b64decode(text, validate=True)
        codes[int(layer), int(head)] = struct.unpack(f"<{len(raw) // 2}H", raw)
    return data, codes


def weight_of(code):
    if code == 0:
        return 0.0
    return float(f"{1000 + (code - 1) % 9000}e{(code - 1) // 9000 - 10}")


def figures_of(rows, tokens):
    """The figures of a head as their definitions read: means over the queries, shares of their weight."""
    count = len(tokens)
    pairs = [(query, key, rows[query][key]) for query in range(count) for key in range(count)]

    def share(holds, queries=count):
        return sum(w for query, key, w in pairs if holds(query, key)) / queries

    entropy = -sum(w * math.log2(w) for _, _, w in pairs if w > 0) / count
    first, separator = (share(lambda _, key, name=name: tokens[key] == name) for name in ("[CLS]", "[SEP]"))
    return {
        "entropy": entropy,
        "entropy_share": entropy / math.log2(count),
        "distance": sum(w * abs(query - key) for query, key, w in pairs) / count,
        "first": first,
        "separator": separator,
        "special": first + separator,
        "itself": share(lambda query, key: query == key),
        "same": share(lambda query, key: tokens[query] == tokens[key]),
        "previous": share(lambda query, key: key == query - 1, count - 1),
        "next": share(lambda query, key: key == query + 1, count - 1),
    }


class ViewTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.weights = [0.125 + 0.0625 * (i % 5) for i in range(2 * 3 * 4 * 4)]
        self.array = write_npy(self.folder / "w.npy", [2, 3, 4, 4], self.weights)
        self.tokens = self.folder / "tokens.txt"
        self.tokens.write_text("[CLS]\nplay\n##ing\n[SEP]\n")
        self.page = self.folder / "page.html"

    def view(self, *arguments):
        return self.ok("view", "--attention", self.array, *arguments, "-o", self.page)

    def shown(self):
        return blocks(self.page.read_text())

    def assert_weights(self, codes, weights):
        self.assertEqual([weight_of(code) for code in codes], [float(f"{w:.3e}") for w in weights])

    def array_call(self, *arguments):
        return ["view", "--attention", self.array, *arguments, "-o", self.page]

    def lines(self, count):
        path = self.folder / "lines.txt"
        path.write_text("a\n" * count)
        return path
