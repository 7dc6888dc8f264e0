"""One case: the call of headwise and its tensors in one file, what must come out in another.

Tensors are stored as the other project lays them out. The call says for each of its arguments which stored tensor it
is and through which shape and strides headwise sees it, so nothing is copied or computed on the way.
"""

import json
from pathlib import Path

import numpy as np

import safetensors_file
from suites import Suite


def view_entry(name: str, stored: np.ndarray, view: np.ndarray) -> dict:
    address = lambda array: array.__array_interface__["data"][0]
    if address(stored) != address(view) or not stored.flags.c_contiguous:
        raise ValueError(f"{name}: not a view on the stored tensor")
    return {"tensor": name, "shape": list(view.shape), "strides": [stride // view.itemsize for stride in view.strides]}


class Case:
    def __init__(self, suite: Suite, name: str, operation: str, rtol: float, atol: float):
        self.file_name = f"{suite.key}.{name}.safetensors"
        self.call: dict = {"operation": operation, "inputs": {}, "outputs": {}}
        self.rtol, self.atol = rtol, atol
        self.tensors: dict[str, np.ndarray] = {}
        self.expected: dict[str, np.ndarray] = {}
        self.tolerances: dict[str, dict] = {}
        self.spreads: dict[str, np.ndarray] = {}

    def store(self, name: str, array: np.ndarray) -> np.ndarray:
        """Puts a tensor into the file and returns it, contiguous, to take views of."""
        self.tensors[name] = np.ascontiguousarray(array).reshape(array.shape)
        return self.tensors[name]

    def add_input(self, role: str, array: np.ndarray, view=lambda stored: stored) -> np.ndarray:
        """An argument of the call: the array as it is stored, and how headwise sees it."""
        stored = self.store(role, array)
        seen = view(stored)
        self.call["inputs"][role] = view_entry(role, stored, seen)
        return seen

    def add_output(self, role: str, expected: np.ndarray, view=lambda stored: stored) -> None:
        """A result that the call asks for, in the memory layout of what must come out."""
        memory = np.empty(expected.shape, expected.dtype)
        entry = view_entry(role, memory, view(memory))
        entry |= {"dtype": safetensors_file.NAMES[expected.dtype], "stored_shape": list(expected.shape)}
        self.call["outputs"][role] = entry
        self.expect(role, expected)

    def expect(self, name: str, expected: np.ndarray) -> None:
        self.expected[name] = np.asarray(expected)
        self.tolerances[name] = {"rtol": self.rtol, "atol": self.atol}

    def allow_spread(self, name: str, spread: np.ndarray, author_missed: bool) -> None:
        """How much farther off each value may be; whether the suite's author needs that too."""
        self.spreads[f"{name}.spread"] = spread
        self.tolerances[name]["author_missed"] = author_missed

    def save(self, folder: Path) -> None:
        safetensors_file.write(folder / "cases" / self.file_name, self.tensors, {"call": json.dumps(self.call)})
        tolerances = {"tolerances": json.dumps(self.tolerances)}
        safetensors_file.write(folder / "expected" / self.file_name, self.expected | self.spreads, tolerances)
