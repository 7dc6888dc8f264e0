"""Which tokens are of which text, where types do not tell: the tokenizer's template does."""

import json
import shutil
import struct
import unittest
import zipfile

from command import TEXT_MODEL, CommandTest, write_safetensors
from sentence_reference import Bert
from view_pages import blocks

WORDS = (TEXT_MODEL / "vocab.txt").read_text().split()


def read_safetensors(path):
    """name -> (shape, f32 values), as write_safetensors takes it."""
    data = path.read_bytes()
    begin = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        tensors[name] = (entry["shape"], struct.unpack(f"<{(last - first) // 4}f", data[begin + first : begin + last]))
    return tensors


def special(name, kind=0):
    return {"SpecialToken": {"id": name, "type_id": kind}}


def text(name, kind=0):
    return {"Sequence": {"id": name, "type_id": kind}}


def template(first=0, second=0):
    parts = {name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    single = [special("[CLS]"), text("A", first), special("[SEP]")]
    pair = [*single, text("B", second), special("[SEP]", second)]
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": parts}


ROBERTA = {
    "type": "RobertaProcessing",
    "sep": ["[SEP]", WORDS.index("[SEP]")],
    "cls": ["[CLS]", WORDS.index("[CLS]")],
    "trim_offsets": True,
    "add_prefix_space": False,
}


class Pairs(CommandTest):
    def setUp(self):
        super().setUp()
        self.model, self.page = self.folder / "model", self.folder / "page.html"
        shutil.copytree(TEXT_MODEL, self.model)

    def use(self, processor):
        tokenizer = {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": True,
                "handle_chinese_chars": True,
                "strip_accents": None,
                "lowercase": True,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": processor,
            "decoder": None,
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {word: place for place, word in enumerate(WORDS)},
            },
        }
        (self.model / "tokenizer.json").write_text(json.dumps(tokenizer))

    def segments(self, *texts):
        export = self.folder / "w.npz"
        self.ok("view", self.model, *texts, "-o", self.page, "--export", export, "--bertviz", self.folder / "b.json")
        with zipfile.ZipFile(export) as archive:
            archive.extractall(self.folder)
        data, _ = blocks(self.page.read_text())
        count = len(data["tokens"])
        exported = struct.unpack(f"<{count}q", (self.folder / "segments.npy").read_bytes()[-8 * count :])
        self.assertEqual(data["segments"], list(exported))
        return data["segments"]

    def ranks(self, *arguments):
        return self.ok("ask-heads", self.model, *arguments, "--json").json()

    def test_a_text_of_any_type(self):
        for kind in (0, 1):
            with self.subTest(kind=kind):
                self.use(template(first=kind))
                self.assertEqual(self.segments("--text", "the bank of money"), [0, 1, 1, 1, 1, 0])
                shown = self.ranks("--text", "the bank of money", "--from", "bank", "--to", "money")
                self.assertEqual((shown["from"]["positions"], shown["to"]["positions"]), ([2], [4]))

    def test_a_pair_of_any_types(self):
        for first, second in ((0, 0), (0, 1), (1, 0), (1, 1)):
            with self.subTest(first=first, second=second):
                self.use(template(first, second))
                self.look_at_pair([0, 1, 1, 0, 2, 2, 2, 0], 4)

    def test_a_pair_of_roberta(self):
        self.use(ROBERTA)
        self.look_at_pair([0, 1, 1, 0, 0, 2, 2, 2, 0], 5)

    def look_at_pair(self, segments, second):
        """The second text is longer than the first: a word of it cut out of the first would not be there."""
        texts = ("--text", "the bank", "--pair", "was full money")
        self.assertEqual(self.segments(*texts), segments)
        shown = self.ranks(*texts, "--from", "bank", "--to", "money")
        self.assertEqual((shown["from"]["positions"], shown["to"]["positions"]), ([2], [second + 2]))
        self.assertEqual(json.loads((self.folder / "b.json").read_text())["sentence_b_start"], second)

    def test_embeddings_take_the_types(self):
        for kind in (0, 1):
            self.use(template(first=kind))
            found = self.ok("embed", self.model, "--text", "the bank", "--text", "money").out.decode().splitlines()
            for line, words in zip(found, (["the", "bank"], ["money"]), strict=True):
                ids = [WORDS.index(word) for word in ["[CLS]", *words, "[SEP]"]]
                wanted = Bert(self.model).embedding(ids, types=[0, *[kind] * len(words), 0])
                embedding = json.loads(line)["embedding"]
                self.assertLess(max(abs(a - b) for a, b in zip(embedding, wanted, strict=True)), 5e-6)

    def leave_one_type(self):
        path = self.model / "model.safetensors"
        tensors = read_safetensors(path)
        name = next(name for name in tensors if "token_type" in name)
        (_, width), values = tensors[name]
        write_safetensors(path, tensors | {name: ([1, width], values[:width])})
        config = json.loads((self.model / "config.json").read_text())
        (self.model / "config.json").write_text(json.dumps(config | {"type_vocab_size": 1}))

    def test_types_that_the_model_does_not_have(self):
        self.use(template(second=1))
        self.leave_one_type()
        self.segments("--text", "the bank")
        words = ["model", "type 1", "0 to 0", "pairs of texts"]
        self.fails(1, words, "view", self.model, "--text", "the", "--pair", "bank", "-o", self.folder / "none.html")
        asked = ("ask-heads", self.model, "--text", "the", "--pair", "bank", "--from", "the", "--to", "bank")
        self.fails(1, words, *asked)
        self.use(template(first=1))
        known = ("--pooling", "mean", "--no-normalize")
        self.fails(1, ["model", "type 1", "0 to 0"], "embed", self.model, "--text", "the", *known)
        self.fails(1, ["model", "type 1", "0 to 0"], "similar", self.model, "the", "bank", "--pooling", "mean")
        self.assertFalse((self.folder / "none.html").exists())


if __name__ == "__main__":
    unittest.main()
