"""Writes the backend node tests of ONNX for Attention, RotaryEmbedding and TensorScatter as cases."""

import importlib
import sys
from pathlib import Path

import numpy as np
import onnx

from case_file import Case
from suites import ONNX_ATTENTION, ONNX_ROTARY, ONNX_SCATTER, Suite

RTOL, ATOL = 1e-3, 1e-7  # of ONNX's own runner, which allows bfloat16 two units in the last place
BFLOAT16_RTOL = 2.0**-6


class Node:
    """The one node of a test's model: attributes and arrays by name, those that are left out as None."""

    def __init__(self, test):
        (node,) = test.model.graph.node
        ((inputs, outputs),) = test.data_sets
        self.name, self.operator = test.name, node.op_type
        self.attributes = {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}
        self.inputs = self._arrays(node.input, inputs, onnx.defs.get_schema(node.op_type, test_opset(test)).inputs)
        self.outputs = self._arrays(node.output, outputs, onnx.defs.get_schema(node.op_type, test_opset(test)).outputs)

    @staticmethod
    def _arrays(names, arrays, formal):
        rest = iter(arrays)
        return {argument.name: next(rest) for argument, name in zip(formal, names) if name}

    def case(self, suite: Suite, operation: str) -> Case:
        first = next(iter(self.outputs.values()))
        return Case(suite, self.name, operation, BFLOAT16_RTOL if first.dtype.name == "bfloat16" else RTOL, ATOL)


def test_opset(test) -> int:
    (opset,) = test.model.opset_import
    return opset.version


def by_heads(heads: int | None):
    """[B, L, H·size] seen as [B, H, L, size]; four axes stay."""

    def view(array: np.ndarray) -> np.ndarray:
        if array.ndim == 4:
            return array
        return array.reshape(*array.shape[:2], heads, -1).transpose(0, 2, 1, 3)

    return view


def add_positions(case: Case, node: Node) -> None:
    """Query i stands behind the past; or the last query at the last valid key of its row; or query 0 at key 0."""
    attributes, lengths = node.attributes, node.inputs.get("nonpad_kv_seqlen")
    window = [attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)]
    case.call |= {"causal": bool(attributes.get("is_causal", 0)), "window": window}
    if lengths is not None:
        case.add_input("key_lengths", lengths)
        case.call["causal_alignment"] = "lower_right"
    elif "past_key" not in node.inputs:
        case.call["causal_alignment"] = "upper_left"


def add_cache(case: Case, node: Node, key: np.ndarray) -> None:
    if "past_key" not in node.inputs and "present_key" not in node.outputs:
        return
    case.call["cache"] = {"capacity": node.outputs["present_key"].shape[2]}
    for part in ("key", "value"):
        if f"past_{part}" in node.inputs:
            case.add_input(f"past_{part}", node.inputs[f"past_{part}"])
        case.expect(f"present_{part}", node.outputs[f"present_{part}"])


def add_attention_outputs(case: Case, node: Node) -> None:
    case.add_output("output", node.outputs["Y"], by_heads(node.attributes.get("q_num_heads")))
    if "qk_matmul_output" not in node.outputs:
        return
    mode = node.attributes.get("qk_matmul_output_mode", 0)
    case.add_output("attention" if mode == 3 else "scores", node.outputs["qk_matmul_output"])
    if mode != 3:
        case.call["score_stage"] = ("scaled", "capped", "masked")[mode]


# softmax_precision has no counterpart: headwise computes in f32 whatever the inputs are.
def attention_case(node: Node) -> Case:
    case, attributes = node.case(ONNX_ATTENTION, "attention"), node.attributes
    query = case.add_input("query", node.inputs["Q"], by_heads(attributes.get("q_num_heads")))
    key = case.add_input("key", node.inputs["K"], by_heads(attributes.get("kv_num_heads")))
    value = case.add_input("value", node.inputs["V"], by_heads(attributes.get("kv_num_heads")))
    config = {"num_heads": query.shape[1], "num_kv_heads": key.shape[1]}
    config |= {"head_dim": key.shape[3], "value_dim": value.shape[3]}
    config |= {name: attributes[name] for name in ("scale", "softcap") if name in attributes}
    case.call["config"] = config
    if "attn_mask" in node.inputs:
        case.add_input("attention_mask", node.inputs["attn_mask"])
        case.call["attention_mask_meaning"] = "keep"
    add_positions(case, node)
    add_cache(case, node, key)
    add_attention_outputs(case, node)
    return case


def rotary_case(node: Node) -> Case:
    case, heads = node.case(ONNX_ROTARY, "rotary"), by_heads(node.attributes.get("num_heads"))
    case.add_input("input", node.inputs["X"], heads)
    case.add_input("cos", node.inputs["cos_cache"])
    case.add_input("sin", node.inputs["sin_cache"])
    if "position_ids" in node.inputs:
        case.add_input("position_ids", node.inputs["position_ids"])
    case.call["layout"] = "interleaved" if node.attributes.get("interleaved", 0) else "half_split"
    case.add_output("output", node.outputs["Y"], heads)
    return case


def scatter_case(node: Node) -> Case:
    case, axis = node.case(ONNX_SCATTER, "scatter"), node.attributes.get("axis", -2)
    rows_before_last = lambda array: np.moveaxis(array, axis, -2)
    case.add_input("cache", node.inputs["past_cache"], rows_before_last)
    case.add_input("update", node.inputs["update"], rows_before_last)
    if "write_indices" in node.inputs:
        case.add_input("write_indices", node.inputs["write_indices"])
    case.call["circular"] = node.attributes.get("mode", b"linear") == b"circular"
    case.add_output("cache", node.outputs["present_cache"], rows_before_last)
    return case


MAKERS = {"Attention": attention_case, "RotaryEmbedding": rotary_case, "TensorScatter": scatter_case}


def main() -> None:
    folder = Path(sys.argv[1])
    np.random.seed(0)  # the tests draw their inputs while they are imported
    package = importlib.import_module("onnx.backend.test.case.node")
    for module in ("attention", "rotaryembedding", "tensorscatter"):
        importlib.import_module(f"onnx.backend.test.case.node.{module}")
    for test in package._NodeTestCases:
        # The others are the same tests with the operator's definition spelled out in smaller operators.
        if not test.name.endswith("_expanded"):
            node = Node(test)
            MAKERS[node.operator](node).save(folder)


if __name__ == "__main__":
    main()
