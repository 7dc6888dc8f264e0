#!/usr/bin/env python3
"""Writes tests/data/tokens: small tokenizers and what Hugging Face's tokenizers makes of some lines with them.

Needs the packages of tests/conformance/requirements.txt. The lines are a sample of those of tests/conformance, as
hexadecimal bytes; some are no UTF-8.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from compare_tokens import reference  # noqa: E402
from multilingual_text import hostile_lines, lines  # noqa: E402
from token_vocabularies import variants  # noqa: E402

FOLDER = HERE / "tokens"
KEPT = ["lower_accents", "added"]
ROWS = ["ids", "token_types", "starts", "ends", "words", "sequence_ids"]


def sample():
    few = list(hostile_lines())
    return [line for line in few if len(line) < 800] + [line for line in lines()[len(few) :: 300] if len(line) < 300]


def cases(path, texts):
    for mode, pairs in (("text", False), ("pair", True)):
        step = 2 if pairs else 1
        for i, rows in enumerate(reference(path, texts, pairs)):
            given = [text.hex() for text in texts[i * step : (i + 1) * step]]
            yield {mode: given, "max_length": 40 if pairs else 1_000_000} | dict(zip(ROWS, rows))


def main():
    texts = sample()
    FOLDER.mkdir(exist_ok=True)
    for name, path in variants(FOLDER, texts):
        if name not in KEPT:
            path.unlink()
            path.parent.rmdir()
            continue
        text = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases(path, texts))
        (path.parent / "expected.jsonl").write_text(text)


if __name__ == "__main__":
    main()
