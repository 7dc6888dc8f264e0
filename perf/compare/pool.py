"""The workers, one for each engine and thread count, started when they are first needed."""

from pathlib import Path

from . import environments
from .cases import HEADWISE
from .environments import Missing
from .worker import Worker, WorkerError


class Pool:
    def __init__(self, headwise: Path, logs: Path):
        self.headwise, self.logs = headwise, logs
        self.workers: dict[tuple[str, int], Worker] = {}
        self.missing: dict[str, str] = {}  # engines that cannot take part, with the reason
        self.versions: dict[str, dict[str, str]] = {}

    def install(self, engines: list[str]) -> None:
        for engine in engines:
            try:
                environments.install(engine)
            except Missing as problem:
                self.leave_out(engine, str(problem))

    def leave_out(self, engine: str, reason: str) -> None:
        self.missing[engine] = reason
        environments.say(f"{engine} is missing: {reason}")

    def command(self, engine: str) -> list[str]:
        if engine == HEADWISE:
            return [str(self.headwise)]
        script = environments.PEER_SOURCES / f"{engine}_worker.py"
        return [str(environments.python_of(engine)), "-B", str(script)]

    def start(self, engine: str, threads: int) -> Worker:
        if engine in self.missing:
            raise Missing(self.missing[engine])
        try:
            worker = Worker(self.command(engine), threads, self.logs / f"{engine}-{threads}.log")
        except (WorkerError, OSError) as problem:
            self.leave_out(engine, str(problem))
            raise Missing(self.missing[engine]) from None
        self.versions[engine] = worker.versions
        return worker

    def get(self, engine: str, threads: int) -> Worker:
        worker = self.workers.get((engine, threads))
        if worker is None or not worker.alive:
            worker = self.workers[engine, threads] = self.start(engine, threads)
        return worker

    def restart(self, engine: str, threads: int) -> Worker:
        worker = self.workers.pop((engine, threads), None)
        if worker is not None:
            worker.close()
        return self.get(engine, threads)

    def drop_cases(self) -> None:
        for worker in self.workers.values():
            try:
                worker.request(op="drop")
            except WorkerError:
                worker.close()  # the next block starts a new one

    def close(self) -> None:
        for worker in self.workers.values():
            worker.close()
