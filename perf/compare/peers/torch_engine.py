"""The layer and the attention core in torch, as torch_worker.py runs them and zentorch_worker.py compiles them."""

from collections.abc import Callable

import torch
from protocol import Call, Makers, Unsupported, load_array
from torch import nn
from torch.nn import functional

Compile = Callable[[nn.Module, bool], nn.Module]  # the module and whether lengths vary


def tensor(folder: str, name: str) -> torch.Tensor:
    return torch.from_numpy(load_array(folder, name))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.output = nn.Linear(width, width)

    def attend(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None):
        split = [x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in (query, key, value)]
        context = functional.scaled_dot_product_attention(*split, attn_mask=mask)
        return self.output(context.transpose(1, 2).flatten(2))


class FourLinear(Layer):
    parts = {"query": "q", "key": "k", "value": "v", "output": "o"}

    def __init__(self, width: int, heads: int):
        super().__init__(width, heads)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return self.attend(self.query(x), self.key(x), self.value(x), mask)


class FusedLinear(Layer):
    parts = {"qkv": "qkv", "output": "o"}

    def __init__(self, width: int, heads: int):
        super().__init__(width, heads)
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return self.attend(*self.qkv(x).chunk(3, dim=-1), mask)


def filled(kind: type[Layer], folder: str, heads: int) -> Layer:
    """A layer with the weights of the folder; a part takes those of its letters, stacked."""
    state = {}
    for part, letters in kind.parts.items():
        state[f"{part}.weight"] = torch.cat([tensor(folder, f"w{letter}") for letter in letters])
        state[f"{part}.bias"] = torch.cat([tensor(folder, f"b{letter}") for letter in letters])
    module = kind(state["output.weight"].shape[0], heads)
    module.load_state_dict(state)
    return module.eval()


class ScaledDotProduct(nn.Module):
    def __init__(self, causal: bool):
        super().__init__()
        self.causal = causal

    def forward(self, query, key, value, mask=None):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=self.causal)


class WithWeights(nn.Module):
    """As nn.MultiheadAttention does it with need_weights."""

    def forward(self, query, key, value):
        scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-2, -1)
        weights = scores.softmax(-1)
        return weights @ value, weights


class TorchCall(Call):
    def __init__(self, module: nn.Module, inputs: list[torch.Tensor]):
        self.module, self.inputs = module, inputs

    def run(self):
        return self.module(*self.inputs)

    def run_length(self, length: int):
        return self.module(self.inputs[0][:, :length])

    def results(self, returned):
        outputs = returned if isinstance(returned, tuple) else (returned,)
        return {name: output.numpy() for name, output in zip(("y", "weights"), outputs)}


def layer_makers(case: dict, folder: str, compiled: Compile) -> Makers:
    inputs = [tensor(folder, "x")] + ([tensor(folder, "mask")] if case["variant"] == "ragged" else [])
    kinds = {"four Linear, SDPA": FourLinear, "fused QKV Linear, SDPA": FusedLinear}
    varies = case["kind"] == "lengths"

    def maker(kind: type[Layer]) -> Callable[[], Call]:
        return lambda: TorchCall(compiled(filled(kind, folder, case["sizes"]["heads"]), varies), inputs)

    return {name: maker(kind) for name, kind in kinds.items()}


def core_makers(case: dict, folder: str, compiled: Compile) -> Makers:
    inputs = [tensor(folder, name) for name in "qkv"]
    if case["variant"] == "weights":
        return {"softmax(QKᵀ)·V": lambda: TorchCall(compiled(WithWeights().eval(), False), inputs)}
    inputs += [tensor(folder, "mask")] if case["variant"] == "padded" else []
    return {"SDPA": lambda: TorchCall(compiled(ScaledDotProduct(case["variant"] == "causal").eval(), False), inputs)}


def makers(request: dict, compiled: Compile) -> Makers:
    case, folder = request["case"], request["folder"]
    if case["kind"] in ("layer", "lengths"):
        return layer_makers(case, folder, compiled)
    if case["kind"] == "core":
        return core_makers(case, folder, compiled)
    raise Unsupported("compiles at the first call, for about a second")
