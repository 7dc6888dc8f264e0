"""Statistics of alternating rounds."""

import math
from collections.abc import Sequence


def quantile(values: Sequence[float], share: float) -> float:
    """Between neighbours in proportion; share 0 is the smallest value, 1 the largest."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def median(values: Sequence[float]) -> float:
    return quantile(values, 0.5)


def paired_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios round by round: a clock that drifts between rounds moves both sides of a ratio."""
    if len(above) != len(below):
        raise ValueError(f"{len(above)} rounds beside {len(below)}")
    return median([a / b for a, b in zip(above, below)])


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
