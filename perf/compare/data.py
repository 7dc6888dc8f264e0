"""The data of a case, the same for all engines, and the result in float64."""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from . import encoder
from .cases import CHECKED_LENGTH, RAGGED_LENGTHS, Case

ENCODER_INPUTS = ("ids", "mask", "mask_int", "mask_bias", "mask_pairs")
LAYER_PARTS = {"query": "q", "key": "k", "value": "v", "output": "o"}
Arrays = dict[str, np.ndarray]


def normal(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.standard_normal(shape, dtype=np.float32)


def layer_arrays(case: Case) -> Arrays:
    """Weights as U(−1/√D, 1/√D), those of query and key doubled so that the softmax is not flat."""
    random = np.random.default_rng(1)
    width = case.sizes.width
    arrays = {"x": normal(random, case.sizes.batch, case.sizes.queries, width)}
    for name in "qkvo":
        scale = np.float32((2 if name in "qk" else 1) / np.sqrt(width))
        arrays[f"w{name}"] = scale * random.uniform(-1, 1, (width, width)).astype(np.float32)
        arrays[f"b{name}"] = scale * random.uniform(-1, 1, width).astype(np.float32)
    return arrays


def rows_of_heads(x: np.ndarray) -> np.ndarray:
    """[B, H, L, d] as [B, L, H·d]."""
    return np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(x.shape[0], x.shape[2], -1)


def heads_of_rows(x: np.ndarray, heads: int) -> np.ndarray:
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def core_arrays(case: Case) -> Arrays:
    random = np.random.default_rng(2)
    s = case.sizes
    lengths = {"q": s.queries, "k": s.keys, "v": s.keys}
    arrays = {name: normal(random, s.batch, s.heads, length, s.head_dim) for name, length in lengths.items()}
    return arrays | {f"{name}3": rows_of_heads(x) for name, x in arrays.items()}


def live_keys(case: Case) -> np.ndarray | None:
    """[B, Lk], or nothing when all are live."""
    if case.variant == "ragged":
        return np.arange(case.sizes.keys) < np.array(RAGGED_LENGTHS)[:, None]
    if case.variant == "padded":
        return np.tile(np.arange(case.sizes.keys) < case.sizes.keys // 2, (case.sizes.batch, 1))
    return None


def mask_arrays(case: Case) -> Arrays:
    live = live_keys(case)
    if live is None:
        return {}
    four = live[:, None, None, :]
    bias = np.where(four, np.float32(0), np.finfo(np.float32).min)
    return {"mask": four, "mask_int": live.astype(np.int32), "mask_bias": bias}


def encoder_arrays(case: Case) -> Arrays:
    masks = mask_arrays(case)
    if masks:
        masks["mask_pairs"] = np.repeat(masks["mask"], case.sizes.queries, axis=2)
    return encoder.arrays(case) | masks


def ragged_arrays(x: np.ndarray) -> Arrays:
    rows = np.concatenate([x[b, :length] for b, length in enumerate(RAGGED_LENGTHS)])
    return {"x_ragged": rows, "starts": np.cumsum((0, *RAGGED_LENGTHS), dtype=np.int64)}


def make(case: Case) -> Arrays:
    if case.kind == "encoder":
        return encoder_arrays(case)
    arrays = core_arrays(case) if case.kind == "core" else layer_arrays(case)
    arrays |= mask_arrays(case)
    return arrays | (ragged_arrays(arrays["x"]) if case.variant == "ragged" else {})


def save(case: Case, arrays: Arrays, folder: Path) -> None:
    for name, array in arrays.items():
        if case.kind != "encoder" or name in ENCODER_INPUTS:  # its weights are in a file
            np.save(folder / f"{name}.npy", array)
    if case.kind == "load":
        named = {f"{part}.weight": arrays[f"w{name}"] for part, name in LAYER_PARTS.items()}
        save_file(named | {f"{part}.bias": arrays[f"b{name}"] for part, name in LAYER_PARTS.items()},
                  folder / "layer.safetensors")  # fmt: skip


def attend(query: np.ndarray, key: np.ndarray, value: np.ndarray, live: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One head, in float64: [Lq, d], [Lk, d], [Lk, d] and live pairs [Lq or 1, Lk] to the context and the weights."""
    scores = np.where(live, query @ key.T / np.sqrt(query.shape[1]), -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ value, weights


def attend_all(case: Case, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> Arrays:
    """[B, H, L, d] each."""
    batch, heads, queries, _ = query.shape
    y = np.empty(query.shape)
    weights = np.empty((batch, heads, queries, key.shape[2]), np.float32) if case.variant == "weights" else None
    live = live_keys(case)
    triangle = np.tri(queries, dtype=bool) if case.variant == "causal" else np.ones((1, 1), dtype=bool)
    for b in range(batch):
        pairs = triangle if live is None else live[b : b + 1]
        for h in range(heads):
            y[b, h], w = attend(*(x[b, h].astype(np.float64) for x in (query, key, value)), pairs)
            if weights is not None:
                weights[b, h] = w
    return {"y": y} | ({} if weights is None else {"weights": weights})


def oracle(case: Case, arrays: Arrays) -> Arrays:
    if case.kind == "load" and case.variant == "plain":
        return {}  # gives no result
    if case.kind == "encoder":
        return encoder.oracle(case, arrays)
    if case.kind == "core":
        return attend_all(case, *(arrays[name] for name in "qkv"))
    x = arrays["x"].astype(np.float64)
    x = x[:, :CHECKED_LENGTH] if case.kind == "lengths" else x
    projected = [x @ arrays[f"w{name}"].T.astype(np.float64) + arrays[f"b{name}"] for name in "qkv"]
    context = attend_all(case, *(heads_of_rows(part, case.sizes.heads) for part in projected))["y"]
    y = rows_of_heads(context) @ arrays["wo"].T.astype(np.float64) + arrays["bo"]
    return {"y": ragged_arrays(y)["x_ragged"] if case.variant == "ragged" else y}


def canonical(case: Case, name: str, result: np.ndarray) -> tuple[str, np.ndarray]:
    """What an engine wrote, in the form of the oracle: results of heads side by side are split, padding is cut away."""
    if case.kind == "encoder":
        return name, encoder.canonical(case, result)
    if name == "y3":
        return "y", heads_of_rows(result, case.sizes.heads)
    if case.variant == "ragged" and result.ndim == 3:
        return name, ragged_arrays(result)["x_ragged"]
    return name, result


def error_of(case: Case, expected: Arrays, folder: Path, names: list[str]) -> float:
    """The largest error of any value over the largest value of the same result; NaN counts as infinity."""
    results = dict(canonical(case, name, np.load(folder / f"{name}.npy", mmap_mode="r")) for name in names)
    worst = 0.0
    for name, wanted in expected.items():
        got = results.get(name)
        if got is None or got.shape != wanted.shape:
            return float("inf")
        error = np.abs(got - wanted).max() / np.abs(wanted).max()
        worst = max(worst, float(np.nan_to_num(error, nan=np.inf)))
    return worst
