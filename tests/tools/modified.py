"""Attention with all that may change its scores, in plain Python and double; one sequence at a time."""

import math
from dataclasses import dataclass, field


@dataclass
class Layer:
    """Matrices are rows [out][in]; everything else is off unless given."""

    query: list
    key: list
    value: list
    output: list
    heads: int
    kv_heads: int
    scale: float = None
    softcap: float = 0.0
    norms: tuple = None  # weights of query and key
    epsilon: float = 1e-6
    rotary: int = 0
    interleaved: bool = False
    base: float = 10000.0
    slopes: list = None  # ALiBi
    relative: object = None  # function of head and key position - query position
    sinks: list = None
    extra: list = field(default_factory=list)  # rows of keys and values [(key, value)]
    gates: list = None
    left: int = -1
    right: int = -1

    def size(self):
        return len(self.query) // self.heads


def product(row, matrix):
    return [math.fsum(w * x for w, x in zip(line, row)) for line in matrix]


def normalised(head, weights, epsilon):
    root = math.sqrt(math.fsum(x * x for x in head) / len(head) + epsilon)
    return [x * w / root for x, w in zip(head, weights)]


def turned(head, position, layer):
    result, pairs = list(head), layer.rotary // 2
    for i in range(pairs):
        x, y = (2 * i, 2 * i + 1) if layer.interleaved else (i, i + pairs)
        angle = position * layer.base ** (-2 * i / layer.rotary)
        result[x] = head[x] * math.cos(angle) - head[y] * math.sin(angle)
        result[y] = head[y] * math.cos(angle) + head[x] * math.sin(angle)
    return result


def split(row, size):
    return [row[i : i + size] for i in range(0, len(row), size)]


def prepared(rows, matrix, which, positions, layer):
    """[token][head] of query (which 0) or key (which 1) as the scores see them."""
    result = []
    for row, position in zip(rows, positions):
        heads = split(product(row, matrix), layer.size())
        if layer.norms:
            heads = [normalised(head, layer.norms[which], layer.epsilon) for head in heads]
        result.append([turned(head, position, layer) for head in heads])
    return result


def score(layer, head, query, key, distance):
    scale = layer.scale if layer.scale is not None else 1 / math.sqrt(layer.size())
    value = scale * math.fsum(a * b for a, b in zip(query, key))
    if layer.softcap:
        value = layer.softcap * math.tanh(value / layer.softcap)
    if distance is not None and layer.slopes:
        value -= layer.slopes[head] * abs(distance)
    if distance is not None and layer.relative:
        value += layer.relative(head, distance)
    return value


def is_live(layer, distance):
    return not (0 <= layer.left < -distance or 0 <= layer.right < distance)


def attend(layer, rows, positions=None):
    """The output rows, and the weights [head][query][key]."""
    places = range(len(rows))
    queries = prepared(rows, layer.query, 0, positions or places, layer)
    keys = prepared(rows, layer.key, 1, positions or places, layer)
    values = [split(product(row, layer.value), layer.size()) for row in rows]
    group = layer.heads // layer.kv_heads
    output, weights = [], [[] for _ in range(layer.heads)]
    for i in places:
        context = []
        for head in range(layer.heads):
            kv = head // group
            scores = [
                score(layer, head, queries[i][head], keys[j][kv], j - i) if is_live(layer, j - i) else -math.inf
                for j in places
            ]
            own = [split(key, layer.size())[kv] for key, _ in layer.extra]
            scores += [score(layer, head, queries[i][head], key, None) for key in own]
            all_values = [v[kv] for v in values] + [split(value, layer.size())[kv] for _, value in layer.extra]
            powers = [math.exp(s) for s in scores]
            total = math.fsum(powers) + (math.exp(layer.sinks[head]) if layer.sinks else 0)
            row = [p / total for p in powers]
            weights[head].append(row)
            gate = layer.gates[head] if layer.gates else 1
            context += [gate * math.fsum(p * v[c] for p, v in zip(row, all_values)) for c in range(layer.size())]
        output.append(product(context, layer.output))
    return output, weights
