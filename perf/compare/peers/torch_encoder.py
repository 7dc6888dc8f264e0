"""The whole text encoder in torch: BERT's layers with fused or single projections, weights of the model's own file."""

from collections.abc import Callable

import torch
from protocol import Call, Makers
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional
from torch_engine import Compile, TorchCall, tensor

EPSILON = 1e-12
State = dict[str, torch.Tensor]


def linear(state: State, *names: str) -> nn.Linear:
    """The named weights side by side."""
    weight = torch.cat([state[f"{name}.weight"] for name in names])
    made = nn.Linear(weight.shape[1], weight.shape[0])
    made.load_state_dict({"weight": weight, "bias": torch.cat([state[f"{name}.bias"] for name in names])})
    return made


def norm(state: State, name: str) -> nn.LayerNorm:
    made = nn.LayerNorm(state[f"{name}.weight"].shape[0], eps=EPSILON)
    made.load_state_dict({part: state[f"{name}.{part}"] for part in ("weight", "bias")})
    return made


class Layer(nn.Module):
    def __init__(self, state: State, name: str, heads: int, fused: bool):
        super().__init__()
        own = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        self.heads = heads
        self.projections = nn.ModuleList([linear(state, *own)] if fused else [linear(state, part) for part in own])
        self.output = linear(state, f"{name}.attention.output.dense")
        self.first_norm = norm(state, f"{name}.attention.output.LayerNorm")
        self.up = linear(state, f"{name}.intermediate.dense")
        self.down = linear(state, f"{name}.output.dense")
        self.second_norm = norm(state, f"{name}.output.LayerNorm")

    def project(self, x: torch.Tensor):
        if len(self.projections) == 1:
            return self.projections[0](x).chunk(3, dim=-1)
        return [projection(x) for projection in self.projections]

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        split = [part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(x)]
        context = functional.scaled_dot_product_attention(*split, attn_mask=mask)
        x = self.first_norm(x + self.output(context.transpose(1, 2).flatten(2)))
        return self.second_norm(x + self.down(functional.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self, state: State, heads: int, fused: bool):
        super().__init__()
        table = "embeddings.{}_embeddings.weight".format
        self.words = nn.Embedding.from_pretrained(state[table("word")])
        self.register_buffer("places", state[table("position")] + state[table("token_type")][0])
        self.norm = norm(state, "embeddings.LayerNorm")
        count = len({name.split(".")[2] for name in state if name.startswith("encoder.layer.")})
        self.layers = nn.ModuleList([Layer(state, f"encoder.layer.{i}", heads, fused) for i in range(count)])

    def forward(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        x = self.norm(self.words(ids) + self.places[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        return x


def encoder_makers(request: dict, compiled: Compile) -> Makers:
    case, folder = request["case"], request["folder"]
    inputs = [tensor(folder, "ids")] + ([tensor(folder, "mask")] if case["variant"] == "ragged" else [])

    def maker(fused: bool) -> Callable[[], Call]:
        state = load_file(f"{request['encoder']}/model.safetensors")
        return lambda: TorchCall(compiled(Encoder(state, case["sizes"]["heads"], fused).eval(), False), inputs)

    return {"three Linear, SDPA": maker(False), "fused QKV Linear, SDPA": maker(True)}
