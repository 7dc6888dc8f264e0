"""What headwise is to reach, and whether a run shows it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import stats
from .cases import HEADWISE
from .results import Measurement, Results

CORE_SHARES = {"avx512": {64: 0.88, 128: 0.92, 32: 0.81}, "avx2": {64: 0.90, 32: 0.78}}  # by ISA and head size
TINY = "layer 2,10,64,8"


@dataclass(frozen=True)
class Verdict:
    goal: str
    row: str
    threads: int
    figure: float | None  # None: not measured
    met: bool | None
    note: str = ""


def at_least(goal: str, row: Measurement, figure: float | None, limit: float, note: str = "") -> Verdict:
    met = None if figure is None else figure >= limit
    return Verdict(goal, row.case.name, row.threads, figure, met, note or row.reason)


def at_most(goal: str, row: Measurement, figure: float | None, limit: float, note: str = "") -> Verdict:
    met = None if figure is None else figure <= limit
    return Verdict(goal, row.case.name, row.threads, figure, met, note or row.reason)


Goals = Iterator[Verdict]


def plain(results: Results, kind: str) -> Iterator[Measurement]:
    return (row for row in results.rows() if row.case.kind == kind and row.case.variant == "plain")


def named(peer: Measurement | None) -> str:
    return f"fastest peer: {peer.engine}" if peer else "no peer ran"


def layer_speed(results: Results) -> Goals:
    for row in plain(results, "layer"):
        peer = results.fastest_peer(row)
        faster, share = results.times_faster(row, peer), row.share_of_peak
        yield at_least("layer: not slower than the fastest peer (×)", row, faster, 1, named(peer))
        met = None if faster is None or share is None else faster >= 1.06 or share >= 0.94
        note = "" if share is None else f"{100 * share:.1f} % of peak"
        goal = "layer: ≥ 1.06 × the fastest peer, or ≥ 94 % of peak"
        yield Verdict(goal, row.case.name, row.threads, faster, met, note)


def mean_speed(results: Results, kind: str, limit: float) -> Goals:
    rows = list(plain(results, kind))
    for threads in sorted({row.threads for row in rows}):
        faster = [results.times_faster(row, results.fastest_peer(row)) for row in rows if row.threads == threads]
        known = [figure for figure in faster if figure is not None]
        mean = stats.geometric_mean(known) if known else None
        met = None if mean is None else mean >= limit
        goal = f"{kind}: geometric mean ≥ {limit:g} × the fastest peer"
        yield Verdict(goal, f"{len(known)} of {len(faster)} rows", threads, mean, met)


def layer_mean(results: Results) -> Goals:
    yield from mean_speed(results, "layer", 1.2)


def layer_share(results: Results) -> Goals:
    for row in plain(results, "layer"):
        if row.case.sizes.queries >= 128:
            yield at_least("layer: ≥ 0.90 of the FMA peak, S ≥ 128", row, row.share_of_peak, 0.9)


def core_share(results: Results) -> Goals:
    for row in results.rows():
        if row.case.kind != "core" or row.case.variant != "plain" or row.case.decodes:
            continue
        isa = row.configuration or row.case.isa
        wanted = CORE_SHARES.get(isa, {}).get(row.case.sizes.head_dim)
        if wanted is not None:
            goal = f"core, {isa}, d = {row.case.sizes.head_dim}: ≥ {wanted:.2f} of the FMA peak"
            yield at_least(goal, row, row.share_of_peak, wanted)


def tiny(results: Results) -> Goals:
    for row in results.rows():
        if row.case.name == TINY:
            peer = results.fastest_peer(row)
            yield at_most("tiny: ≤ 6 µs", row, row.seconds * 1e6 if row.timed else None, 6)
            faster = results.times_faster(row, peer)
            yield at_least("tiny: ≥ 2.8 × the fastest peer", row, faster, 2.8, named(peer))


def causal(results: Results) -> Goals:
    for row in results.rows():
        if row.case.variant == "causal" and row.case.sizes.queries >= 2048:
            peer = results.fastest_peer(row)
            yield at_most("causal, S ≥ 2048: ≤ 0.53 of the dense time", row, results.beside_plain(row), 0.53)
            faster = results.times_faster(row, peer)
            yield at_least("causal, S ≥ 2048: ≥ 1.9 × the fastest peer", row, faster, 1.9, named(peer))


def weights(results: Results) -> Goals:
    for row in results.rows():
        if row.case.variant != "weights":
            continue
        yield at_most("weights returned: ≤ 1.15 of the time without", row, results.beside_plain(row), 1.15)
        for engine, limit in (("onnxruntime", 1.3), ("torch", 4.0)):
            peer = results.find(row.case, engine, row.threads)
            note = "" if peer is None else peer.reason
            figure = results.times_faster(row, peer)
            yield at_least(f"weights returned: ≥ {limit:g} × {engine}", row, figure, limit, note)


def padded(results: Results) -> Goals:
    for row in results.rows():
        if row.case.variant == "padded":
            yield at_most("half of the keys dead: ≤ 0.55 of the dense core", row, results.beside_plain(row), 0.55)


def two_threads(results: Results) -> Goals:
    for row in results.rows():
        sizes = row.case.sizes
        counts = row.threads == 2 and row.case.kind in ("layer", "core") and row.case.variant == "plain"
        if not counts or row.case.isa or sizes.queries < (128 if sizes.batch * sizes.heads >= 2 else 512):
            continue
        one = results.find(row.case, HEADWISE, 1)
        yield at_least("two threads: ≥ 1.92 × one", row, results.times_faster(row, one), 1.92)


def decode(results: Results) -> Goals:
    for row in results.rows():
        if row.case.decodes:
            yield at_least("decode: ≥ 0.90 of the read bandwidth", row, row.share_of_bandwidth, 0.9)


def lengths(results: Results) -> Goals:
    for row in results.rows():
        if row.case.kind == "lengths":
            peers = [f"{peer.engine} {peer.first_call_ratio:.3g}" for peer in results.peers(row) if peer.timed]
            note = ", ".join(peers)
            yield at_most("unseen lengths: p99 of first calls ≤ 2 × warm", row, row.first_call_ratio, 2, note)


def load(results: Results) -> Goals:
    for row in results.rows():
        if row.case.kind == "load" and row.case.variant == "plain":
            figure = stats.paired_ratio(row.times, row.baselines) if row.timed else None
            yield at_most("load: ≤ 1.2 × copying the bytes and packing", row, figure, 1.2)


def ragged(results: Results) -> Goals:
    for row in results.rows():
        if row.case.variant == "ragged" and row.case.kind == "layer":
            peer = results.fastest_peer(row)
            faster = results.times_faster(row, peer)
            yield at_least("ragged: not slower than the fastest padded peer (×)", row, faster, 1, named(peer))


def encoder(results: Results) -> Goals:
    for row in results.rows():
        if row.case.kind == "encoder":
            peer = results.fastest_peer(row)
            faster = results.times_faster(row, peer)
            if row.case.variant == "ragged":
                yield at_least("encoder, ragged: ≥ 1.5 × the fastest padded peer", row, faster, 1.5, named(peer))
            else:
                yield at_least("encoder: not slower than the fastest peer (×)", row, faster, 1, named(peer))
    yield from mean_speed(results, "encoder", 1.12)


ALL: list[Callable[[Results], Goals]] = [
    layer_speed,
    layer_mean,
    layer_share,
    core_share,
    tiny,
    causal,
    weights,
    padded,
    two_threads,
    decode,
    lengths,
    load,
    ragged,
    encoder,
]


def judge(results: Results) -> list[Verdict]:
    return [verdict for goal in ALL for verdict in goal(results)]
