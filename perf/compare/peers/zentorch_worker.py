"""torch compiled by AMD's plug-in. Usage: zentorch_worker.py THREADS"""

import sys

import torch
import zentorch
from protocol import Makers, Server, serve
from torch import nn
from torch_encoder import encoder_makers
from torch_engine import makers

# The plug-in remembers packed weights by their address: weights that take the place of freed ones would get the results
# of those. So none is freed.
kept: list[nn.Module] = []


def compiled(module: nn.Module, varies: bool) -> nn.Module:
    kept.append(module)
    return torch.compile(module, backend="zentorch", dynamic=varies)


def compiled_makers(request: dict) -> Makers:
    return (encoder_makers if request["case"]["kind"] == "encoder" else makers)(request, compiled)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    # Past the limit torch would quietly run without the compiler.
    torch._dynamo.config.fail_on_recompile_limit_hit = True
    server = Server(compiled_makers, forget=torch._dynamo.reset)
    with torch.inference_mode():
        serve(server, {"torch": torch.__version__, "zentorch": zentorch.__version__})
