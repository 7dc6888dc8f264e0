"""ONNX models of a case: what ONNX Runtime runs, and OpenVINO where only standard operations are used. Inputs bear the
names of the arrays in data.py, so that a worker finds its data by the name."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .cases import Case
from .data import Arrays

OPSETS = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
CONTRIB = "com.microsoft"


class Graph:
    """Nodes in order, constants, and inputs by name."""

    def __init__(self, case: Case, arrays: Arrays):
        self.case, self.arrays = case, arrays
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.inputs: list[str] = []

    def node(self, operation: str, inputs: list[str], outputs: list[str], **attributes) -> str:
        self.nodes.append(helper.make_node(operation, inputs, outputs, **attributes))
        return outputs[0]

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def input(self, name: str) -> str:
        if name not in self.inputs:
            self.inputs.append(name)
        return name

    def weight(self, *names: str) -> str:
        """[D, n·D] for x·W, of the named weights side by side."""
        return self.constant("".join(names) + "_weight", np.concatenate([self.arrays[f"w{n}"] for n in names]).T)

    def bias(self, *names: str) -> str:
        return self.constant("".join(names) + "_bias", np.concatenate([self.arrays[f"b{n}"] for n in names]))

    def product(self, x: str, output: str, *names: str) -> str:
        self.node("MatMul", [x, self.weight(*names)], [f"{output}_product"])
        return self.node("Add", [f"{output}_product", self.bias(*names)], [output])

    def shape(self, name: str) -> list:
        shape = list(self.arrays[name].shape)
        return [1, "length", shape[2]] if self.case.kind == "lengths" else shape

    def save(self, path: Path, outputs: dict[str, list]) -> None:
        types = {n: helper.np_dtype_to_tensor_dtype(self.arrays[n].dtype) for n in self.inputs}
        values = [helper.make_tensor_value_info(n, types[n], self.shape(n)) for n in self.inputs]
        results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, "attention", values, results, self.constants)
        onnx.save(helper.make_model(graph, opset_imports=OPSETS, ir_version=10), path)


def split_product(graph: Graph) -> list[str]:
    graph.product(graph.input("x"), "qkv", *"qkv")
    graph.node("Split", ["qkv"], ["query", "key", "value"], axis=2, num_outputs=3)
    return ["query", "key", "value"]


def three_products(graph: Graph) -> list[str]:
    return [graph.product(graph.input("x"), output, output[0]) for output in ("query", "key", "value")]


def masked(graph: Graph) -> bool:
    return graph.case.variant in ("ragged", "padded")


def attention(graph: Graph, qkv: list[str], output: str) -> None:
    """The operation of the ONNX standard; inputs of rank 3 or 4."""
    heads = graph.case.sizes.heads
    sizes = {} if output == "y" and graph.case.kind == "core" else {"q_num_heads": heads, "kv_num_heads": heads}
    if graph.case.variant == "causal":
        sizes["is_causal"] = 1
    outputs = [output]
    if graph.case.variant == "weights":
        outputs, sizes["qk_matmul_output_mode"] = [output, "", "", "weights"], 3
    graph.node("Attention", qkv + ([graph.input("mask")] if masked(graph) else []), outputs, **sizes)


def multi_head_attention(graph: Graph, qkv: list[str], output: str) -> None:
    mask = ["", graph.input("mask_int")] if masked(graph) else []
    causal = int(graph.case.variant == "causal")
    heads = graph.case.sizes.heads
    graph.node("MultiHeadAttention", qkv + mask, [output], domain=CONTRIB, num_heads=heads, unidirectional=causal)


def contrib_attention(graph: Graph) -> None:
    """One operation from the input of the layer to the context."""
    mask = [graph.input("mask_int")] if masked(graph) else []
    inputs = [graph.input("x"), graph.weight(*"qkv"), graph.bias(*"qkv"), *mask]
    graph.node("Attention", inputs, ["context"], domain=CONTRIB, num_heads=graph.case.sizes.heads)


LAYERS = {
    "three MatMul, Attention": lambda graph: attention(graph, three_products(graph), "context"),
    "fused MatMul, Attention": lambda graph: attention(graph, split_product(graph), "context"),
    "three MatMul, contrib MultiHeadAttention": lambda g: multi_head_attention(g, three_products(g), "context"),
    "contrib Attention": contrib_attention,
}
CORES = {
    "Attention, rank 4": ("y", lambda graph: attention(graph, [graph.input(n) for n in ("q", "k", "v")], "y")),
    "Attention, rank 3": ("y3", lambda graph: attention(graph, [graph.input(n) for n in ("q3", "k3", "v3")], "y3")),
    "contrib MultiHeadAttention": (
        "y3",
        lambda graph: multi_head_attention(graph, [graph.input(n) for n in ("q3", "k3", "v3")], "y3"),
    ),
}


def save_layers(case: Case, arrays: Arrays, folder: Path) -> dict[str, str]:
    paths = {}
    for name, build in LAYERS.items():
        graph = Graph(case, arrays)
        build(graph)
        graph.product("context", "y", "o")
        paths[name] = str(folder / f"{case.variant} {name}.onnx")
        graph.save(Path(paths[name]), {"y": graph.shape("x")})
    return paths


def save_cores(case: Case, arrays: Arrays, folder: Path) -> dict[str, str]:
    paths = {}
    for name, (output, build) in CORES.items():
        if case.variant == "weights" and "contrib" in name:
            continue  # returns no weights
        graph = Graph(case, arrays)
        build(graph)
        outputs = {output: graph.shape("q" if output == "y" else "q3")}
        if case.variant == "weights":
            s = case.sizes
            outputs["weights"] = [s.batch, s.heads, s.queries, s.keys]
        paths[name] = str(folder / f"{case.variant} {name}.onnx")
        graph.save(Path(paths[name]), outputs)
    return paths


def save(case: Case, arrays: Arrays, folder: Path) -> dict[str, str]:
    """Names of ways to run the case and the file of each."""
    return save_cores(case, arrays, folder) if case.kind == "core" else save_layers(case, arrays, folder)


def standard(models: dict[str, str]) -> dict[str, str]:
    """Those with operations of the ONNX standard only."""
    return {name: path for name, path in models.items() if "contrib" not in name}
