#!/usr/bin/env python3
"""Writes tests/data/minilm_embeddings.json: mean embeddings of all-MiniLM-L6-v2 by torch in float64.

Usage: make_minilm_embeddings.py MODEL_FOLDER; needs the packages of tests/conformance/requirements.txt.
"""

import json
import pathlib
import sys

import tokenizers
import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from bert_torch import Bert  # noqa: E402

TEXTS = [
    "The bank was full of money.",
    "",
    "naïve café 中文 Привет 👩🏽‍🚀",
    "[MASK] tokens and unbelievably long words",
    "x " * 600,
]


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_grad_enabled(False)
    model = Bert(folder, torch.float64)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    cases = []
    for text in TEXTS:
        mean = model.run(torch.tensor(tokenizer.encode(text).ids))[0][-1].mean(dim=0)
        cases.append({"text": text, "norm": float(mean.norm()), "first": [round(float(x), 9) for x in mean[:16]]})
    (HERE / "minilm_embeddings.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
