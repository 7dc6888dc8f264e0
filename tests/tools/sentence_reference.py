"""BERT's forward pass in float64 by its definition (Devlin et al. 2018), for tiny models. Standard library only."""

import json
import math
import struct


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, info in header.items():
        if name == "__metadata__":
            continue
        assert info["dtype"] == "F32", info
        begin, end = (8 + length + offset for offset in info["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        shape = info["shape"]
        tensors[name] = (
            values if len(shape) == 1 else [values[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])]
        )
    return tensors


def plain(name):
    """A tensor's name as BERT has had it since 2019."""
    return (
        name.removeprefix("bert.")
        .replace("LayerNorm.gamma", "LayerNorm.weight")
        .replace("LayerNorm.beta", "LayerNorm.bias")
    )


class Bert:
    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        weights = read_safetensors(folder / "model.safetensors")
        self.weights = {plain(name): value for name, value in weights.items()}

    def linear(self, rows, name):
        matrix, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return [[math.fsum(map(lambda x, w: x * w, row, out)) + b for out, b in zip(matrix, bias)] for row in rows]

    def norm(self, rows, name):
        gamma, beta = self.weights[name + ".weight"], self.weights[name + ".bias"]
        result = []
        for row in rows:
            mean = math.fsum(row) / len(row)
            scale = math.sqrt(math.fsum((x - mean) ** 2 for x in row) / len(row) + self.config["layer_norm_eps"])
            result.append([(x - mean) / scale * g + b for x, g, b in zip(row, gamma, beta)])
        return result

    def attend(self, rows, start):
        heads = self.config["num_attention_heads"]
        size = len(rows[0]) // heads
        query, key, value = (self.linear(rows, f"{start}self.{part}") for part in ("query", "key", "value"))
        context = [[] for _ in rows]
        for columns in (slice(h * size, (h + 1) * size) for h in range(heads)):
            for i, q in enumerate(query):
                scores = [math.fsum(a * b for a, b in zip(q[columns], k[columns])) / math.sqrt(size) for k in key]
                weights = [math.exp(score - max(scores)) for score in scores]
                total = math.fsum(weights)
                parts = zip(*(v[columns] for v in value))
                context[i] += [math.fsum(w * x for w, x in zip(weights, part)) / total for part in parts]
        return self.linear(context, f"{start}output.dense")

    def hidden(self, ids, types=None):
        word, position, kind = (
            self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        types = types or [0] * len(ids)
        rows = [
            [sum(parts) for parts in zip(word[id_], position[i], kind[types[i]])] for i, id_ in enumerate(ids)
        ]
        rows = self.norm(rows, "embeddings.LayerNorm")
        for layer in range(self.config["num_hidden_layers"]):
            start = f"encoder.layer.{layer}."
            update = self.attend(rows, f"{start}attention.")
            rows = self.norm(add(rows, update), f"{start}attention.output.LayerNorm")
            inner = [
                [x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in row]
                for row in self.linear(rows, f"{start}intermediate.dense")
            ]
            rows = self.norm(add(rows, self.linear(inner, f"{start}output.dense")), f"{start}output.LayerNorm")
        return rows

    def embedding(self, ids, pooling="mean", normalize=False, types=None):
        columns = list(zip(*self.hidden(ids, types)))
        pool = {"mean": lambda column: math.fsum(column) / len(column), "cls": lambda column: column[0], "max": max}[
            pooling
        ]
        result = [pool(column) for column in columns]
        length = math.sqrt(math.fsum(x * x for x in result)) if normalize else 1
        return [x / length for x in result]


def add(a, b):
    return [[x + y for x, y in zip(row, other)] for row, other in zip(a, b)]


def cosine(a, b):
    product = math.fsum(x * y for x, y in zip(a, b))
    return product / math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
