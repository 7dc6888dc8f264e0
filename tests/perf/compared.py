"""Imports perf/compare and makes measurements."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "perf"))

from compare import cases, goals, report, stats  # noqa: E402
from compare.cases import HEADWISE, Case, core, layer  # noqa: E402
from compare.environments import Missing  # noqa: E402
from compare.pool import Pool  # noqa: E402
from compare.results import Measurement, Results  # noqa: E402
from compare.worker import Worker, WorkerError  # noqa: E402

__all__ = ["HEADWISE", "Case", "Measurement", "Missing", "Pool", "Results", "Worker", "WorkerError"]
__all__ += ["cases", "core", "goals", "layer", "measured", "report", "results", "stats"]


def measured(case: Case, engine: str, times: list[float], threads: int = 1, **more) -> Measurement:
    return Measurement(case, engine, threads, configuration="avx512", error=1e-7, times=times, **more)


def results(*measurements: Measurement) -> Results:
    return Results(list(measurements))
