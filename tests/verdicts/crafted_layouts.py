"""Safetensors files about offsets, sizes, types and nesting; the headers' text is in crafted_safetensors."""

from crafted import Collection
from crafted_safetensors import BITS, ONE, entry, file_bytes, payload
from crafted_safetensors import fields, lengths, metadata, names, outer_forms, texts

HUGE = 2**64 - 1


def byte_ranges(*pairs):
    """U8 tensors a, b, … on these ranges of the data."""
    return "{%s}" % ",".join(
        entry("U8", [max(end - begin, 0)], begin, end, chr(ord("a") + i)) for i, (begin, end) in enumerate(pairs)
    )


def offsets(add):
    layouts = {
        "touching": [(0, 4), (4, 8)], "unordered": [(4, 8), (0, 4)], "hole_first": [(1, 8)], "hole": [(0, 3), (4, 8)],
        "hole_last": [(0, 7)], "overlap_by_one": [(0, 5), (4, 8)], "same_range": [(0, 8), (0, 8)],
        "inside": [(0, 8), (2, 6)], "starts_together": [(0, 4), (0, 8)], "ends_together": [(0, 8), (4, 8)],
        "one_past": [(0, 9)], "far_past": [(0, 8), (8, 2**40)], "reversed": [(8, 0)], "empty_first": [(0, 0), (0, 8)],
        "empty_last": [(0, 8), (8, 8)], "empty_between": [(0, 4), (4, 4), (4, 8)], "empty_inside": [(0, 8), (4, 4)],
        "empty_past": [(0, 8), (9, 9)], "empties_at_once": [(0, 0), (0, 0), (0, 8), (8, 8), (8, 8)],
        "empty_only": [(0, 0)], "empty_only_at_end": [(8, 8)], "empty_far_away": [(0, 8), (2**63, 2**63)],
        "begin_at_end": [(8, 16)], "negative_by_wrap": [(0, 8), (8, 2**64 - 1)],
        "three_turned": [(5, 8), (0, 2), (2, 5)], "eight": [(i, i + 1) for i in range(8)],
        "eight_backwards": [(7 - i, 8 - i) for i in range(8)],
    }  # fmt: skip
    for name, pairs in layouts.items():
        add(f"offsets_{name}", file_bytes(byte_ranges(*pairs), payload(8)))
    for more in (-8, -4, -1, 1, 4, 8):
        add(f"data_{more}_bytes", file_bytes("{%s}" % entry("F32", [2], 0, 8), payload(8 + more)))
    add("data_without_tensors", file_bytes("{}", payload(1)))


def overflows(add):
    shapes = (
        [2**33, 2**31], [2**32, 2**32], [2**62 + 1], [2**61], [2**59 - 1], [2**59], [2**63], [HUGE], [2**64],
        [HUGE, 0], [0, HUGE], [0, HUGE, 2], [HUGE, 2, 0], [2, HUGE, 0], [0, 2**64], [2**32, 2**31, 0], [1] * 40,
        [0] * 40,
        [1] * 2000, [2] * 64, [2] * 61, [2] * 63, [65536] * 4, [65536] * 4 + [0],
    )  # fmt: skip
    for index, shape in enumerate(shapes):
        for dtype, size in (("F32", 4), ("U8", 1), ("F4", 1)):
            for end in (0, size):
                header = "{%s}" % entry(dtype, shape, 0, end)
                add(f"overflow_{index:02d}_{dtype}_{end}", file_bytes(header, payload(end)))


def types(add):
    for dtype, bits in BITS.items():
        for count in (0, 1, 2, 3, 4, 5, 8):
            size = count * bits // 8
            add(f"type_{dtype}_of_{count}", file_bytes("{%s}" % entry(dtype, [count], 0, size), payload(size)))
        for wrong in (bits - 1, bits + 1):  # eight elements and a byte too few or too many
            add(f"type_{dtype}_in_{wrong}", file_bytes("{%s}" % entry(dtype, [8], 0, wrong), payload(wrong)))
        size = bits // 8
        add(f"type_{dtype}_scalar", file_bytes("{%s}" % entry(dtype, [], 0, size), payload(size)))
        add(f"type_{dtype}_empty_matrix", file_bytes("{%s}" % entry(dtype, [3, 0, 5], 0, 0)))
    unknown = ("f32", "F32 ", " F32", "", "F128", "F8", "F6", "F16 ", "float32", "I128", "C128", "bool", "F32\\u0000",
               "F3\\u0032", "BF", "U1", "E4M3", "F8_E4M3FN", "STRING", "T" * 1000)  # fmt: skip
    for index, dtype in enumerate(unknown):
        add(f"type_unknown_{index:02d}", file_bytes("{%s}" % entry(dtype, [1], 0, 4), payload(4)))


def nesting(add):
    for depth in (1, 2, 100, 123, 124, 125, 126, 127, 128, 129, 200, 5000):
        for name, text in (("arrays", "[" * depth + "]" * depth), ("objects", '{"x":' * depth + "1" + "}" * depth)):
            add(f"depth_{depth}_{name}_unknown_field", file_bytes('{"a":{%s,"x":%s}}' % (ONE, text), payload(4)))
            add(f"depth_{depth}_{name}_as_entry", file_bytes('{"a":%s}' % text, payload(4)))
            add(f"depth_{depth}_{name}_as_metadata", file_bytes('{"__metadata__":{"k":%s}}' % text, payload(4)))
    for depth in (126, 128, 100_000):
        add(f"depth_{depth}_never_closed", file_bytes('{"a":{%s,"x":%s' % (ONE, "[" * depth), payload(4)))


def crafted_safetensors():
    collection = Collection(".safetensors")
    for group in (lengths, texts, outer_forms, fields, metadata, names, offsets, overflows, types, nesting):
        group(collection.add)
    return collection.files
