#!/usr/bin/env python3
"""Writes minilm_golden.safetensors: what the six attention layers of all-MiniLM-L6-v2 give for one sentence.

Needs numpy, torch and safetensors (made with torch 2.13.0, CPU). Run it as
    make_minilm_golden.py build/models/all-MiniLM-L6-v2
For each layer i:
    layer.{i}.input            F32 [1, T, 384]     hidden states entering the layer, from a float64 pass, rounded once
    layer.{i}.output           F64 [1, T, 384]     the attention layer of that input in float64: the oracle
    layer.{i}.attention        F64 [1, 12, T, T]   its weights
    layer.{i}.torch_output     F32                 the same by torch in f32: linear, matmul, softmax
    layer.{i}.torch_attention  F32
    layer.{i}.sdpa_output      F32                 the same by torch's scaled_dot_product_attention
The layer is query, key, value and dense with their biases, without the residual and LayerNorm that follow.
"""

import json
import math
import pathlib
import sys

import numpy
import safetensors.numpy
import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
import make_hidden_states  # noqa: E402  (the project's own tokeniser)

SENTENCE = "The bank was full of money."


def linear(x, tensors, name):
    return x @ tensors[name + ".weight"].T + tensors[name + ".bias"]


def layer_norm(x, tensors, name, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return scaled * tensors[name + ".weight"] + tensors[name + ".bias"]


def gelu(x):
    return 0.5 * x * (1.0 + numpy.vectorize(math.erf)(x / math.sqrt(2.0)))


def split_heads(x, heads):
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).swapaxes(1, 2)


def softmax(scores):
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attend(x, tensors, name, heads):
    """The attention layer in the precision of its arguments: output and weights."""
    query, key, value = (split_heads(linear(x, tensors, f"{name}self.{part}"), heads) for part in ("query", "key", "value"))
    weights = softmax(query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1]))
    context = (weights @ value).swapaxes(1, 2).reshape(x.shape)
    return linear(context, tensors, name + "output.dense"), weights


def torch_parts(x, tensors, name, heads):
    def project(part, states):
        weight = torch.from_numpy(tensors[f"{name}{part}.weight"])
        return torch.nn.functional.linear(states, weight, torch.from_numpy(tensors[f"{name}{part}.bias"]))

    states = torch.from_numpy(x)
    query, key, value = (split_heads(project(f"self.{part}", states), heads) for part in ("query", "key", "value"))
    return query, key, value, lambda context: project("output.dense", context.transpose(1, 2).reshape(x.shape))


def torch_attend(x, tensors, name, heads):
    """The same layer by torch in f32: plain products, and its fused function."""
    query, key, value, finish = torch_parts(x, tensors, name, heads)
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    weights = torch.nn.functional.softmax(scores, dim=-1)
    fused = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    return finish(torch.matmul(weights, value)), weights, finish(fused)


def embed(tensors, folder, epsilon):
    vocabulary = make_hidden_states.read_vocabulary(folder / "vocab.txt")
    ids = [vocabulary[token] for token in make_hidden_states.tokenize(SENTENCE, vocabulary)]
    total = tensors["embeddings.word_embeddings.weight"][ids]
    total = total + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    total = total + tensors["embeddings.token_type_embeddings.weight"][0]
    return layer_norm(total[None], tensors, "embeddings.LayerNorm", epsilon)


def encoder_layer(x, tensors, name, config):
    """One whole layer of the encoder, for the hidden states of the next one."""
    epsilon = config["layer_norm_eps"]
    attended, _ = attend(x, tensors, name + "attention.", config["num_attention_heads"])
    x = layer_norm(x + attended, tensors, name + "attention.output.LayerNorm", epsilon)
    inner = gelu(linear(x, tensors, name + "intermediate.dense"))
    return layer_norm(x + linear(inner, tensors, name + "output.dense"), tensors, name + "output.LayerNorm", epsilon)


def golden_layer(states, wide, narrow, name, heads):
    x = states.astype(numpy.float32)
    output, weights = attend(x.astype(numpy.float64), wide, name, heads)
    torch_output, torch_weights, fused = torch_attend(x, narrow, name, heads)
    return {
        "input": x,
        "output": output,
        "attention": weights,
        "torch_output": torch_output.numpy(),
        "torch_attention": torch_weights.numpy(),
        "sdpa_output": fused.numpy(),
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    config = json.loads((folder / "config.json").read_text())
    narrow = safetensors.numpy.load_file(folder / "model.safetensors")
    wide = {name: tensor.astype(numpy.float64) for name, tensor in narrow.items()}
    states = embed(wide, folder, config["layer_norm_eps"])
    golden = {}
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        parts = golden_layer(states, wide, narrow, name + "attention.", config["num_attention_heads"])
        golden.update({f"layer.{layer}.{part}": numpy.ascontiguousarray(tensor) for part, tensor in parts.items()})
        states = encoder_layer(states, wide, name, config)
    metadata = {"sentence": SENTENCE, "model": "all-MiniLM-L6-v2", "torch": torch.__version__}
    (HERE / "minilm_golden.safetensors").write_bytes(safetensors.numpy.save(golden, metadata))


if __name__ == "__main__":
    with torch.inference_mode():
        main()
