"""ONNX models of the whole text encoder."""

from pathlib import Path

import numpy as np

from .cases import ENCODER_LAYERS, Case
from .encoder import EPSILON, PROJECTIONS, Arrays, layer_prefix
from .models import CONTRIB, Graph, masked


def constant(graph: Graph, name: str) -> str:
    known = {tensor.name for tensor in graph.constants}
    return name if name in known else graph.constant(name, graph.arrays[name])


def vector(graph: Graph, numbers: list[int]) -> str:
    name = " ".join(map(str, numbers))
    graph.arrays.setdefault(name, np.array(numbers, dtype=np.int64))
    return constant(graph, name)


def linear_node(graph: Graph, x: str, *names: str) -> str:
    """x·Wᵀ + b with the named weights side by side."""
    label = "+".join(names)
    weight = np.concatenate([graph.arrays[f"{name}.weight"] for name in names]).T
    bias = np.concatenate([graph.arrays[f"{name}.bias"] for name in names])
    graph.node("MatMul", [x, graph.constant(f"{label} W", weight)], [f"{label} product"])
    return graph.node("Add", [f"{label} product", graph.constant(f"{label} b", bias)], [f"{label} out"])


def norm_node(graph: Graph, x: str, residual: str, name: str) -> str:
    graph.node("Add", [x, residual], [f"{name} sum"])
    scales = [constant(graph, f"{name}.weight"), constant(graph, f"{name}.bias")]
    return graph.node("LayerNormalization", [f"{name} sum", *scales], [f"{name} out"], axis=-1, epsilon=EPSILON)


def skip_norm_node(graph: Graph, x: str, residual: str, name: str) -> str:
    scales = [constant(graph, f"{name}.weight"), constant(graph, f"{name}.bias")]
    inputs = [x, residual, *scales]
    return graph.node("SkipLayerNormalization", inputs, [f"{name} out"], domain=CONTRIB, epsilon=EPSILON)


def standard_attention(graph: Graph, x: str, prefix: str, mask_name: str = "mask_pairs") -> str:
    products = [linear_node(graph, x, prefix + PROJECTIONS[name]) for name in ("query", "key", "value")]
    heads = graph.case.sizes.heads
    mask = [graph.input(mask_name)] if masked(graph) else []
    context = [f"{prefix}context"]
    graph.node("Attention", products + mask, context, q_num_heads=heads, kv_num_heads=heads)
    return linear_node(graph, context[0], prefix + PROJECTIONS["output"])


def with_key_mask(graph: Graph, x: str, prefix: str) -> str:
    """With a mask of the keys alone, which ONNX Runtime refuses."""
    return standard_attention(graph, x, prefix, "mask")


def split_attention(graph: Graph, x: str, prefix: str) -> str:
    """Of plain operations, as exporters write it."""
    heads = graph.case.sizes.heads
    parts = []
    for name, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        out = linear_node(graph, x, prefix + PROJECTIONS[name])
        graph.node("Reshape", [out, vector(graph, [0, 0, heads, -1])], [f"{out} four"])
        parts.append(graph.node("Transpose", [f"{out} four"], [f"{out} heads"], perm=order))
    scores = graph.node("MatMul", parts[:2], [f"{prefix}scores"])
    root = graph.constant(f"{prefix}root", np.float32(graph.case.sizes.head_dim**0.5))
    scores = graph.node("Div", [scores, root], [f"{prefix}scaled"])
    if masked(graph):
        scores = graph.node("Add", [scores, graph.input("mask_bias")], [f"{prefix}masked"])
    graph.node("Softmax", [scores], [f"{prefix}weights"], axis=-1)
    graph.node("MatMul", [f"{prefix}weights", parts[2]], [f"{prefix}heads"])
    graph.node("Transpose", [f"{prefix}heads"], [f"{prefix}rows"], perm=[0, 2, 1, 3])
    graph.node("Reshape", [f"{prefix}rows", vector(graph, [0, 0, -1])], [f"{prefix}context"])
    return linear_node(graph, f"{prefix}context", prefix + PROJECTIONS["output"])


def fused_attention(graph: Graph, x: str, prefix: str) -> str:
    names = [prefix + PROJECTIONS[name] for name in ("query", "key", "value")]
    weight = np.concatenate([graph.arrays[f"{name}.weight"] for name in names]).T
    bias = np.concatenate([graph.arrays[f"{name}.bias"] for name in names])
    inputs = [x, graph.constant(f"{prefix}W", weight), graph.constant(f"{prefix}b", bias)]
    inputs += [graph.input("mask_int")] if masked(graph) else []
    graph.node("Attention", inputs, [f"{prefix}context"], domain=CONTRIB, num_heads=graph.case.sizes.heads)
    return linear_node(graph, f"{prefix}context", prefix + PROJECTIONS["output"])


def embed_nodes(graph: Graph, norm) -> str:
    table = "embeddings.{}_embeddings.weight".format
    length = graph.case.sizes.queries
    graph.node("Gather", [constant(graph, table("word")), graph.input("ids")], ["words"])
    places = graph.arrays[table("position")][:length] + graph.arrays[table("token_type")][0]
    # The contrib operation wants both of one shape.
    shape = (graph.case.sizes.batch if norm is skip_norm_node else 1, 1, 1)
    return norm(graph, "words", graph.constant("places", np.tile(places, shape)), "embeddings.LayerNorm")


WAYS = {
    "MatMul, Softmax": (split_attention, norm_node),
    "Attention, Gelu, LayerNormalization": (standard_attention, norm_node),
    "Attention, mask of keys": (with_key_mask, norm_node),
    "contrib Attention, SkipLayerNormalization": (fused_attention, skip_norm_node),
}


def build(graph: Graph, attend, norm) -> None:
    x = embed_nodes(graph, norm)
    for layer in range(ENCODER_LAYERS):
        name = layer_prefix(layer)
        x = norm(graph, attend(graph, x, name + "attention."), x, name + "attention.output.LayerNorm")
        wide = linear_node(graph, x, name + "intermediate.dense")
        wide = graph.node("Gelu", [wide], [f"{name}gelu"])
        x = norm(graph, linear_node(graph, wide, name + "output.dense"), x, name + "output.LayerNorm")
    graph.nodes[-1].output[0] = "y"


def save(case: Case, made: Arrays, folder: Path) -> dict[str, str]:
    paths = {}
    for name, (attend, norm) in WAYS.items():
        if attend is with_key_mask and case.variant != "ragged":
            continue
        graph = Graph(case, made)
        build(graph, attend, norm)
        paths[name] = str(folder / f"{case.variant} {name}.onnx")
        graph.save(Path(paths[name]), {"y": [*made["ids"].shape, case.sizes.width]})
    return paths
