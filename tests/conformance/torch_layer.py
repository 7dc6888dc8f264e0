"""How headwise sees the arguments of torch's multi-head attention: one form for the module and the function."""

from dataclasses import dataclass, field

import numpy as np
import torch

from case_file import Case

PREFIX = "layer."


def batch_first_view(batched: bool, batch_first: bool):
    """[L, B, D] seen as [B, L, D]; unbatched [L, D] and [B, L, D] stay."""
    return lambda array: array.transpose(1, 0, 2) if batched and not batch_first else array


def with_batch_view(batched: bool):
    """The weights of an unbatched call seen as those of a batch of one."""
    return lambda array: array if batched else array[None]


@dataclass
class Sample:
    num_heads: int
    add_zero_attn: bool
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    weights: dict[str, torch.Tensor | None]  # by the names of nn.MultiheadAttention
    attn_mask: torch.Tensor | None
    key_padding_mask: torch.Tensor | None
    batch_first: bool
    views: dict = field(init=False)  # of each result

    def __post_init__(self):
        batched = self.query.ndim == 3
        weights = with_batch_view(batched)
        rows = batch_first_view(batched, self.batch_first)
        self.views = {"output": rows, "average_attention": weights, "attention": weights}

    def fill(self, case: Case) -> None:
        case.call["layer"] = {"prefix": PREFIX, "num_heads": self.num_heads, "add_zero_attention": self.add_zero_attn}
        for name, array in (("query", self.query), ("key", self.key), ("value", self.value)):
            case.add_input(name, array.numpy(), self.views["output"])
        self._store_weights(case)
        self._add_masks(case)

    def _store_weights(self, case: Case) -> None:
        for name, weight in self.weights.items():
            if weight is not None:
                case.store(PREFIX + name, weight.detach().numpy())

    def _add_masks(self, case: Case) -> None:
        """A mask of three axes holds the heads of all rows: [B·H, Lq, Lk], or [H, Lq, Lk] of an unbatched call."""
        if self.attn_mask is not None:
            by_row = self.attn_mask.ndim == 3
            split = lambda mask: mask.reshape(-1, self.num_heads, *mask.shape[1:]) if by_row else mask
            case.add_input("attention_mask", self.attn_mask.numpy(), split)
            case.call["attention_mask_meaning"] = "drop"
        if self.key_padding_mask is not None:
            case.add_input("key_padding_mask", self.key_padding_mask.numpy())
            case.call["key_padding_meaning"] = "drop"


def of_module(module: torch.nn.MultiheadAttention, args, kwargs) -> Sample:
    weights = dict(module.named_parameters())
    return Sample(
        num_heads=module.num_heads,
        add_zero_attn=module.add_zero_attn,
        query=args[0],
        key=args[1],
        value=args[2],
        weights=weights,
        attn_mask=kwargs["attn_mask"],
        key_padding_mask=kwargs["key_padding_mask"],
        batch_first=module.batch_first,
    )


def of_function(query: torch.Tensor, args, kwargs) -> Sample:
    """args as in the signature: key, value, embed_dim, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, …"""
    weights = {name: kwargs[name] for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")}
    weights |= {"in_proj_weight": args[4], "in_proj_bias": args[5]}
    weights |= {"bias_k": args[6].view(1, 1, -1), "bias_v": args[7].view(1, 1, -1)}  # as the module stores them
    weights |= {"out_proj.weight": args[10], "out_proj.bias": args[11]}
    return Sample(
        num_heads=args[3],
        add_zero_attn=args[8],
        query=query,
        key=args[0],
        value=args[1],
        weights=weights,
        attn_mask=kwargs["attn_mask"],
        key_padding_mask=None,
        batch_first=False,
    )
