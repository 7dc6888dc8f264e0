"""Writes torch's own samples for MultiheadAttention, its functional form and scaled_dot_product_attention as cases."""

import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from torch.func import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

import torch_layer
import torch_oracle
from case_file import Case
from suites import TORCH_FUNCTION, TORCH_MODULE, TORCH_SDPA

LAYER_RTOL, LAYER_ATOL = 1.3e-6, 1e-5  # torch.testing for f32
SDPA_RTOL, SDPA_ATOL = 1e-5, 5e-6  # what the samples of scaled_dot_product_attention override it with


def converted(arguments: dict, convert) -> dict:
    return {name: convert(value) for name, value in arguments.items()}


def layer_results(run) -> dict[str, torch.Tensor]:
    """run(average) is torch's call: output and weights, averaged over the heads or not."""
    output, average = run(True)
    return {"output": output, "average_attention": average, "attention": run(False)[1]}


def module_name(index: int, options: dict, masks: dict) -> str:
    words = [word for word in ("bias", "add_bias_kv", "add_zero_attn", "batch_first") if options[word]]
    words += [word for word in ("key_padding_mask", "attn_mask") if masks[word] is not None]
    return "_".join([f"{index:02d}", *words])


def export_modules(folder: Path) -> None:
    (info,) = (info for info in module_db if info.module_cls is torch.nn.MultiheadAttention)
    inputs = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=False)
    for index, item in enumerate(inputs):
        options, call = item.constructor_input.kwargs, item.forward_input
        module = torch.nn.MultiheadAttention(**options).eval()
        sample = torch_layer.of_module(module, call.args, call.kwargs)
        case = Case(TORCH_MODULE, module_name(index, options, call.kwargs), "attention", LAYER_RTOL, LAYER_ATOL)
        sample.fill(case)
        weights = dict(module.named_parameters())

        def answer(convert):
            state, args = converted(weights, convert), tuple(map(convert, call.args))
            masks = lambda average: call.kwargs | {"average_attn_weights": average}
            return layer_results(lambda average: functional_call(module, state, args, masks(average)))

        torch_oracle.add_outputs(case, answer, sample.views)
        case.save(folder)


def operator_samples(name: str):
    (operator,) = (operator for operator in op_db if operator.name == name)
    return enumerate(operator.sample_inputs("cpu", torch.float32, requires_grad=False))


def function_name(index: int, sample) -> str:
    mask = sample.kwargs["attn_mask"]
    words = ["batched" if sample.input.ndim == 3 else "unbatched", f"heads{sample.args[3]}"]
    words += ["separate"] if sample.kwargs["use_separate_proj_weight"] else []
    return "_".join([f"{index:03d}", *words, *([] if mask is None else [f"mask{mask.ndim}d"])])


def export_functions(folder: Path) -> None:
    for index, item in operator_samples("nn.functional.multi_head_attention_forward"):
        dropout = item.args[9]
        if dropout > 0:  # 96 more samples, whose results are drawn by chance
            continue
        sample = torch_layer.of_function(item.input, item.args, item.kwargs)
        case = Case(TORCH_FUNCTION, function_name(index, item), "attention", LAYER_RTOL, LAYER_ATOL)
        sample.fill(case)

        def answer(convert):
            args, kwargs = tuple(map(convert, (item.input, *item.args))), converted(item.kwargs, convert)
            call = functional.multi_head_attention_forward
            return layer_results(lambda average: call(*args, **kwargs, average_attn_weights=average))

        torch_oracle.add_outputs(case, answer, sample.views)
        case.save(folder)


def with_heads(array: np.ndarray) -> np.ndarray:
    """[B, L, d] is one head: [B, 1, L, d]."""
    return array if array.ndim == 4 else array[:, None]


def add_sdpa_inputs(case: Case, query, key, value, kwargs: dict) -> None:
    """A query without the batch axis of the keys is the same for every row."""
    shared = lambda stored: np.broadcast_to(stored, (*key.shape[:2], *stored.shape[-2:]))
    seen = case.add_input("query", query.numpy(), shared if query.ndim < key.ndim else with_heads)
    case.add_input("key", key.numpy(), with_heads)
    case.add_input("value", value.numpy(), with_heads)
    case.call["config"] = {"num_heads": seen.shape[1], "head_dim": seen.shape[3], "value_dim": value.shape[-1]}
    if kwargs.get("attn_mask") is not None:
        case.add_input("attention_mask", kwargs["attn_mask"].numpy())
    case.call |= {"causal": kwargs["is_causal"], "causal_alignment": "upper_left"}


def export_sdpa(folder: Path) -> None:
    """All 25 samples. Twelve ask for dropout 0.5, which has no single answer: they run without dropout."""
    for index, item in operator_samples("nn.functional.scaled_dot_product_attention"):
        args, kwargs = (item.input, *item.args), item.kwargs | {"dropout_p": 0.0}
        causal = "_causal" if kwargs["is_causal"] else ""
        case = Case(TORCH_SDPA, f"{index:02d}_query{item.input.ndim}d{causal}", "attention", SDPA_RTOL, SDPA_ATOL)
        add_sdpa_inputs(case, *args, kwargs)

        def answer(convert):
            call = functional.scaled_dot_product_attention
            return {"output": call(*map(convert, args), **converted(kwargs, convert))}

        with sdpa_kernel(SDPBackend.MATH):
            torch_oracle.add_outputs(case, answer, {"output": with_heads})
        case.save(folder)


def main() -> None:
    folder = Path(sys.argv[1])
    torch.manual_seed(0)  # of the modules' weights and of disturbed(); torch seeds its samples
    torch.backends.mha.set_fastpath_enabled(False)
    with torch.no_grad():
        export_modules(folder)
        export_functions(folder)
        export_sdpa(folder)


if __name__ == "__main__":
    main()
