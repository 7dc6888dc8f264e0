"""What was measured, and how rows are found again."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from . import stats
from .cases import HEADWISE, Case

TOLERANCE = 1e-5  # of the largest error over the largest value: f32 gives up to 3e-6, bf16 would give 2e-3


@dataclass
class Measurement:
    case: Case
    engine: str
    threads: int
    reason: str = ""  # why there are no times
    configuration: str = ""  # the way to run it that was the fastest
    tried: dict[str, float] = field(default_factory=dict)  # seconds of each way
    refused: dict[str, str] = field(default_factory=dict)
    error: float | None = None  # largest error over the largest value, against float64
    times: list[float] = field(default_factory=list)  # seconds of a call, the median of each round
    peaks: list[float] = field(default_factory=list)  # FLOP/s, of each round
    bandwidths: list[float] = field(default_factory=list)  # bytes/s
    baselines: list[float] = field(default_factory=list)  # seconds
    first_ratios: list[list[float]] = field(default_factory=list)  # first call over warm call of each length

    @property
    def timed(self) -> bool:
        return bool(self.times) and not self.reason

    @property
    def agrees(self) -> bool:
        return self.error is None or self.error <= TOLERANCE

    @property
    def seconds(self) -> float:
        return stats.median(self.times)

    @property
    def noise(self) -> tuple[float, float]:
        return stats.quantile(self.times, 0.1), stats.quantile(self.times, 0.9)

    @property
    def share_of_peak(self) -> float | None:
        if not self.peaks or self.case.variant not in ("plain", "weights"):
            return None  # dead keys cost no work, so the dense work would be no measure
        return stats.median([self.case.flops / t / peak for t, peak in zip(self.times, self.peaks)])

    @property
    def share_of_bandwidth(self) -> float | None:
        if not self.bandwidths:
            return None
        return stats.median([self.case.cache_bytes / t / b for t, b in zip(self.times, self.bandwidths)])

    @property
    def first_call_ratio(self) -> float | None:
        """The 99th percentile over the lengths; of each length the median of the rounds."""
        if not self.first_ratios:
            return None
        return stats.quantile([stats.median(rounds) for rounds in zip(*self.first_ratios)], 0.99)


@dataclass
class Results:
    measurements: list[Measurement] = field(default_factory=list)

    def find(self, case: Case, engine: str, threads: int) -> Measurement | None:
        for m in self.measurements:
            if (m.case.name, m.engine, m.threads) == (case.name, engine, threads):
                return m
        return None

    def rows(self) -> Iterator[Measurement]:
        """headwise in each case with each thread count."""
        return (m for m in self.measurements if m.engine == HEADWISE)

    def peers(self, row: Measurement) -> list[Measurement]:
        same = [m for m in self.measurements if m.case.name == row.case.name and m.threads == row.threads]
        return [m for m in same if m.engine != HEADWISE]

    def fastest_peer(self, row: Measurement) -> Measurement | None:
        timed = [peer for peer in self.peers(row) if peer.timed]
        return min(timed, key=lambda peer: peer.seconds, default=None)

    def times_faster(self, row: Measurement, peer: Measurement | None) -> float | None:
        """How many times the speed of a peer, or of another row of headwise, a row has."""
        if peer is None or not (peer.timed and row.timed):
            return None
        return stats.paired_ratio(peer.times, row.times)

    def beside_plain(self, row: Measurement) -> float | None:
        """The time of a row over that of the plain case beside it."""
        plain = [m for m in self.rows() if m.case.block == row.case.block and m.threads == row.threads]
        for m in plain:
            if m.case.variant == "plain" and m.case.isa == row.case.isa and m.timed and row.timed:
                return stats.paired_ratio(row.times, m.times)
        return None

    def disagreements(self) -> list[Measurement]:
        return [m for m in self.measurements if not m.agrees]
