"""Compares what the runner wrote with what must come out, and prints one line a suite with every failure named."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import safetensors_file
from suites import SUITES, Suite


def value_difference(expected: np.ndarray, result: np.ndarray, tolerance: dict, spread=0.0) -> str | None:
    """NaN equals NaN and an infinity itself; everything else may be off by atol + rtol · |expected| + spread."""
    wanted, got = expected.astype(np.float64), result.astype(np.float64)
    allowed = tolerance["atol"] + tolerance["rtol"] * np.abs(wanted) + spread
    with np.errstate(invalid="ignore"):
        close = (np.abs(got - wanted) <= allowed) & np.isfinite(wanted)
        close |= (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        worst = np.nan_to_num(np.where(close, -1.0, np.abs(got - wanted) / allowed), nan=np.inf)
    if close.all():
        return None
    at = np.unravel_index(np.argmax(worst), worst.shape)
    where = "[" + ", ".join(map(str, at)) + "]"
    return (
        f"{np.count_nonzero(~close)} of {close.size} values differ, most at {where}: "
        f"expected {wanted[at]:.9g}, got {got[at]:.9g}, {worst[at]:.3g} times what is allowed"
    )


def form_difference(expected: np.ndarray, result: np.ndarray | None) -> str | None:
    if result is None:
        return "no such result"
    if result.dtype != expected.dtype:
        return f"type {result.dtype}, expected {expected.dtype}"
    if result.shape != expected.shape:
        return f"shape {list(result.shape)}, expected {list(expected.shape)}"
    return None


@dataclass
class Verdict:
    problems: list[str] = field(default_factory=list)
    needs_spread: bool = False  # passes, but not within the plain tolerance
    author_missed: bool = False  # the suite's own project does not pass within the plain tolerance

    def compare(self, name: str, expected: np.ndarray, result: np.ndarray | None, tolerance: dict, spread) -> None:
        self.author_missed |= tolerance.get("author_missed", False)
        problem = form_difference(expected, result)
        if problem is None and value_difference(expected, result, tolerance):
            problem = value_difference(expected, result, tolerance, spread)
            self.needs_spread = True
        if problem:
            self.problems.append(f"{name}: {problem}")


def read_results(expected_path: Path, results: Path) -> dict[str, np.ndarray] | str:
    """The reason when there are none."""
    path = results / expected_path.name
    if path.exists():
        return safetensors_file.read(path)[0]
    error = path.with_suffix(".error")
    return error.read_text().strip() if error.exists() else "the runner wrote no result"


def judge(expected_path: Path, results: Path) -> Verdict:
    expected, metadata = safetensors_file.read(expected_path)
    got = read_results(expected_path, results)
    if isinstance(got, str):
        return Verdict([got])
    verdict = Verdict()
    for name, tolerance in json.loads(metadata["tolerances"]).items():
        verdict.compare(name, expected[name], got.get(name), tolerance, expected.get(f"{name}.spread", 0.0))
    return verdict


def report(suite: Suite, folder: Path) -> bool:
    """True when all cases passed and no case is missing."""
    paths = sorted((folder / "expected").glob(f"{suite.key}.*.safetensors"))
    verdicts = {path: judge(path, folder / "results") for path in paths}
    failed = {path: verdict for path, verdict in verdicts.items() if verdict.problems}
    print(f"{suite.name}: {len(paths) - len(failed)} passed, {len(failed)} failed")
    for path, verdict in failed.items():
        print(f"  FAILED {path.name.split('.')[1]}: " + "; ".join(verdict.problems))
    if len(paths) != suite.cases:
        print(f"  FAILED: {len(paths)} cases found, expected {suite.cases}")
    missed = sum(verdict.author_missed for verdict in verdicts.values())
    needing = sum(verdict.needs_spread and not verdict.problems for verdict in verdicts.values())
    if missed or needing:
        print(f"  NOTE: {needing} pass only within the spread of rounded inputs; torch's own f32 answers: {missed}")
    return not failed and len(paths) == suite.cases


def main() -> int:
    folder = Path(sys.argv[1])
    passed = [report(suite, folder) for suite in SUITES]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
