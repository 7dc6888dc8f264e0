"""Results as Markdown for people and as JSON for programs."""

import dataclasses
from dataclasses import dataclass, field

from . import stats
from .cases import PEERS
from .goals import Verdict
from .results import Measurement, Results


@dataclass
class Machine:
    """Where and with what a run was made."""

    date: str
    cpu: str
    cores: int
    commit: str
    command: str
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


def cell(m: Measurement | None) -> str:
    """Milliseconds and the error; what gives no result has none."""
    if m is None or not m.timed:
        return "–"
    return milliseconds(m.seconds) + ("" if m.error is None else f" ({m.error:.0e})")


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [line(head), line(["---"] * len(head)), *(line(row) for row in rows), ""]


def head_lines(machine: Machine) -> list[str]:
    named = [f"{name} {version}" for engine in machine.versions.values() for name, version in engine.items()]
    versions = ", ".join(dict.fromkeys(named))
    lines = [
        f"{machine.date}, {machine.cpu}, {machine.cores} cores, commit {machine.commit}; {versions}.",
        "",
        f"Made by `{machine.command}`. Milliseconds, median of alternating rounds; in brackets the largest error of "
        "the result over its largest value, against float64. ×: how many times the speed of the fastest peer. f32 "
        "everywhere. Peers are called from Python, through buffers that are bound once where they offer that.",
        "",
    ]
    lines += [f"**{engine} is missing:** {reason}" for engine, reason in machine.missing.items()]
    return lines + ([""] if machine.missing else [])


def speed_row(results: Results, row: Measurement) -> list[str]:
    peers = {peer.engine: peer for peer in results.peers(row)}
    noise = f"{milliseconds(row.noise[0])} to {milliseconds(row.noise[1])}" if row.timed else ""
    faster = results.times_faster(row, results.fastest_peer(row))
    share = row.share_of_bandwidth if row.case.decodes else row.share_of_peak
    cells = [cell(peers.get(engine)) for engine in PEERS]
    return [
        row.case.name,
        str(row.threads),
        cell(row),
        noise,
        *cells,
        times(faster),
        percent(share if row.timed else None),
    ]


def speed_lines(results: Results) -> list[str]:
    head = ["B, S, D, H", "threads", "headwise", "10–90 %", *PEERS, "×", "share of peak (decode: of bandwidth)"]
    return table(head, [speed_row(results, row) for row in results.rows()])


def mean_lines(results: Results) -> list[str]:
    """The geometric mean of what is compared to peers, by kind."""
    known: dict[str, list[float]] = {}
    for row in results.rows():
        faster = results.times_faster(row, results.fastest_peer(row))
        if faster is not None:
            known.setdefault(f"{row.case.kind}, threads: {row.threads}", []).append(faster)
    words = [f"{name}: {stats.geometric_mean(values):.2f} ({len(values)} rows)" for name, values in known.items()]
    return ["Geometric mean of ×: " + "; ".join(words) + ".", ""] if words else []


def verdict_word(verdict: Verdict) -> str:
    return {True: "met", False: "**not met**", None: "not measured"}[verdict.met]


def goal_lines(verdicts: list[Verdict]) -> list[str]:
    rows = [
        [v.goal, v.row, str(v.threads), "" if v.figure is None else f"{v.figure:.3g}", verdict_word(v), v.note]
        for v in verdicts
    ]
    met = sum(v.met is True for v in verdicts)
    missed = sum(v.met is False for v in verdicts)
    summary = f"{met} met, {missed} not met, {len(verdicts) - met - missed} not measured."
    return [*table(["goal", "row", "threads", "figure", "verdict", "note"], rows), summary, ""]


def way_lines(results: Results) -> list[str]:
    rows = [
        [m.case.name, str(m.threads), m.engine, m.configuration, m.reason]
        for m in results.measurements
        if m.reason or len(m.tried) > 1
    ]
    return table(["row", "threads", "engine", "fastest way that it offers", "left out because"], rows)


def markdown(machine: Machine, results: Results, verdicts: list[Verdict]) -> str:
    lines = ["# headwise beside other engines", "", *head_lines(machine)]
    lines += ["## Speed", "", *speed_lines(results), *mean_lines(results)]
    lines += ["## Goals", "", *goal_lines(verdicts)]
    lines += ["## Ways", "", *way_lines(results)]
    return "\n".join(lines)


def as_json(machine: Machine, results: Results, verdicts: list[Verdict]) -> dict:
    rows = []
    for m in results.measurements:
        row = dataclasses.asdict(m) | {"name": m.case.name, "flops": m.case.flops}
        if m.timed:
            row |= {"median": m.seconds, "noise": m.noise, "share_of_peak": m.share_of_peak}
            row |= {"share_of_bandwidth": m.share_of_bandwidth, "first_call_ratio": m.first_call_ratio}
        rows.append(row)
    goals = [dataclasses.asdict(verdict) for verdict in verdicts]
    return {"machine": dataclasses.asdict(machine), "rows": rows, "goals": goals}
