"""The command line of perf/compare.py."""

import argparse
import datetime
import json
import os
import platform
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from . import cases, environments, goals, report
from .environments import BUILD, Missing, say
from .results import Results

SOURCE = Path(__file__).parents[2]
QUICK_SECONDS = 130  # no block starts later, so that the last one ends within three minutes


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="perf/compare.py",
        description="Runs headwise and other engines on the same data, checks that their results agree with float64, "
        "times them in alternating rounds and says which goals are met. Peers are installed into build/peers once.",
        epilog="Example: perf/compare.py --rows 'layer 1,128' decode --threads 1. Exit codes: 0 done, 1 an engine "
        "disagrees or headwise does not run (with --enforce: a goal is missed), 2 the call is wrong.",
    )
    p.add_argument("--quick", action="store_true", help="some of the rows and fewer rounds: three minutes at most")
    p.add_argument("--rows", nargs="+", default=[], metavar="WORDS", help="only rows whose name has one of these")
    p.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N", help="thread counts (default: 1 2)")
    p.add_argument("--peers", nargs="*", default=list(cases.PEERS), choices=cases.PEERS, help="only these engines")
    p.add_argument("--list", action="store_true", help="print the rows and run nothing")
    p.add_argument("--enforce", action="store_true", help="exit with 1 when a goal is missed")
    p.add_argument("--output", type=Path, default=BUILD / "compare", help="folder of results.json and results.md")
    p.add_argument("--headwise", type=Path, default=BUILD / "release" / "perf" / "compare_worker", metavar="WORKER",
                   help="the worker that runs headwise (default: build/release/perf/compare_worker)")  # fmt: skip
    return p


def enter_driver() -> None:
    """Goes on in the Python of the environment that has NumPy and onnx."""
    python = environments.install(environments.DRIVER)
    if Path(sys.prefix) != python.parents[1]:
        os.execv(python, [str(python), "-B", *sys.argv])


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def commit() -> str:
    command = ["git", "-C", str(SOURCE), "describe", "--always", "--dirty", "--exclude", "*"]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


def describe(pool, arguments: list[str]) -> report.Machine:
    return report.Machine(
        date=datetime.date.today().isoformat(),
        cpu=cpu_name(),
        cores=len(os.sched_getaffinity(0)),
        commit=commit(),
        command=shlex.join(["perf/compare.py", *arguments]),
        versions=pool.versions,
        missing=pool.missing,
    )


def summary(results: Results, block: list[cases.Case]) -> str:
    rows = [row for row in results.rows() if row.case in block and row.timed]
    words = []
    for row in rows:
        faster = report.times(results.times_faster(row, results.fastest_peer(row)))
        words.append(f"{report.milliseconds(row.seconds)} ms" + (f" (× {faster})" if faster else ""))
    return ", ".join(words) or "not measured"


def run_blocks(chosen: list[cases.Case], pool, settings) -> Results:
    from .rounds import Block  # needs NumPy, which the driver's environment has

    results = Results()
    blocks = cases.blocks(chosen)
    for number, block in enumerate(blocks, 1):
        name = f"[{number}/{len(blocks)}] {block[0].block}"
        start = time.monotonic()
        say(name)
        results.measurements += Block(block, pool, settings).run()
        say(f"  {summary(results, block)} in {time.monotonic() - start:.0f} s")
    return results


def write(folder: Path, machine: report.Machine, results: Results, verdicts: list[goals.Verdict]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = report.markdown(machine, results, verdicts)
    (folder / "results.md").write_text(text)
    (folder / "results.json").write_text(json.dumps(report.as_json(machine, results, verdicts), indent=1))
    print(text)
    say(f"written to {folder}/results.md and results.json")


def compare(options: argparse.Namespace, chosen: list[cases.Case]) -> int:
    from .pool import Pool
    from .rounds import FULL, QUICK

    pool = Pool(options.headwise, BUILD / "peers" / "logs")
    try:
        pool.install(options.peers)
        deadline = time.monotonic() + QUICK_SECONDS
        settings = replace(QUICK, deadline=deadline) if options.quick else FULL
        results = run_blocks(chosen, pool, settings)
    finally:
        pool.close()
    verdicts = goals.judge(results)
    write(options.output, describe(pool, sys.argv[1:]), results, verdicts)
    if results.disagreements() or cases.HEADWISE in pool.missing:
        return 1
    return int(options.enforce and any(verdict.met is False for verdict in verdicts))


def main() -> int:
    options = parser().parse_args()
    chosen = cases.select(options.quick, options.rows, options.threads, options.peers)
    if options.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `--list | head` ends without a word
        print("\n".join(case.name for case in chosen))
        return 0
    if not chosen:
        say("no row has such a name; --list prints all")
        return 2
    if not options.headwise.exists():
        say("headwise is not built: cmake --preset release && cmake --build --preset release --target compare_worker")
        return 2
    try:
        enter_driver()
    except Missing as problem:
        say(f"NumPy and onnx, which make the data: {problem}")
        return 2
    try:
        return compare(options, chosen)
    except KeyboardInterrupt:
        say("stopped; nothing is written")
        return 130
