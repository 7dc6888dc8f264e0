"""A process that runs one engine with one thread count and speaks JSON lines over its standard input and output.

Requests are {"op": "prepare" | "check" | "time" | "trace" | "drop", …}; every answer is one object, with "error" when
the request failed. The first line comes without a request and names the engine's versions.
"""

import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path

ANSWER_SECONDS = 300.0  # an engine that takes longer for one request counts as hanging


class WorkerError(Exception):
    """The engine refused a request, died or hung; the text is the reason."""


def thread_variables(threads: int) -> dict[str, str]:
    return {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}


class Worker:
    """Stopped (SIGSTOP) whenever it has no request to answer, so that idle threads of one engine that spin take no
    time from another."""

    def __init__(self, command: list[str], threads: int, log: Path, answer_seconds: float = ANSWER_SECONDS):
        self.answer_seconds = answer_seconds
        self.log = log
        self.buffer = b""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [*command, str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **thread_variables(threads)},
            )
        try:
            self.versions = self.answer()["versions"]
        except WorkerError:
            self.close()
            raise
        self.process.send_signal(signal.SIGSTOP)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def request(self, **request) -> dict:
        if not self.alive:
            raise WorkerError(self.death())
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            return self.answer()
        except BrokenPipeError:
            raise WorkerError(self.death()) from None
        finally:
            if self.alive:
                self.process.send_signal(signal.SIGSTOP)

    def answer(self) -> dict:
        answer = json.loads(self.line())
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def line(self) -> bytes:
        until = time.monotonic() + self.answer_seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self.close()
                raise WorkerError(f"no answer in {self.answer_seconds:.0f} s")
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise WorkerError(self.death())
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def death(self) -> str:
        code = self.process.wait()
        lines = self.log.read_text(errors="replace").strip().splitlines()
        ended = f"killed by signal {-code}" if code < 0 else f"ended with {code}"
        return ended + (f": {lines[-1]}" if lines else "")

    def close(self) -> None:
        if self.alive:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
