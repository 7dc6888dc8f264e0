"""The forward pass of a BERT model, written with torch's own functions after Devlin et al. 2018.

One sequence at a time, in whatever precision the weights have.
"""

import json
from pathlib import Path

import torch
from torch.nn import functional

import safetensors_file


class Bert:
    def __init__(self, folder: Path, dtype: torch.dtype):
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tensors, _ = safetensors_file.read(folder / "model.safetensors")
        self.weights = {name: torch.from_numpy(array.copy()) for name, array in tensors.items()}
        self.weights = {name: w.to(dtype) for name, w in self.weights.items() if w.is_floating_point()}

    def linear(self, x, name):
        return functional.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return functional.layer_norm(x, weight.shape, weight, bias, self.config["layer_norm_eps"])

    def embed(self, ids):
        words, types, positions = (
            self.weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "token_type", "position")
        )
        return self.norm(words[ids] + types[0] + positions[: len(ids)], "embeddings.LayerNorm")

    def attend(self, x, start):
        heads = self.config["num_attention_heads"]
        query, key, value = (
            self.linear(x, f"{start}self.{name}").unflatten(-1, (heads, -1)).transpose(0, 1)
            for name in ("query", "key", "value")
        )
        weights = torch.softmax(query @ key.transpose(1, 2) / query.shape[-1] ** 0.5, dim=-1)
        return self.linear((weights @ value).transpose(0, 1).flatten(1), f"{start}output.dense"), weights

    def run(self, ids):
        """Hidden states [L + 1, tokens, D] and weights [L, H, tokens, tokens]."""
        x = self.embed(ids)
        states, attention = [x], []
        for layer in range(self.config["num_hidden_layers"]):
            start = f"encoder.layer.{layer}."
            update, weights = self.attend(x, f"{start}attention.")
            x = self.norm(x + update, f"{start}attention.output.LayerNorm")
            inner = functional.gelu(self.linear(x, f"{start}intermediate.dense"))
            x = self.norm(x + self.linear(inner, f"{start}output.dense"), f"{start}output.LayerNorm")
            states.append(x)
            attention.append(weights)
        return torch.stack(states), torch.stack(attention)
