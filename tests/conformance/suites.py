"""The suites of other projects that headwise is held against, and how many cases each has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    name: str
    key: str  # the case NAME lies in KEY.NAME.safetensors
    cases: int  # a release with more or fewer is not the one that was pinned


ONNX_ATTENTION = Suite("ONNX Attention", "onnx_attention", 93)
ONNX_ROTARY = Suite("ONNX RotaryEmbedding", "onnx_rotary", 8)
ONNX_SCATTER = Suite("ONNX TensorScatter", "onnx_scatter", 3)
TORCH_MODULE = Suite("torch MultiheadAttention module", "torch_module", 64)
TORCH_FUNCTION = Suite("torch multi_head_attention_forward", "torch_function", 96)
TORCH_SDPA = Suite("torch scaled_dot_product_attention", "torch_sdpa", 25)

SUITES = [ONNX_ATTENTION, ONNX_ROTARY, ONNX_SCATTER, TORCH_MODULE, TORCH_FUNCTION, TORCH_SDPA]
