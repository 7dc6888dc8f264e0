"""torch as it comes: eager, in inference mode. Usage: torch_worker.py THREADS"""

import sys

import torch
from protocol import Makers, Server, serve
from safetensors.torch import load_file
from torch import nn
from torch_encoder import encoder_makers
from torch_engine import FourLinear, TorchCall, makers, tensor


class LoadCall(TorchCall):
    def __init__(self, folder: str, heads: int):
        super().__init__(load(folder, heads), [tensor(folder, "x")])
        self.run = lambda: load(folder, heads)(*self.inputs)


def load(folder: str, heads: int) -> nn.Module:
    """A layer whose weights are those of the file, without a copy."""
    state = load_file(f"{folder}/layer.safetensors")
    with torch.device("meta"):
        module = FourLinear(state["query.weight"].shape[0], heads)
    module.load_state_dict(state, assign=True)
    return module.eval()


def eager_makers(request: dict) -> Makers:
    case, folder = request["case"], request["folder"]
    if case["kind"] == "load":
        return {"safetensors": lambda: LoadCall(folder, case["sizes"]["heads"])}
    eager = encoder_makers if case["kind"] == "encoder" else makers
    return eager(request, lambda module, _: module)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    with torch.inference_mode():
        serve(Server(eager_makers), {"torch": torch.__version__})
