"""OpenVINO in f32 on the models that the driver made and on graphs of its own operations.
Usage: openvino_worker.py THREADS"""

import sys
from collections.abc import Callable

import numpy as np
import openvino
from openvino import opset13 as ops
from protocol import Call, Makers, Server, load_array, serve

SETTINGS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": int(sys.argv[1]),
    "NUM_STREAMS": 1,
}
CORE = openvino.Core()


class OpenvinoCall(Call):
    def __init__(self, model: openvino.Model | str, folder: str):
        compiled = CORE.compile_model(model, "CPU", SETTINGS)
        self.request = compiled.create_infer_request()
        self.names = [output.any_name for output in compiled.outputs]
        self.inputs = {x.any_name: load_array(folder, x.any_name) for x in compiled.inputs}
        for name, array in self.inputs.items():
            self.request.set_tensor(name, openvino.Tensor(array, shared_memory=True))

    def run(self) -> None:
        # Of the ways to call it from Python the quickest: start_async and wait take 20 µs more.
        self.request.infer(share_outputs=True)

    def first_results(self) -> dict[str, np.ndarray]:
        self.run()
        return {name: self.request.get_tensor(name).data.copy() for name in self.names}

    def run_length(self, length: int) -> None:
        self.request.set_tensor("x", openvino.Tensor(self.inputs["x"][:, :length], shared_memory=True))
        self.run()

    def results(self, _returned: object) -> dict[str, np.ndarray]:
        return {name: self.request.get_tensor(name).data for name in self.names}


class LoadCall(OpenvinoCall):
    def __init__(self, model: str, folder: str):
        super().__init__(model, folder)
        self.run = lambda: OpenvinoCall(model, folder).first_results()

    def results(self, returned: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return returned


def parameter(folder: str, name: str, varies: bool = False):
    array = load_array(folder, name)
    shape = openvino.PartialShape([1, -1, array.shape[2]] if varies else list(array.shape))
    node = ops.parameter(shape, openvino.Type(array.dtype), name=name)
    node.output(0).set_names({name})
    return node


def product(x, folder: str, *names: str):
    """x·Wᵀ + b with the named weights, stacked, as constants that the plug-in packs."""
    weight = np.concatenate([load_array(folder, f"w{name}") for name in names])
    bias = np.concatenate([load_array(folder, f"b{name}") for name in names])
    return ops.add(ops.matmul(x, ops.constant(weight), False, True), ops.constant(bias))


def split_heads(x, heads: int):
    four = ops.reshape(x, ops.constant([0, 0, heads, -1]), True)
    return ops.transpose(four, ops.constant([0, 2, 1, 3]))


def join_heads(x):
    return ops.reshape(ops.transpose(x, ops.constant([0, 2, 1, 3])), ops.constant([0, 0, -1]), True)


def projected(x, folder: str, fused: bool) -> list:
    if fused:
        return ops.split(product(x, folder, *"qkv"), ops.constant(2), 3).outputs()
    return [product(x, folder, name) for name in "qkv"]


def finish(results: dict, parameters: list) -> openvino.Model:
    for name, node in results.items():
        (node.output(0) if hasattr(node, "output") else node).set_names({name})
    return openvino.Model(list(results.values()), parameters)


def layer_model(request: dict, fused: bool) -> openvino.Model:
    folder, case = request["folder"], request["case"]
    parameters = [parameter(folder, "x", case["kind"] == "lengths")]
    parameters += [parameter(folder, "mask")] if case["variant"] == "ragged" else []
    heads = [split_heads(part, case["sizes"]["heads"]) for part in projected(parameters[0], folder, fused)]
    context = ops.scaled_dot_product_attention(*heads, *parameters[1:])
    return finish({"y": product(join_heads(context), folder, "o")}, parameters)


def core_model(request: dict) -> openvino.Model:
    folder, variant = request["folder"], request["case"]["variant"]
    parameters = [parameter(folder, name) for name in "qkv"]
    parameters += [parameter(folder, "mask")] if variant == "padded" else []
    y = ops.scaled_dot_product_attention(*parameters, causal=variant == "causal")
    return finish({"y": y}, parameters)


def weights_model(request: dict) -> openvino.Model:
    query, key, value = parameters = [parameter(request["folder"], name) for name in "qkv"]
    scale = ops.constant(np.float32(request["case"]["sizes"]["head_dim"] ** -0.5))
    weights = ops.softmax(ops.multiply(ops.matmul(query, key, False, True), scale), 3)
    return finish({"y": ops.matmul(weights, value, False, False), "weights": weights}, parameters)


def own_models(request: dict) -> dict[str, Callable[[], openvino.Model]]:
    if request["case"]["kind"] == "encoder":
        return {}  # its fusions find what they look for in the ONNX models
    if request["case"]["kind"] == "core":
        if request["case"]["variant"] == "weights":
            return {"MatMul, Softmax, MatMul": lambda: weights_model(request)}
        return {"SDPA": lambda: core_model(request)}
    return {
        "three MatMul, SDPA": lambda: layer_model(request, False),
        "fused MatMul, SDPA": lambda: layer_model(request, True),
    }


def makers(request: dict) -> Makers:
    folder, ready = request["folder"], request["models"]
    if request["case"]["kind"] == "load":
        return {name: (lambda path=path: LoadCall(path, folder)) for name, path in ready.items()}
    own = {name: (lambda make=make: OpenvinoCall(make(), folder)) for name, make in own_models(request).items()}
    return own | {f"ONNX {name}": (lambda path=path: OpenvinoCall(path, folder)) for name, path in ready.items()}


if __name__ == "__main__":
    serve(Server(makers), {"openvino": openvino.__version__})
