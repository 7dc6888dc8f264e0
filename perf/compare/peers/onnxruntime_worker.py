"""ONNX Runtime on the models that the driver made. Usage: onnxruntime_worker.py THREADS"""

import sys
from collections.abc import Callable

import numpy as np
import onnxruntime
from protocol import Call, Makers, Server, Unsupported, load_array, serve

THREADS = int(sys.argv[1])


def open_session(path: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # Pools of their own would spin for a while after a call and take time from the session that runs next.
    options.use_per_session_threads = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


class OrtCall(Call):
    """Inputs and outputs are bound to memory once, so that a call copies nothing."""

    def __init__(self, path: str, folder: str):
        self.session = open_session(path)
        self.inputs = {x.name: load_array(folder, x.name) for x in self.session.get_inputs()}
        self.binding = self.session.io_binding()
        for name, array in self.inputs.items():
            self.binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
        self.names = [output.name for output in self.session.get_outputs()]
        for output in self.session.get_outputs():
            self.bind_output(output)

    def bind_output(self, output: onnxruntime.NodeArg) -> None:
        if all(isinstance(size, int) for size in output.shape):
            memory = onnxruntime.OrtValue.ortvalue_from_shape_and_type(output.shape, np.float32)
            self.binding.bind_ortvalue_output(output.name, memory)
        else:
            self.binding.bind_output(output.name)

    def run(self) -> None:
        self.session.run_with_iobinding(self.binding)

    def run_length(self, length: int) -> list[np.ndarray]:
        return self.session.run(self.names, {"x": self.inputs["x"][:, :length]})

    def results(self, returned: object) -> dict[str, np.ndarray]:
        arrays = self.binding.copy_outputs_to_cpu() if returned is None else returned
        return dict(zip(self.names, arrays))


class LoadCall(OrtCall):
    def __init__(self, path: str, folder: str):
        super().__init__(path, folder)
        self.run = lambda: open_session(path).run(self.names, self.inputs)


def maker(kind: type[OrtCall], path: str, folder: str) -> Callable[[], Call]:
    return lambda: kind(path, folder)


def makers(request: dict) -> Makers:
    if not request["models"]:
        raise Unsupported("no ONNX model says this")
    kind = LoadCall if request["case"]["kind"] == "load" else OrtCall
    return {name: maker(kind, path, request["folder"]) for name, path in request["models"].items()}


if __name__ == "__main__":
    onnxruntime.set_global_thread_pool_sizes(THREADS, 1)
    serve(Server(makers), {"onnxruntime": onnxruntime.__version__})
