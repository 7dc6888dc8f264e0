#!/usr/bin/env python3
"""Makes families.safetensors, one attention layer as ten families and types store it, and extras.safetensors.

D 4, 2 heads. The elements of the query, key, value and output weights are 0/8, 1/8, 2/8, … in this order, those of the
biases 0, -1/8, -2/8, …; all are exact in f16 and bf16. extras.safetensors holds layers with parts beyond these: the
elements of each of its tensors go up in eighths from the number that the script gives. Standard library only; the bytes
are the same on every run.
"""
import json
import math
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
WEIGHTS = [n / 8 for n in range(64)]
BIASES = [-n / 8 for n in range(16)]


def encode(values, dtype):
    if dtype == "BF16":  # exact values: the upper half of the f32
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    code = {"F32": "f", "F64": "d", "F16": "e"}[dtype]
    return struct.pack(f"<{len(values)}{code}", *values)


def four_linears(prefix, names, dtype):
    for i, name in enumerate(names):
        yield f"{prefix}{name}.weight", dtype, [4, 4], WEIGHTS[16 * i : 16 * i + 16]
        yield f"{prefix}{name}.bias", dtype, [4], BIASES[4 * i : 4 * i + 4]


def torch_output(prefix):
    yield f"{prefix}in_proj_bias", "F32", [12], BIASES[:12]
    yield f"{prefix}out_proj.weight", "F32", [4, 4], WEIGHTS[48:]
    yield f"{prefix}out_proj.bias", "F32", [4], BIASES[12:]


def torch_packed(prefix):
    yield f"{prefix}in_proj_weight", "F32", [12, 4], WEIGHTS[:48]
    yield from torch_output(prefix)


def torch_separate(prefix):
    for i, name in enumerate("qkv"):
        yield f"{prefix}{name}_proj_weight", "F32", [4, 4], WEIGHTS[16 * i : 16 * i + 16]
    yield from torch_output(prefix)


def rows(part):
    """The rows of query, key, value or output, [out, in]."""
    return [WEIGHTS[16 * part + 4 * row : 16 * part + 4 * row + 4] for row in range(4)]


def flat(matrix):
    return [element for row in matrix for element in row]


def in_out(matrix):
    return flat(zip(*matrix))


def fused(name, shape, values, bias_rows=range(12)):
    yield f"{name}.weight", "F32", shape, values
    yield f"{name}.bias", "F32", [12], [BIASES[row] for row in bias_rows]


def gpt2(prefix):
    yield from fused(f"{prefix}c_attn", [4, 12], in_out(rows(0) + rows(1) + rows(2)))
    yield f"{prefix}c_proj.weight", "F32", [4, 4], in_out(rows(3))
    yield f"{prefix}c_proj.bias", "F32", [4], BIASES[12:]
    yield f"{prefix}bias", "F32", [1, 1, 4, 4], [1.0] * 16  # the causal mask of old files


def timm(prefix):
    yield from fused(f"{prefix}qkv", [12, 4], WEIGHTS[:48])
    yield f"{prefix}proj.weight", "F32", [4, 4], WEIGHTS[48:]
    yield f"{prefix}proj.bias", "F32", [4], BIASES[12:]


def bloom(prefix):
    order = [4 * part + 2 * head + row for head in (0, 1) for part in (0, 1, 2) for row in (0, 1)]
    stacked = rows(0) + rows(1) + rows(2)
    yield from fused(f"{prefix}query_key_value", [12, 4], flat(stacked[row] for row in order), order)
    yield f"{prefix}dense.weight", "F32", [4, 4], WEIGHTS[48:]
    yield f"{prefix}dense.bias", "F32", [4], BIASES[12:]


def keras(prefix):
    for i, name in enumerate(["query", "key", "value"]):
        yield f"{prefix}{name}/kernel", "F32", [4, 2, 2], in_out(rows(i))
        yield f"{prefix}{name}/bias", "F32", [2, 2], BIASES[4 * i : 4 * i + 4]
    yield f"{prefix}attention_output/kernel", "F32", [2, 2, 4], in_out(rows(3))
    yield f"{prefix}attention_output/bias", "F32", [4], BIASES[12:]


def all_tensors():
    yield from four_linears("classic.", ["w_q", "w_k", "w_v", "w_o"], "F32")
    yield from four_linears("half.", ["q_proj", "k_proj", "v_proj", "out_proj"], "F16")
    yield from four_linears("brain.", ["to_q", "to_k", "to_v", "to_out.0"], "BF16")
    bert = ["self.query", "self.key", "self.value", "output.dense"]
    yield from four_linears("encoder.layer.0.attention.", bert, "F64")
    yield from torch_packed("packed.")
    yield from torch_separate("separate.")
    yield from gpt2("transformer.h.0.attn.")
    yield from timm("blocks.0.attn.")
    yield from bloom("h.0.self_attention.")
    yield from keras("functional/multi_head_attention/")


def counted(name, shape, start, dtype="F32"):
    return name, dtype, shape, [(start + n) / 8 for n in range(math.prod(shape))]


def grouped(prefix):
    """Two query heads that share one key/value head, as Llama's relatives store them."""
    yield counted(f"{prefix}q_proj.weight", [4, 4], 0, "BF16")
    yield counted(f"{prefix}k_proj.weight", [2, 4], 16, "BF16")
    yield counted(f"{prefix}v_proj.weight", [2, 4], 24, "BF16")
    yield counted(f"{prefix}o_proj.weight", [4, 4], 32, "BF16")
    yield counted(f"{prefix}q_norm.weight", [2], 48, "BF16")
    yield counted(f"{prefix}k_norm.weight", [2], 50, "BF16")
    yield counted(f"{prefix}sinks", [2], 52, "BF16")


def t5(prefix, start):
    for i, name in enumerate("qkvo"):
        yield counted(f"{prefix}{name}.weight", [4, 4], start + 16 * i)


def all_extras():
    yield from torch_packed("packed.")
    yield counted("packed.bias_k", [1, 1, 4], 64)
    yield counted("packed.bias_v", [1, 1, 4], 68)
    yield from grouped("model.layers.0.self_attn.")
    table = "relative_attention_bias.weight"
    yield from t5("encoder.block.0.layer.0.SelfAttention.", 0)
    yield counted(f"encoder.block.0.layer.0.SelfAttention.{table}", [8, 2], 200)
    yield from t5("encoder.block.1.layer.0.SelfAttention.", 64)
    yield from t5("decoder.block.0.layer.0.SelfAttention.", 128)
    yield counted(f"decoder.block.0.layer.0.SelfAttention.{table}", [8, 2], 216)
    yield from t5("decoder.block.0.layer.1.EncDecAttention.", 192)
    yield counted(f"decoder.block.0.layer.1.EncDecAttention.{table}", [8, 2], 232)  # old files have one, unused


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, dtype, shape, values in tensors:
        encoded = encode(values, dtype)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(encoded)]}
        data += encoded
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    write_safetensors(HERE / "families.safetensors", all_tensors())
    write_safetensors(HERE / "extras.safetensors", all_extras())
