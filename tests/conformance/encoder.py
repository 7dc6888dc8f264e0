"""Holds headwise's encoder against torch on a real model: hidden states of every layer, weights of every head.

Both f32 results are compared with torch in float64. In every layer the root of headwise's mean squared error must be no
larger than torch's own. The largest of many errors is a matter of luck on either side: one badly conditioned row makes
it, and another order of the same sums makes it half or twice as large. So it may be LARGEST times torch's.

Usage: encoder.py RUNNER MODEL_FOLDER WORK_FOLDER
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from bert_torch import Bert

SEED = 7
LARGEST = 2
# Short sentences are many, since the errors of a few tokens say little.
LENGTHS = {
    "1 token": [1] * 128,
    "2 tokens": [2] * 96,
    "7 tokens": [7] * 64,
    "16 tokens": [16] * 32,
    "128 tokens": [128] * 8,
    "511 tokens": [511],
    "512 tokens": [512],
    "ragged batch": [1, 300, 2, 17, 64, 7, 129, 33, 512, 5],
}
CLS, SEP, FIRST_WORD = 101, 102, 999  # ids of the vocabulary that BERT's uncased models share


@dataclass
class Case:
    name: str
    sequences: list[torch.Tensor]

    @property
    def path(self) -> str:
        return self.name.replace(" ", "_")


def sentence(generator: torch.Generator, length: int, words: int) -> torch.Tensor:
    ids = torch.randint(FIRST_WORD, words, (length,), generator=generator)
    if length > 2:  # else all sentences would be one
        ids[0], ids[-1] = CLS, SEP
    return ids


def make_cases(words: int) -> list[Case]:
    generator = torch.Generator().manual_seed(SEED)
    return [Case(name, [sentence(generator, n, words) for n in lengths]) for name, lengths in LENGTHS.items()]


def write_case(case: Case, folder: Path) -> None:
    starts = np.cumsum([0] + [len(ids) for ids in case.sequences])
    np.save(folder / f"{case.path}.ids.npy", torch.cat(case.sequences).numpy())
    np.save(folder / f"{case.path}.starts.npy", starts.astype(np.int64))


class Errors:
    """What one side is off by in a layer each: the squares of all errors added up, and the largest."""

    def __init__(self):
        self.squares, self.largest = 0.0, 0.0

    def add(self, got, wanted) -> None:
        difference = np.abs(np.asarray(got, np.float64) - np.asarray(wanted))
        rows = difference.reshape(len(difference), -1)
        self.squares = self.squares + (rows**2).sum(axis=1)
        self.largest = np.maximum(self.largest, rows.max(axis=1))


def compare(case: Case, folder: Path, exact: Bert, single: Bert) -> dict[str, tuple[Errors, Errors]]:
    """For states and attention the errors of headwise and torch."""
    states = np.load(folder / f"{case.path}.states.npy")
    attention = np.load(folder / f"{case.path}.attention.npy")
    errors, first = {"states": (Errors(), Errors()), "attention": (Errors(), Errors())}, 0
    for b, ids in enumerate(case.sequences):
        n = len(ids)
        wanted, own = exact.run(ids), single.run(ids)
        got = states[:, first : first + n], attention[:, b, :, :n, :n]
        if attention[:, b, :, n:, :].any() or attention[:, b, :, :, n:].any():
            raise SystemExit(f"{case.name}: weights past the length of sequence {b}")
        for (ours, torchs), g, o, w in zip(errors.values(), got, own, wanted):
            ours.add(g, w)
            torchs.add(o, w)
        first += n
    return errors


def report(case: Case, errors: dict[str, tuple[Errors, Errors]]) -> int:
    failed = 0
    for kind, (ours, torchs) in errors.items():
        worse = (ours.squares > torchs.squares) | (ours.largest > LARGEST * torchs.largest)
        failed += int(worse.sum())
        verdict = "FAILED" if worse.any() else "passed"
        with np.errstate(invalid="ignore"):
            shares = np.nan_to_num(np.sqrt(ours.squares / torchs.squares))
        mean = " ".join(f"{share:.2f}" for share in shares)
        largest = " ".join(f"{a:.2g}/{b:.2g}" for a, b in zip(ours.largest, torchs.largest))
        print(f"{case.name:>12} {kind:<9} {verdict}; by layer: r.m.s. error {mean} of torch's, largest {largest}")
    return failed


def main() -> None:
    runner, model, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    torch.set_grad_enabled(False)
    exact, single = Bert(model, torch.float64), Bert(model, torch.float32)
    cases = make_cases(exact.config["vocab_size"])
    for case in cases:
        write_case(case, work)
    subprocess.run([runner, model, work], check=True)
    failed = sum(report(case, compare(case, work, exact, single)) for case in cases)
    print(f"encoder: {len(cases)} cases, {failed} layers where headwise's error is larger than torch's")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
