#!/usr/bin/env python3
"""Holds headwise's tokenizer against Hugging Face's tokenizers: ids, token types, the bytes, the word and the text of each token.

Usage: compare_tokens.py RUNNER FOLDER [MODEL_FOLDER]

Writes vocabularies, settings and texts into FOLDER; RUNNER is run_tokens. MODEL_FOLDER holds a real tokenizer.json.
"""

import pathlib
import struct
import subprocess
import sys

import tokenizers

from multilingual_text import lines
from token_vocabularies import variants

LONGEST = 1 << 40


def write_texts(path, texts):
    path.write_bytes(b"".join(struct.pack("<I", len(text)) + text for text in texts))


def read_results(path):
    data = memoryview(path.read_bytes())
    place = 0
    while place < len(data):
        (count,) = struct.unpack_from("<I", data, place)
        numbers = list(data[place + 4 : place + 4 + 8 * count].cast("q"))
        yield [numbers[i * count // 6 : (i + 1) * count // 6] for i in range(6)]
        place += 4 + 8 * count


def replaced(data):
    """A text as Python reads it, with the first byte of each of its characters and the end."""
    text, places, at = "", [], 0
    while at < len(data):
        try:
            good = data[at:].decode()
        except UnicodeDecodeError as error:
            good = data[at : at + error.start].decode()
            broken = at + error.start, at + error.end
        else:
            broken = None
        for character in good:
            places.append(at)
            at += len(character.encode())
        text += good
        if broken:
            places.append(broken[0])
            text += "\ufffd"
            at = broken[1]
    return text, places + [len(data)]


def expected(encoding, places):
    rows = [encoding.ids, encoding.type_ids, [], [], [], []]
    for (start, end), word, sequence in zip(encoding.offsets, encoding.word_ids, encoding.sequence_ids):
        inside = sequence is not None
        rows[2].append(places[sequence][start] if inside else 0)
        rows[3].append(places[sequence][end] if inside else 0)
        rows[4].append(word if inside else -1)
        rows[5].append(sequence if inside else -1)
    return rows


def reference(path, texts, pairs):
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if pairs:
        tokenizer.enable_truncation(40)
    step = 2 if pairs else 1
    for i in range(0, len(texts) - step + 1, step):
        parts = [replaced(text) for text in texts[i : i + step]]
        yield expected(tokenizer.encode(*(text for text, _ in parts)), [places for _, places in parts])


def differences(runner, folder, name, path, texts, mode):
    text_file, result_file = folder / f"{name}.texts", folder / f"{name}.results"
    write_texts(text_file, texts)
    subprocess.run(
        [runner, mode, path.parent if path.name != "tokenizer.json" else path, text_file, result_file], check=True
    )
    step = 2 if mode == "pairs" else 1
    wrong = [0] * 6
    examples = []
    for i, (ours, theirs) in enumerate(
        zip(read_results(result_file), reference(path, texts, mode == "pairs"), strict=True)
    ):
        for row in range(len(wrong)):
            if ours[row] != theirs[row]:
                wrong[row] += 1
                if len(examples) < 5:
                    examples.append((texts[i * step : (i + 1) * step], row, theirs[row], ours[row]))
    return wrong, examples


def report(name, mode, texts, wrong, examples):
    print(
        f"{name}, {mode}: {len(texts)} lines, wrong: ids {wrong[0]}, types {wrong[1]}, starts {wrong[2]}, "
        f"ends {wrong[3]}, words {wrong[4]}, texts {wrong[5]}"
    )
    for texts_, row, theirs, ours in examples:
        print(f"  {[text[:300] for text in texts_]}")
        print(f"    row {row}: expected {theirs[:60]}")
        print(f"    row {row}: found    {ours[:60]}")
    return any(wrong)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    runner, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    texts = lines()
    cases = dict(variants(folder, texts))
    if len(sys.argv) == 4:
        cases["real"] = pathlib.Path(sys.argv[3]) / "tokenizer.json"
    failed = False
    for name, path in cases.items():
        for mode in ("texts", "pairs"):
            failed |= report(name, mode, texts, *differences(runner, folder, name, path, texts, mode))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
