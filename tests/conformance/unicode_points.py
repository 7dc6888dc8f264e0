#!/usr/bin/env python3
"""Holds headwise's cleaning of text against Hugging Face's tokenizers for every code point that UTF-8 can write: alone,
between letters, and between marks that canonical order would swap.

Usage: unicode_points.py RUNNER FOLDER
"""

import json
import pathlib
import subprocess
import sys

import tokenizers

from compare_tokens import read_results, write_texts
from token_vocabularies import SPECIAL, tokenizer_json

TOGETHER = 16  # code points in a text; a difference is then looked for in each alone
SETTINGS = {
    "uncased": {},
    "cased": {"lowercase": False},
    "accents stripped, cased": {"lowercase": False, "strip_accents": True},
    "lower case with accents": {"strip_accents": False},
    "not cleaned": {"clean_text": False, "handle_chinese_chars": False},
}


def vocabulary():
    """Every character of the planes that have letters, each with ids of its own; others are unknown or dropped."""
    planes = [0, 1, 2, 3, 14]
    characters = [
        chr(plane << 16 | low)
        for plane in planes
        for low in range(0x10000)
        if not (plane == 0 and 0xD800 <= low < 0xE000)
    ]
    return SPECIAL + characters + ["##" + character for character in characters]


def contexts(codes):
    return " ".join(f"{c} a{c}b a\u302e{c}\u1b44b" for c in map(chr, codes)).encode()


def ids_of(runner, folder, path, texts):
    write_texts(folder / "points.texts", texts)
    subprocess.run([runner, "texts", path, folder / "points.texts", folder / "points.results"], check=True)
    return [rows[0] for rows in read_results(folder / "points.results")]


def differing(runner, folder, path, groups):
    reference = tokenizers.Tokenizer.from_file(str(path))
    texts = [contexts(group) for group in groups]
    ours = ids_of(runner, folder, path, texts)
    theirs = reference.encode_batch_fast([text.decode() for text in texts])
    return [group for group, our, their in zip(groups, ours, theirs, strict=True) if our != their.ids]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    runner, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    codes = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    groups = [codes[i : i + TOGETHER] for i in range(0, len(codes), TOGETHER)]
    tokens = vocabulary()
    failed = False
    for name, normalizer in SETTINGS.items():
        path = folder / "tokenizer.json"
        path.write_text(json.dumps(tokenizer_json(tokens, normalizer), ensure_ascii=False), encoding="utf-8")
        wrong = differing(runner, folder, path, groups)
        single = differing(runner, folder, path, [[code] for group in wrong for code in group]) if wrong else []
        failed |= bool(wrong)
        print(f"{name}: {len(codes)} code points, {len(single) or len(wrong)} differ", flush=True)
        print(*(f"  U+{code:04X}" for (code,) in single[:200]), sep="\n" if single else "", end="\n" if single else "")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
