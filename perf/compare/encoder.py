"""The whole text encoder, all-MiniLM-L6-v2 on token ids: its data, and its result in float64."""

import math
import subprocess
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from .cases import ENCODER_LAYERS, RAGGED_LENGTHS, Case

MODEL = Path(__file__).parents[2] / "build" / "models" / "all-MiniLM-L6-v2"
EPSILON = 1e-12
PROJECTIONS = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}
Arrays = dict[str, np.ndarray]


class NoModel(Exception):
    """The weights are not there."""


def arrays(case: Case) -> Arrays:
    """Token ids [B, L] in the range of words, the same for all engines, and the weights under their own names."""
    subprocess.run([MODEL.parents[2] / "tools" / "fetch_model.sh"], stdout=subprocess.DEVNULL)
    if not MODEL.is_dir():
        raise NoModel("tools/fetch_model.sh could not fetch the model")
    s = case.sizes
    ids = np.random.default_rng(4).integers(2000, 30000, (s.batch, s.queries))
    ids[:, 0] = 101
    return {"ids": ids} | load_file(MODEL / "model.safetensors")


def layer_prefix(layer: int) -> str:
    return f"encoder.layer.{layer}."


def linear(x: np.ndarray, weights: Arrays, name: str) -> np.ndarray:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normalise(x: np.ndarray, weights: Arrays, name: str) -> np.ndarray:
    x = x - x.mean(axis=-1, keepdims=True)
    scale = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
    return x * scale * weights[f"{name}.weight"] + weights[f"{name}.bias"]


# Of NumPy's own functions none is the error function; math.erf is exact to the last bit or two.
erf = np.vectorize(math.erf, otypes=[np.float64])


def attention(x: np.ndarray, weights: Arrays, prefix: str, heads: int) -> np.ndarray:
    split = [linear(x, weights, prefix + PROJECTIONS[n]).reshape(len(x), heads, -1) for n in ("query", "key", "value")]
    query, key, value = (part.transpose(1, 0, 2) for part in split)
    scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[2])
    scores = np.exp(scores - scores.max(axis=2, keepdims=True))
    context = (scores / scores.sum(axis=2, keepdims=True)) @ value
    return linear(context.transpose(1, 0, 2).reshape(x.shape), weights, prefix + PROJECTIONS["output"])


def sequence(ids: np.ndarray, weights: Arrays, heads: int) -> np.ndarray:
    """The last hidden states [L, D] of one sequence; weights in float64."""
    table = "embeddings.{}_embeddings.weight".format
    x = weights[table("word")][ids] + weights[table("position")][: len(ids)] + weights[table("token_type")][0]
    x = normalise(x, weights, "embeddings.LayerNorm")
    for layer in range(ENCODER_LAYERS):
        name = layer_prefix(layer)
        x = normalise(x + attention(x, weights, name + "attention.", heads), weights, name + "attention.output.LayerNorm")
        wide = linear(x, weights, name + "intermediate.dense")
        wide *= 0.5 * (1 + erf(wide / np.sqrt(2)))
        x = normalise(x + linear(wide, weights, name + "output.dense"), weights, name + "output.LayerNorm")
    return x


def checked_rows(case: Case) -> list[int]:
    """Of a large batch some sequences, so that float64 does not take minutes; all of them where they are few."""
    limit = max(1, 1024 // case.sizes.queries)
    return list(range(0, case.sizes.batch, -(-case.sizes.batch // limit)))


def lengths(case: Case) -> list[int]:
    return list(RAGGED_LENGTHS) if case.variant == "ragged" else [case.sizes.queries] * case.sizes.batch


def oracle(case: Case, made: Arrays) -> Arrays:
    weights = {name: array.astype(np.float64) for name, array in made.items() if array.dtype == np.float32}
    chosen = [made["ids"][b, : lengths(case)[b]] for b in checked_rows(case)]
    return {"y": np.concatenate([sequence(ids, weights, case.sizes.heads) for ids in chosen])}


def canonical(case: Case, result: np.ndarray) -> np.ndarray:
    """The rows that the oracle has, of [B, L, D] or of [rows, D] without padding."""
    if result.ndim == 3:
        return np.concatenate([result[b, : lengths(case)[b]] for b in checked_rows(case)])
    starts = np.cumsum([0, *lengths(case)])
    return np.concatenate([result[starts[b] : starts[b + 1]] for b in checked_rows(case)])
