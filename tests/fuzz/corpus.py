#!/usr/bin/env python3
"""The inputs of the fuzz targets: crafted files and cases, and what fuzzing found, packed as lines of hexadecimal.

Usage: corpus.py unpack TARGET FOLDER       all inputs of a target as files
       corpus.py pack TARGET FOLDER         corpus/TARGET.txt from the files that crafted files and cases do not give
       corpus.py replay PROGRAM TARGET      runs a target's program on all its inputs
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS / "verdicts"))

from crafted_config import crafted_config  # noqa: E402
from crafted_json import crafted_index, crafted_map  # noqa: E402
from crafted_layouts import crafted_safetensors  # noqa: E402
from crafted_npy import crafted_npy  # noqa: E402
from crafted_npz import crafted_npz  # noqa: E402
from crafted_sentence import crafted_sentence  # noqa: E402
from crafted_tokenizer import crafted_text, crafted_tokenizer  # noqa: E402

MAX_BYTES = 20_000  # longer inputs slow fuzzing and are covered by the verdicts
CRAFTED = {"safetensors": crafted_safetensors, "npy": crafted_npy, "npz": crafted_npz, "config": crafted_config,
           "index": crafted_index, "map": crafted_map, "encoder": crafted_config, "tokenizer": crafted_tokenizer,
           "text": crafted_text, "sentence": crafted_sentence}  # fmt: skip
CASES = {"safetensors": "*.safetensors", "npy": "*.npy", "npz": "*.npz", "index": "*.index.json",
         "tokenizer": "tokenizer.json", "text": "vocab.txt"}  # fmt: skip


def crafted_inputs(target):
    yield from (file.data for file in CRAFTED[target]() if not file.length)
    for path in sorted((TESTS / "data").rglob(CASES.get(target, "config.json"))):
        yield path.read_bytes()


def packed_inputs(target):
    path = HERE / "corpus" / f"{target}.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return (bytes.fromhex(line) for line in lines if not line.startswith("#"))


def name_of(data):
    return hashlib.sha256(data).hexdigest()[:16]


def unpack(target, folder):
    for data in (*crafted_inputs(target), *packed_inputs(target)):
        if len(data) <= MAX_BYTES:
            (pathlib.Path(folder) / name_of(data)).write_bytes(data)


def pack(target, folder):
    known = {name_of(data) for data in crafted_inputs(target)}
    found = {path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    lines = sorted((data.hex() for data in found if name_of(data) not in known), key=lambda line: (len(line), line))
    header = "# Inputs that reach code which crafted files and cases do not; written by run.sh --write.\n"
    (HERE / "corpus").mkdir(exist_ok=True)
    (HERE / "corpus" / f"{target}.txt").write_text(header + "".join(f"{line}\n" for line in lines))


def replay(program, target):
    with tempfile.TemporaryDirectory() as folder:
        unpack(target, folder)
        done = subprocess.run([program, folder], capture_output=True, text=True, errors="replace", check=False)
        last = done.stdout.splitlines()[-1:]
        print(*last, done.stderr[-4000:])
        if done.returncode != 0 and last:
            failed = pathlib.Path(folder) / last[0]
            print(f"stopped at {failed.read_bytes().hex() if failed.exists() else 'no input'}")
        sys.exit(0 if done.returncode == 0 else 1)


def main():
    commands = {"unpack": unpack, "pack": pack, "replay": replay}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
