#!/usr/bin/env python3
"""Writes tests/data/encoders: tiny models of the BERT family with random weights, and what they must answer.

The answers are computed in float64 from the definition (Devlin et al. 2018, Liu et al. 2019, Sanh et al. 2019), a
sequence at a time. The models differ in their names, in what stands before the names, in type and in activation.
"""

import json
import shutil
import math
import struct
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent / "encoders"
WIDTH, HEADS, INNER, LAYERS, WORDS, POSITIONS, TYPES = 12, 3, 20, 2, 30, 12, 2
LENGTHS = [4, 1, 0, 6]
EPSILON = 1e-5
ROBERTA_PADDING = 1

BERT_NAMES = {
    "word": "embeddings.word_embeddings.weight",
    "position": "embeddings.position_embeddings.weight",
    "type": "embeddings.token_type_embeddings.weight",
    "norm": "embeddings.LayerNorm",
    "layer": "encoder.layer.{}.",
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "output_norm": "output.LayerNorm",
}
DISTILBERT_NAMES = BERT_NAMES | {
    "type": "",
    "layer": "transformer.layer.{}.",
    "query": "attention.q_lin",
    "key": "attention.k_lin",
    "value": "attention.v_lin",
    "output": "attention.out_lin",
    "attention_norm": "sa_layer_norm",
    "up": "ffn.lin1",
    "down": "ffn.lin2",
    "output_norm": "output_layer_norm",
}


def uniform(generator, shape, bound):
    return generator.uniform(-bound, bound, shape)


def make_weights(names, seed):
    """Every tensor by its name without prefix; norms as .weight and .bias."""
    generator = np.random.default_rng(seed)
    weights = {}

    def linear(name, rows, columns):
        weights[name + ".weight"] = uniform(generator, (rows, columns), 0.6)
        weights[name + ".bias"] = uniform(generator, (rows,), 0.3)

    def norm(name):
        weights[name + ".weight"] = 1 + uniform(generator, (WIDTH,), 0.3)
        weights[name + ".bias"] = uniform(generator, (WIDTH,), 0.3)

    weights[names["word"]] = uniform(generator, (WORDS, WIDTH), 1)
    weights[names["position"]] = uniform(generator, (POSITIONS, WIDTH), 0.5)
    if names["type"]:
        weights[names["type"]] = uniform(generator, (TYPES, WIDTH), 0.4)
    norm(names["norm"])
    for i in range(LAYERS):
        start = names["layer"].format(i)
        for part in ("query", "key", "value", "output"):
            linear(start + names[part], WIDTH, WIDTH)
        norm(start + names["attention_norm"])
        linear(start + names["up"], INNER, WIDTH)
        linear(start + names["down"], WIDTH, INNER)
        norm(start + names["output_norm"])
    return weights


def gelu(x):
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x):
    return np.maximum(x, 0)


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_tanh, "relu": relu}


class Oracle:
    def __init__(self, weights, names, model):
        self.weights = {name: array.astype(np.float64) for name, array in weights.items()}
        self.names, self.model = names, model

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.model["epsilon"])
        return centred / scale * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def positions(self, ids):
        """RoBERTa's padding token has its own, wherever it stands, and is not counted."""
        padding = self.model["first_position"] - 1
        counts = ids != padding
        return np.where(counts, padding + np.cumsum(counts), padding)

    def embed(self, ids, types):
        x = self.weights[self.names["word"]][ids] + self.weights[self.names["position"]][self.positions(ids)]
        if self.names["type"]:
            x = x + self.weights[self.names["type"]][types]
        return self.norm(x, self.names["norm"])

    def attend(self, x, start):
        def heads(part):
            return self.linear(x, start + self.names[part]).reshape(len(x), HEADS, -1).transpose(1, 0, 2)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH / HEADS)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        context = (weights @ value).transpose(1, 0, 2).reshape(len(x), WIDTH)
        return self.linear(context, start + self.names["output"]), weights

    def run(self, ids, types):
        x = self.embed(ids, types)
        states, attention = [x], []
        for i in range(LAYERS):
            start = self.names["layer"].format(i)
            update, weights = self.attend(x, start)
            x = self.norm(x + update, start + self.names["attention_norm"])
            inner = ACTIVATIONS[self.model["activation"]](self.linear(x, start + self.names["up"]))
            x = self.norm(x + self.linear(inner, start + self.names["down"]), start + self.names["output_norm"])
            states.append(x)
            attention.append(weights)
        return np.stack(states), np.stack(attention)


NAMES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64"}


def write_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in tensors.items():
        end = len(data) + array.nbytes
        header[name] = {"dtype": NAMES[array.dtype.name], "shape": list(array.shape), "data_offsets": [len(data), end]}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def answers(oracle, seed):
    """A ragged batch with its answers, padded with zeros where they are padded."""
    generator = np.random.default_rng(seed)
    rows, longest = sum(LENGTHS), max(LENGTHS)
    starts = np.cumsum([0] + LENGTHS)
    ids, types = generator.integers(0, WORDS, rows), generator.integers(0, TYPES, rows)
    if oracle.model["first_position"] > 0:
        ids[1::3] = ROBERTA_PADDING
    states = np.zeros((LAYERS + 1, rows, WIDTH))
    attention = np.zeros((LAYERS, len(LENGTHS), HEADS, longest, longest))
    pooled = {kind: np.zeros((len(LENGTHS), WIDTH)) for kind in ("mean", "cls", "max")}
    for b, n in enumerate(LENGTHS):
        span = slice(starts[b], starts[b + 1])
        if n == 0:
            continue
        states[:, span], attention[:, b, :, :n, :n] = oracle.run(ids[span], types[span])
        last = states[-1, span]
        pooled["mean"][b], pooled["cls"][b], pooled["max"][b] = last.mean(axis=0), last[0], last.max(axis=0)
    return {"token_ids": ids, "cumulative_lengths": starts, "token_types": types, "hidden_states": states,
            "attention": attention} | pooled


def bert_config():
    return {
        "hidden_act": "gelu",
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "layer_norm_eps": EPSILON,
        "max_position_embeddings": POSITIONS,
        "model_type": "bert",
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "type_vocab_size": TYPES,
        "vocab_size": WORDS,
    }


def distilbert_config():
    return {
        "activation": "relu",
        "dim": WIDTH,
        "hidden_dim": INNER,
        "max_position_embeddings": POSITIONS,
        "model_type": "distilbert",
        "n_heads": HEADS,
        "n_layers": LAYERS,
        "vocab_size": WORDS,
    }


def old_norm(name):
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


MODELS = {
    # Inside a larger model, with names of 2018.
    "bert": dict(config=bert_config(), names=BERT_NAMES, dtype=np.float32, rename=lambda name: "bert." + old_norm(name),
                 first_position=0),
    "roberta": dict(
        config=bert_config() | {"model_type": "roberta", "hidden_act": "gelu_new", "pad_token_id": ROBERTA_PADDING},
        names=BERT_NAMES,
        dtype=np.float16,
        rename=lambda name: "roberta." + name,
        first_position=ROBERTA_PADDING + 1,
    ),
    "distilbert": dict(config=distilbert_config(), names=DISTILBERT_NAMES, dtype=np.float32, rename=lambda name: name,
                       first_position=0),
}


def write_model(name, spec, seed):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    config, names = spec["config"], spec["names"]
    weights = {key: array.astype(spec["dtype"]) for key, array in make_weights(names, seed).items()}
    write_safetensors(folder / "model.safetensors", {spec["rename"](key): array for key, array in weights.items()})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    model = {
        "epsilon": config.get("layer_norm_eps", 1e-12),
        "first_position": spec["first_position"],
        "activation": config.get("hidden_act", config.get("activation")),
    }
    write_safetensors(folder / "expected.safetensors", answers(Oracle(weights, names, model), seed + 100))


# For the commands that read texts: letters, and words for those that show them.
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = [*"abcdefghijklmnopqrstu", "##a", "##b", ",", "."]
SENTENCES = """the bank was full of money river a play ##ing ##s ##er it . , ! ? < > / b ##o ##ok script c""".split()


def write_vocabulary(name, words):
    (FOLDER / name / "vocab.txt").write_text("".join(word + "\n" for word in SPECIAL + words), encoding="utf-8")


def copy_model(name, copy):
    (FOLDER / copy).mkdir(exist_ok=True)
    for file in ("config.json", "model.safetensors"):
        shutil.copy(FOLDER / name / file, FOLDER / copy / file)


def main():
    for seed, (name, spec) in enumerate(MODELS.items()):
        write_model(name, spec, seed)
    write_vocabulary("bert", LETTERS)
    copy_model("bert", "words")
    write_vocabulary("words", SENTENCES)


if __name__ == "__main__":
    main()
