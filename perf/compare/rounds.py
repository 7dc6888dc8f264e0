"""Runs one block: prepares its cases in all engines, checks the results, then times in alternating rounds."""

import dataclasses
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import data, encoder, encoder_models, models, stats
from .cases import CHECKED_LENGTH, HEADWISE, Case
from .environments import Missing, say
from .pool import Pool
from .results import TOLERANCE, Measurement
from .worker import Worker, WorkerError

DRY = {"torch", "zentorch", HEADWISE}  # engines that get no ONNX models


@dataclass(frozen=True)
class Settings:
    sample_seconds: float  # of calls in a round
    round_seconds: float  # of all rounds of a block, about
    min_rounds: int
    max_rounds: int
    lengths: int  # of the trace
    trace_rounds: int
    deadline: float = float("inf")  # monotonic; no block starts after it, and rounds past the first few are left out


FULL = Settings(sample_seconds=0.1, round_seconds=30, min_rounds=5, max_rounds=15, lengths=256, trace_rounds=3)
QUICK = Settings(sample_seconds=0.03, round_seconds=4, min_rounds=3, max_rounds=9, lengths=128, trace_rounds=1)


@dataclass
class Lane:
    """One case in one engine with one thread count."""

    measurement: Measurement
    worker: Worker | None = None

    @property
    def id(self) -> str:
        return self.measurement.case.name

    @property
    def open(self) -> bool:
        return not self.measurement.reason

    def request(self, op: str, **more) -> dict:
        return self.worker.request(op=op, id=self.id, **more)


def trace_lengths(count: int) -> list[int]:
    """Distinct lengths from 1 to 512 in random order, the same in every run."""
    return random.Random(3).sample([n for n in range(1, 513) if n != CHECKED_LENGTH], count)


class Block:
    def __init__(self, cases: list[Case], pool: Pool, settings: Settings):
        self.cases, self.pool, self.settings = cases, pool, settings
        self.expected: dict[str, data.Arrays] = {}
        self.ways: dict[str, dict[str, str]] = {}
        self.lanes = [
            Lane(Measurement(case, engine, threads))
            for case in cases
            for threads in case.threads
            for engine in case.engines
        ]

    def run(self) -> list[Measurement]:
        if time.monotonic() > self.settings.deadline:
            self.leave_out("not run: the time of --quick was up")
        else:
            self.measure()
        return [lane.measurement for lane in self.lanes]

    def leave_out(self, reason: str) -> None:
        for lane in self.lanes:
            lane.measurement.reason = reason

    def measure(self) -> None:
        with tempfile.TemporaryDirectory(prefix="compare-") as folder:
            self.folder = Path(folder)
            try:
                self.make_data()
            except encoder.NoModel as problem:
                self.leave_out(str(problem))
            self.each_open_lane(self.prepare)
            self.each_open_lane(self.check)
            self.time_rounds()
            self.pool.drop_cases()

    def attempt(self, lane: Lane, action, *arguments) -> None:
        try:
            action(*arguments)
        except (Missing, WorkerError) as problem:
            lane.measurement.reason = str(problem)
            say(f"  {lane.id}, {lane.measurement.engine}, {lane.measurement.threads} threads: left out: {problem}")

    def each_open_lane(self, action) -> None:
        for lane in self.lanes:
            if lane.open:
                self.attempt(lane, action, lane)

    def make_data(self) -> None:
        for case in self.cases:
            arrays = data.make(case)
            data.save(case, arrays, self.folder)
            onnx = encoder_models if case.kind == "encoder" else models
            self.ways[case.name] = onnx.save(case, arrays, self.folder)
            self.expected[case.name] = data.oracle(case, arrays)

    def prepare(self, lane: Lane) -> None:
        m = lane.measurement
        lane.worker = self.pool.get(m.engine, m.threads)
        ways = {} if m.engine in DRY else self.ways[m.case.name]
        answer = lane.request(
            "prepare",
            case=dataclasses.asdict(m.case),
            folder=str(self.folder),
            encoder=str(encoder.MODEL),
            models=models.standard(ways) if m.engine == "openvino" else ways,
            cache_bytes=m.case.cache_bytes if m.case.decodes else 0,
            choose=m.case.kind != "lengths",  # choosing would run the lengths that are to be new
        )
        m.configuration = answer["configuration"]
        m.tried, m.refused = answer.get("tried", {}), answer.get("refused", {})

    def check(self, lane: Lane) -> None:
        m = lane.measurement
        if not self.expected[m.case.name]:
            return
        length = {"length": CHECKED_LENGTH} if m.case.kind == "lengths" else {}
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            names = lane.request("check", folder=folder, **length)["results"]
            m.error = data.error_of(m.case, self.expected[m.case.name], Path(folder), names)
        if not m.agrees:
            m.reason = f"DISAGREES: error {m.error:.1e} of the largest value, {TOLERANCE:.0e} allowed"
            say(f"  {lane.id}, {m.engine}: {m.reason}")

    def time_rounds(self) -> None:
        traced = self.cases[0].kind == "lengths"
        rounds = self.settings.trace_rounds if traced else self.settings.max_rounds
        start = time.monotonic()
        for done in range(rounds):
            if not traced and done >= self.settings.min_rounds and self.late(start, done):
                break
            # There and back, so that a drift within a round favours nobody.
            for lane in self.lanes if done % 2 == 0 else reversed(self.lanes):
                if lane.open:
                    self.attempt(lane, self.time_first_calls if traced else self.time, lane)

    def late(self, start: float, done: int) -> bool:
        spent = time.monotonic() - start
        return spent * (done + 1) / done > self.settings.round_seconds or time.monotonic() > self.settings.deadline

    def time(self, lane: Lane) -> None:
        m = lane.measurement
        answer = lane.request("time", seconds=self.settings.sample_seconds)
        m.times.append(stats.median(answer["times"]))
        if "peak" in answer:
            m.peaks.append(answer["peak"])
        if "bandwidth" in answer:
            m.bandwidths.append(answer["bandwidth"])
        if "baseline" in answer:
            m.baselines.append(stats.median(answer["baseline"]))

    def time_first_calls(self, lane: Lane) -> None:
        """In a new process, which has served one call of one length."""
        lane.worker = self.pool.restart(lane.measurement.engine, lane.measurement.threads)
        self.prepare(lane)
        lengths = trace_lengths(self.settings.lengths)
        answer = lane.request("trace", seen=CHECKED_LENGTH, lengths=lengths, repeats=3)
        lane.measurement.times.append(sum(answer["warm"]) / len(lengths))
        lane.measurement.first_ratios.append([a / b for a, b in zip(answer["first"], answer["warm"])])
