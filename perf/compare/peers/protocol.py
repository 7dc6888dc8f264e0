"""The side of a peer: answers the requests that worker.py describes. A peer gives its ways to run a case, each a
function that makes a Call; the fastest is kept and named."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

MAX_SAMPLES = 500


class Call:
    """A prepared case. `run` is what is timed; what it returns goes to `results` for the check."""

    run: Callable[[], object]

    def results(self, returned: object) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def run_length(self, length: int) -> object:
        """The first `length` tokens of the input; for cases of kind "lengths"."""
        raise NotImplementedError


Makers = dict[str, Callable[[], Call]]


class Unsupported(Exception):
    """The engine does not offer what a case asks for."""


def clock(call: Callable[[], object], calls: int = 1) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def quick_seconds(call: Callable[[], object]) -> float:
    """The best of at least two calls and 30 ms after one to warm up: enough to choose between ways to run a case."""
    call()
    best, spent, count = float("inf"), 0.0, 0
    while count < 2 or spent < 0.03:
        seconds = clock(call)
        best, spent, count = min(best, seconds), spent + seconds, count + 1
    return best


def sample(call: Callable[[], object], seconds: float) -> list[float]:
    """Seconds of each call, for about `seconds`, after one call that is not counted: the engines before this one have
    emptied the caches. Short calls are timed some at a time, so that the clock does not count."""
    once = clock(call)
    calls = max(1, round(seconds / MAX_SAMPLES / max(once, 1e-9)))
    times: list[float] = []
    until = time.perf_counter() + seconds
    while not times or time.perf_counter() < until:
        times.append(clock(call, calls))
    return times


def trace(call: Call, lengths: list[int], repeats: int) -> dict[str, list[float]]:
    """The first call with each length, in this order, and then the best of some more."""
    first = [clock(lambda: call.run_length(length)) for length in lengths]
    warm = [min(clock(lambda: call.run_length(length)) for _ in range(repeats)) for length in lengths]
    return {"first": first, "warm": warm}


def load_array(folder: str, name: str) -> np.ndarray:
    return np.load(Path(folder) / f"{name}.npy")


class Server:
    def __init__(self, makers: Callable[[dict], Makers], forget: Callable[[], None] = lambda: None):
        self.makers = makers
        self.forget = forget
        self.calls: dict[str, Call] = {}

    def prepare(self, request: dict) -> dict:
        makers = self.makers(request)
        if not request["choose"]:
            makers = dict([next(iter(makers.items()))])
        tried: dict[str, float] = {}
        refused: dict[str, str] = {}
        for name, make in makers.items():
            self.attempt(request, name, make, tried, refused)
        if request["id"] not in self.calls:
            raise Unsupported("; ".join(f"{name}: {reason}" for name, reason in refused.items()))
        return {"configuration": min(tried, key=tried.get), "tried": tried, "refused": refused}

    def attempt(self, request: dict, name: str, make: Callable[[], Call], tried: dict, refused: dict) -> None:
        try:
            call = make()
            seconds = quick_seconds(call.run) if request["choose"] else 0.0
        except Exception as error:  # whatever an engine throws is its reason
            refused[name] = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
            return
        if all(seconds < other for other in tried.values()):
            self.calls[request["id"]] = call
        tried[name] = seconds

    def check(self, request: dict) -> dict:
        call = self.calls[request["id"]]
        length = request.get("length")
        results = call.results(call.run() if length is None else call.run_length(length))
        for name, array in results.items():
            np.save(Path(request["folder"]) / f"{name}.npy", array)
        return {"results": list(results)}

    def time(self, request: dict) -> dict:
        return {"times": sample(self.calls[request["id"]].run, request["seconds"])}

    def trace(self, request: dict) -> dict:
        call = self.calls[request["id"]]
        call.run_length(request["seen"])
        return trace(call, request["lengths"], request["repeats"])

    def drop(self, _request: dict) -> dict:
        self.calls.clear()
        self.forget()
        return {}

    def answer(self, line: str) -> dict:
        try:
            request = json.loads(line)
            return getattr(self, request["op"])(request)
        except Exception as error:  # the next request may still work
            return {"error": f"{type(error).__name__}: {error}"}


def serve(server: Server, versions: dict[str, str]) -> None:
    """Until the input ends. What libraries print goes to stderr and does not disturb the answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"versions": versions}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(server.answer(line)), file=answers, flush=True)
