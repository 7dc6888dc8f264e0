"""The tiny text encoder, texts for it, and what its embeddings are."""

import json
import shutil
import struct

from command import TINY_ENCODER, CommandTest
from sentence_reference import Bert

WORDS = (TINY_ENCODER / "vocab.txt").read_text().split()
CLS, SEP = 2, 3
TEXTS = ["a b c", "", "ab, cd", "é\u0301 A", "u t s r q p o n", "[MASK] a", "中"]
IDS = [[5, 6, 7], [], [5, 27, 28, 1], [9, 5], [25, 24, 23, 22, 21, 20, 19, 18], [4, 5], [1]]


# The names of the settings of a transformer, in the order of sentence-transformers.
KINDS = ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
SENTENCE_CONFIGS = [f"sentence_{kind}_config.json" for kind in KINDS]


class EmbedTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        shutil.copytree(TINY_ENCODER, self.model)
        self.bert = Bert(self.model)

    def texts_file(self, texts, end="\n"):
        path = self.folder / "texts.txt"
        path.write_bytes(b"".join((t if isinstance(t, bytes) else t.encode()) + end.encode() for t in texts))
        return path

    def expected(self, **options):
        return [self.bert.embedding([CLS, *ids, SEP], **options) for ids in IDS]

    def lines(self, *arguments, **options):
        out = self.ok("embed", self.model, *arguments, **options).out.decode()
        return [json.loads(line) for line in out.splitlines()]

    def embeddings(self, *arguments, **options):
        return [line["embedding"] for line in self.lines(*arguments, **options)]

    def check(self, found, wanted, tolerance=5e-6):
        self.assertEqual(len(found), len(wanted))
        for row, other in zip(found, wanted):
            self.assertEqual(len(row), len(other))
            self.assertLess(max(abs(a - b) for a, b in zip(row, other)), tolerance)

    def modules(self, pooling, normalize=False):
        kinds = [("", "Transformer"), ("1_Pooling", "Pooling")] + [("2_Normalize", "Normalize")] * normalize
        modules = [
            {"idx": i, "path": path, "type": f"sentence_transformers.models.{kind}"}
            for i, (path, kind) in enumerate(kinds)
        ]
        (self.model / "modules.json").write_text(json.dumps(modules))
        (self.model / "1_Pooling").mkdir(exist_ok=True)
        (self.model / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))

    def says(self, name, **settings):
        """Adds settings to a JSON file of the model."""
        path = self.model / name
        old = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(old | settings))

    def cut_positions(self, count):
        """Makes the model one of fewer positions."""
        self.says("config.json", max_position_embeddings=count)
        path = self.model / "model.safetensors"
        data = path.read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        header, tensors = json.loads(data[8 : 8 + length]), data[8 + length :]
        rest = b""
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            if name.endswith("position_embeddings.weight"):
                end = begin + (end - begin) // entry["shape"][0] * count
                entry["shape"][0] = count
            entry["data_offsets"] = [len(rest), len(rest) + end - begin]
            rest += tensors[begin:end]
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + rest)

    @staticmethod
    def as_f32(rows):
        return [struct.unpack(f"<{len(row)}f", struct.pack(f"<{len(row)}f", *row)) for row in rows]
