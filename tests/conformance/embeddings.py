"""Holds `headwise embed` against torch in float64 on a real model, with the ids of Hugging Face's tokenizers.

Usage: embeddings.py COMMAND MODEL_FOLDER WORK_FOLDER
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import tokenizers
import torch

from bert_torch import Bert
from multilingual_text import lines

LEAST_COSINE = 0.999999
LONGEST = 512
COUNT = 60


def sample():
    texts = [line.decode(errors="replace") for line in lines()[16::200]][:COUNT]
    texts = [" ".join(text.split()) for text in texts]
    return texts + ["", "The bank was full of money.", "long " * 300, "cut " * 700]


def embeddings(model, tokenizer, texts):
    rows = []
    for text in texts:
        states, _ = model.run(torch.tensor(tokenizer.encode(text).ids))
        rows.append(states[-1].mean(dim=0))
    return torch.stack(rows).double().numpy()


def cosines(a, b):
    return (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))


def main():
    command, folder, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    torch.set_grad_enabled(False)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    texts = sample()
    (work / "texts.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    wanted = embeddings(Bert(folder, torch.float64), tokenizer, texts)
    torchs = embeddings(Bert(folder, torch.float32), tokenizer, texts)
    array = work / "embeddings.npy"
    subprocess.run([command, "embed", folder, "--file", work / "texts.txt", "--output", array, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    found = np.load(array).astype(np.float64)
    least, error = cosines(found, wanted).min(), np.abs(found - wanted).max()
    print(f"embeddings: {len(texts)} texts, least cosine {least:.9f}, largest error {error:.2g} "
          f"(torch in float32: {np.abs(torchs - wanted).max():.2g})")  # fmt: skip
    sys.exit(not least >= LEAST_COSINE)


if __name__ == "__main__":
    main()
