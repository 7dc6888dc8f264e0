"""Shard indexes and maps of names that lie on both sides of their rules."""

import json

from crafted import Collection
from crafted_safetensors import ESCAPES, KINDS, TEXTS

LAYER = "model.layers.{layer}.self_attn."
MAP = {f"{role}_weight": f"{LAYER}{role[0]}_proj.weight" for role in ("query", "key", "value", "output")}
PACKED = {"qkv_weight": "packed.in_proj_weight", "qkv_bias": "packed.in_proj_bias",
          "output_weight": "packed.out_proj.weight", "output_bias": "packed.out_proj.bias"}  # fmt: skip


def forms(add, key, good):
    """The ways in which any of the two can be no JSON object, or an unusual one."""
    for name, text in TEXTS.items():
        add(f"utf8_{name}", good.encode()[:-1] + b',"x%s":"%s"}' % (text, text))
    for name, escape in ESCAPES.items():
        add(f"escape_{name}", good[:-1].encode() + f',"x{escape}":"{escape}"}}'.encode())
    for kind, text in KINDS.items():
        add(f"{key}_is_{kind}", f'{{"{key}":{text}}}'.encode())
        add(f"whole_is_{kind}", text.encode())
    for depth in (1, 125, 126, 127, 128, 5000):
        add(f"depth_{depth}", good[:-1].encode() + f',"x":{"[" * depth}{"]" * depth}}}'.encode())
    for index, text in enumerate(("", "{", good[:-1], good + "x", good + "\0", "\ufeff" + good, " \n" + good + " ")):
        add(f"form_{index}", text.encode())


def crafted_index():
    add = (collection := Collection(".index.json")).add
    good = '{"metadata":{"total_size":24},"weight_map":{"a":"s1","b":"s1","c":"s2"}}'
    forms(add, "weight_map", good)
    add("good", good.encode())
    names = ("s1", "s2", "s3", "", ".", "..", "../s1", "/etc/hostname", "..\\\\s1", "sub/s1", "s1\\u0000",
             "\\u0073\\u0031", "./s1", "s1/", "model.safetensors.index.json", "n" * 300, "S1", "s1 ")  # fmt: skip
    for index, name in enumerate(names):
        add(f"shard_{index:02d}", f'{{"weight_map":{{"a":"{name}"}}}}'.encode())
        add(f"tensor_{index:02d}", f'{{"weight_map":{{"{name}":"s1"}}}}'.encode())
    for kind, text in KINDS.items():
        add(f"shard_is_{kind}", f'{{"weight_map":{{"a":{text}}}}}'.encode())
    add("tensor_twice", b'{"weight_map":{"a":"s1","a":"s1"}}')
    add("tensor_twice_escaped", b'{"weight_map":{"a":"s1","\\u0061":"s1"}}')
    add("map_twice", b'{"weight_map":{"a":"s1"},"weight_map":{"a":"s1"}}')
    add("map_inside", b'{"x":{"weight_map":{"a":"s1"}}}')
    add("map_in_map", b'{"weight_map":{"weight_map":{"a":"s1"}}}')
    add("many_shards", json.dumps({"weight_map": {f"t{i}": f"f{i}" for i in range(1100)}}).encode())
    return collection.files


def crafted_map():
    add = (collection := Collection(".map.json")).add
    for name, good in (("separate", MAP), ("packed", PACKED)):
        text = json.dumps({**good, "num_heads": 2})
        add(name, text.encode())
        if name == "separate":
            forms(add, "query_weight", text)
        for key, value in good.items():
            rest = {k: v for k, v in good.items() if k != key}
            add(f"{name}_no_{key}", json.dumps(rest).encode())
            for index, other in enumerate(("", "absent", "{layer}", "{layer}{layer}", "{layer", "packed.bias_k", 7, None, [value], {})):
                add(f"{name}_{key}_{index}", json.dumps({**rest, key: other}).encode())
            add(f"{name}_{key}_twice", text[:-1].encode() + f',"{key}":"{value}"}}'.encode())
        for setting, words in (("layout", ("out_in", "in_out", "x", 1)), ("rows", ("blocks", "groups", "", [])),
                               ("num_heads", (0, 1, 2, 3, -1, 2.0, "2", 2**63, 2**64 - 1, None))):  # fmt: skip
            for index, word in enumerate(words):
                add(f"{name}_{setting}_{index}", json.dumps({**good, setting: word}).encode())
    add("all_roles", json.dumps({**MAP, **PACKED}).encode())
    add("unknown", json.dumps({**MAP, "x": "y"}).encode())
    return collection.files
