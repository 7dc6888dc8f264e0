"""What is compared. Sizes: batch, queries and keys (lengths), heads, head size; the width D is heads · head size."""

from dataclasses import dataclass

HEADWISE = "headwise"
PEERS = ("torch", "zentorch", "onnxruntime", "openvino")
ENGINES = (HEADWISE, *PEERS)

# The length of each sequence of the ragged batch: 24 sequences of 16 to 255 tokens.
RAGGED_LENGTHS = tuple(16 + b * 37 % 240 for b in range(24))
ENCODER_LAYERS = 6  # of all-MiniLM-L6-v2, whose feed-forward is four times as wide as its rows
CHECKED_LENGTH = 77  # of the sequence by which the results of a model for any length are checked


@dataclass(frozen=True)
class Sizes:
    batch: int
    queries: int
    keys: int
    heads: int
    head_dim: int

    @property
    def width(self) -> int:
        return self.heads * self.head_dim


@dataclass(frozen=True)
class Case:
    """Cases of one block run in the same rounds, so that their ratios hold."""

    block: str
    # "layer": with projections; "core": attention alone; "lengths": first calls; "load": from a file; "encoder": all of
    # a text encoder, from token ids to the last hidden states
    kind: str
    sizes: Sizes
    # "plain", "causal", "padded" (half of the keys dead), "weights" (returned too), "ragged", "and first call"
    variant: str = "plain"
    isa: str = ""  # of headwise; empty: the best
    threads: tuple[int, ...] = ()  # empty: those that are asked for
    engines: tuple[str, ...] = ENGINES
    quick: bool = False

    @property
    def name(self) -> str:
        extra = [word for word in (self.variant if self.variant != "plain" else "", self.isa) if word]
        return " ".join([self.block, *extra])

    @property
    def flops(self) -> float:
        """Of the dense work: 4·B·H·Lq·Lk·d, 8·B·L·D² for the four projections of a layer, 16·B·L·D² for an encoder's
        feed-forward."""
        s = self.sizes
        core = 4.0 * s.batch * s.queries * s.keys * s.width
        squares = 2.0 * s.batch * s.queries * s.width**2
        if self.kind == "encoder":
            return ENCODER_LAYERS * (core + 12 * squares)
        return core + 4 * squares if self.kind == "layer" else core

    @property
    def cache_bytes(self) -> int:
        """Of the keys and values that one call reads."""
        return 2 * 4 * self.sizes.batch * self.sizes.keys * self.sizes.width

    @property
    def decodes(self) -> bool:
        return self.kind == "core" and self.sizes.queries == 1


def layer(batch: int, length: int, width: int, heads: int, **more) -> Case:
    sizes = Sizes(batch, length, length, heads, width // heads)
    return Case(f"layer {batch},{length},{width},{heads}", "layer", sizes, **more)


def core(batch: int, length: int, width: int, heads: int, **more) -> Case:
    sizes = Sizes(batch, length, length, heads, width // heads)
    return Case(f"core {batch},{length},{width},{heads}", "core", sizes, **more)


def decode(place: str, batch: int, keys: int, heads: int, head_dim: int) -> Case:
    sizes = Sizes(batch, 1, keys, heads, head_dim)
    return Case(f"decode, cache in {place}", "core", sizes, quick=place == "L3")


def layers() -> list[Case]:
    shapes = [
        (2, 10, 64, 8),
        (1, 128, 384, 12),
        (32, 128, 384, 12),
        (1, 128, 768, 12),
        (8, 128, 768, 12),
        (1, 512, 768, 12),
        (4, 512, 768, 12),
        (1, 2048, 1024, 16),
        (1, 4096, 512, 8),
    ]
    quick = {(2, 10, 64, 8), (1, 128, 384, 12), (32, 128, 384, 12), (1, 512, 768, 12)}
    return [layer(*shape, quick=shape in quick) for shape in shapes]


def cores() -> list[Case]:
    variants = {
        (8, 128, 768, 12): ("plain", "causal", "weights"),
        (1, 512, 768, 12): ("plain", "causal", "padded", "weights"),
        (1, 2048, 1024, 16): ("plain", "causal", "padded", "weights"),
        (1, 4096, 512, 8): ("plain", "causal"),
        (1, 512, 1024, 8): ("plain",),
        (8, 128, 384, 12): ("plain",),
    }
    quick = {(1, 512, 768, 12), (8, 128, 384, 12)}
    return [core(*shape, variant=v, quick=shape in quick) for shape, wanted in variants.items() for v in wanted]


def forced_avx2() -> list[Case]:
    shapes = [(8, 128, 768, 12), (1, 512, 768, 12), (1, 2048, 1024, 16), (8, 128, 384, 12)]
    return [core(*shape, isa="avx2", engines=(HEADWISE,), quick=shape[1] == 512) for shape in shapes]


def one_head() -> list[Case]:
    return [core(1, 512, 64, 1, quick=True), core(1, 2048, 64, 1)]


def encoders() -> list[Case]:
    cases = []
    for batch in (1, 32):
        for length in (16, 128, 512):
            sizes = Sizes(batch, length, length, 12, 32)
            cases.append(Case(f"encoder {batch},{length}", "encoder", sizes, quick=batch * length <= 512))
    longest = max(RAGGED_LENGTHS)
    sizes = Sizes(len(RAGGED_LENGTHS), longest, longest, 12, 32)
    return cases + [Case(f"encoder, {len(RAGGED_LENGTHS)} sequences,", "encoder", sizes, variant="ragged", quick=True)]


def special() -> list[Case]:
    longest = max(RAGGED_LENGTHS)
    batch = len(RAGGED_LENGTHS)
    loaded = Sizes(1, 128, 128, 16, 64)
    return [
        decode("L3", 1, 2048, 16, 64),
        decode("memory", 8, 4096, 16, 64),
        Case("layer, 24 sequences,", "layer", Sizes(batch, longest, longest, 12, 32), variant="ragged", quick=True),
        Case("unseen lengths", "lengths", Sizes(1, 512, 512, 12, 32), quick=True),
        Case("load", "load", loaded, threads=(1,), engines=(HEADWISE,), quick=True),
        Case("load", "load", loaded, variant="and first call", threads=(1,), quick=True),
    ]


def all_cases() -> list[Case]:
    return layers() + cores() + forced_avx2() + one_head() + special() + encoders()


def select(quick: bool, words: list[str], threads: list[int], peers: list[str]) -> list[Case]:
    """Cases whose name has one of the words (all when there are none), with these threads and peers only."""
    chosen = []
    for case in all_cases():
        if (quick and not case.quick) or (words and not any(word in case.name for word in words)):
            continue
        kept = tuple(count for count in threads if not case.threads or count in case.threads)
        engines = tuple(engine for engine in case.engines if engine == HEADWISE or engine in peers)
        if kept:
            chosen.append(Case(**{**vars(case), "threads": kept, "engines": engines}))
    return chosen


def blocks(cases: list[Case]) -> list[list[Case]]:
    """Cases of one block together, in the order of their first appearance."""
    together: dict[str, list[Case]] = {}
    for case in cases:
        together.setdefault(case.block, []).append(case)
    return list(together.values())
