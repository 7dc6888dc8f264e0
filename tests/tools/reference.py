"""Multi-head attention of the tiny model in plain Python and double, one straight loop after the other."""

import json
import math
import pathlib
import struct


def read_safetensors(path):
    """name -> rows of a matrix, or the values of a vector."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, info in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in info["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        width = info["shape"][-1]
        rows = [values[i : i + width] for i in range(0, len(values), width)]
        tensors[name] = rows if len(info["shape"]) == 2 else values
    return tensors


def linear(row, tensors, name):
    weight, bias = tensors[name + ".weight"], tensors[name + ".bias"]
    return [math.fsum(w * x for w, x in zip(line, row)) + b for line, b in zip(weight, bias)]


def softmax(scores):
    """Dead keys are None; a row without live keys has no weight anywhere."""
    live = [s for s in scores if s is not None]
    if not live:
        return [0.0] * len(scores)
    powers = [0.0 if s is None else math.exp(s - max(live)) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def attend(query, key, value, tensors, layer, heads, is_live):
    """One sequence: rows of query, key and value; is_live(i, j) says whether query i sees key j."""
    start = f"encoder.layer.{layer}.attention."
    queries = [linear(row, tensors, start + "self.query") for row in query]
    keys = [linear(row, tensors, start + "self.key") for row in key]
    values = [linear(row, tensors, start + "self.value") for row in value]
    size = len(queries[0]) // heads
    output = []
    for i, q in enumerate(queries):
        context = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = [
                math.fsum(a * b for a, b in zip(q[part], k[part])) / math.sqrt(size) if is_live(i, j) else None
                for j, k in enumerate(keys)
            ]
            weights = softmax(scores)
            context += [math.fsum(w * v[c] for w, v in zip(weights, values)) for c in range(part.start, part.stop)]
        output.append(linear(context, tensors, start + "output.dense"))
    return output
