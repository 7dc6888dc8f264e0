"""Files tokenizer.json that lie on both sides of their rules, and texts that are not what they should be."""

import json
import pathlib
import sys

from crafted import Collection
from crafted_json import forms

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "conformance"))

from multilingual_text import hostile_lines, lines  # noqa: E402
from token_vocabularies import SPECIAL, strange_tokens, tokenizer_json  # noqa: E402

TOKENS = [*SPECIAL, "a", "##a", "b", "##b", "un", "##able", ",", "é", "中", "token", "##s", "\ufffd"]


def changed(key, value):
    file = tokenizer_json(TOKENS, {})
    *path, last = key.split(".")
    part = file
    for name in path:
        part = part[name]
    part[last] = value
    return json.dumps(file)


def crafted_tokenizer():
    add = (collection := Collection(".tokenizer.json")).add
    good = json.dumps(tokenizer_json(TOKENS, {}, strange_tokens(len(TOKENS))))
    forms(add, "model", good)
    add("good", good.encode())
    for key in (
        "model",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "added_tokens",
        "model.vocab",
        "model.type",
        "model.unk_token",
        "model.max_input_chars_per_word",
        "normalizer.lowercase",
        "post_processor.single",
    ):
        for index, value in enumerate((None, True, -1, 0, 7, 1e300, "x", "", [], [1], {}, {"type": "BPE"}, [["a", 1]])):
            add(f"{key}_{index:02d}", changed(key, value).encode())
    for index, value in enumerate((0, 5, 17, 1000, 1 << 31, 1 << 63, -1, 1.5, "0")):
        add(f"id_{index}", changed("model.vocab", dict(zip(TOKENS, range(17))) | {"new": value}).encode())
        add(f"added_id_{index}", changed("added_tokens", [{"id": value, "content": "<new>"}]).encode())
    return collection.files


def crafted_text():
    add = (collection := Collection(".text")).add
    for index, line in enumerate((*hostile_lines(), *lines()[16::60])):
        add(f"line_{index}", line)
    return collection.files
