"""Holds headwise's encoder against torch on a real model: hidden states of every layer, weights of every head.

Both f32 results are compared with torch in float64; headwise's largest error in a layer must be no larger than torch's
own. Usage: encoder.py RUNNER MODEL_FOLDER WORK_FOLDER
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from bert_torch import Bert

SEED = 7
# The largest error of a few tokens is a matter of luck, of either side, so short sentences are many.
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


def layer_errors(got, wanted) -> np.ndarray:
    """The largest absolute error of each layer."""
    difference = np.abs(np.asarray(got, np.float64) - np.asarray(wanted))
    return difference.reshape(len(difference), -1).max(axis=1)


def compare(case: Case, folder: Path, exact: Bert, single: Bert) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For states and attention the errors of headwise and torch, a layer each."""
    states = np.load(folder / f"{case.path}.states.npy")
    attention = np.load(folder / f"{case.path}.attention.npy")
    ours, torchs, first = {"states": [], "attention": []}, {"states": [], "attention": []}, 0
    for b, ids in enumerate(case.sequences):
        n = len(ids)
        wanted, own = exact.run(ids), single.run(ids)
        got = states[:, first : first + n], attention[:, b, :, :n, :n]
        if attention[:, b, :, n:, :].any() or attention[:, b, :, :, n:].any():
            raise SystemExit(f"{case.name}: weights past the length of sequence {b}")
        for kind, g, w, o in zip(ours, got, wanted, own):
            ours[kind].append(layer_errors(g, w))
            torchs[kind].append(layer_errors(o, w))
        first += n
    return {kind: (np.max(ours[kind], axis=0), np.max(torchs[kind], axis=0)) for kind in ours}


def report(case: Case, results: dict) -> int:
    failed = 0
    for kind, (ours, torchs) in results.items():
        worse = int((ours > torchs).sum())
        failed += worse
        verdict = "passed" if worse == 0 else f"FAILED in {worse} layers"
        pairs = " ".join(f"{a:.2g}/{b:.2g}" for a, b in zip(ours, torchs))
        print(f"{case.name:>12} {kind:<9} {verdict}; headwise's error/torch's by layer: {pairs}")
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
