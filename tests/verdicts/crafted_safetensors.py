"""Safetensors files that lie on both sides of every rule of the format."""

import struct

KINDS = {
    "null": "null", "true": "true", "int": "7", "float": "1.5", "text": '"x"', "array": "[]", "object": "{}",
}  # fmt: skip
BITS = {
    "BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64,
}  # fmt: skip
ONE = '"dtype":"F32","shape":[1],"data_offsets":[0,4]'
TWO = '"dtype":"F32","shape":[1],"data_offsets":[4,8]'
GOOD = '{"a":{%s}}' % ONE

# What JSON and the format make of a number; most are no sizes.
NUMBERS = (
    "0", "1", "2", "-0", "-1", "-2", "2.0", "2e0", "2E0", "2.5", "2e-1", "0.2e1", "+2", "02", "00", "0x2", ".5", "2.",
    "1e999", "-1e999", "1e-999", "NaN", "Infinity", "-Infinity", "9007199254740993", "281474976710656",
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "-9223372036854775808", "-9223372036854775809", "1" + "0" * 400, '"2"', "true", "false", "null", "[2]", "{}", "",
    "2 2", "2,", ",2", "2a", "Ox2", "２",
)  # fmt: skip

TEXTS = {
    "u007f": b"\x7f", "u0080": b"\xc2\x80", "u07ff": b"\xdf\xbf", "u0800": b"\xe0\xa0\x80", "ud7ff": b"\xed\x9f\xbf",
    "ue000": b"\xee\x80\x80", "uffff": b"\xef\xbf\xbf", "u10000": b"\xf0\x90\x80\x80", "u10ffff": b"\xf4\x8f\xbf\xbf",
    "bom": b"\xef\xbb\xbf", "overlong2_nul": b"\xc0\x80", "overlong2": b"\xc1\xbf", "overlong3": b"\xe0\x9f\xbf",
    "overlong4": b"\xf0\x8f\xbf\xbf", "surrogate_high": b"\xed\xa0\x80", "surrogate_low": b"\xed\xbf\xbf",
    "past_end": b"\xf4\x90\x80\x80", "f5": b"\xf5\x80\x80\x80", "fe": b"\xfe", "ff": b"\xff", "lone_tail": b"\x80",
    "cut2": b"\xc3", "cut3": b"\xe2\x82", "cut4": b"\xf0\x9f\x90", "bad_tail": b"\xe2\x28\xa1", "latin1": b"\xe9",
}  # fmt: skip

ESCAPES = {
    "quote": r"\"", "backslash": r"\\", "slash": r"\/", "b": r"\b", "f": r"\f", "n": r"\n", "r": r"\r", "t": r"\t",
    "nul": r"\u0000", "letter": r"\u0062", "upper_hex": r"\u00E9", "pair": r"\ud83d\ude00", "noncharacter": r"\uffff",
    "high_alone": r"\ud83d", "high_then_letter": r"\ud83dx", "high_then_escape": r"\ud83d\n",
    "high_then_high": r"\ud83d\ud83d", "high_then_bmp": r"\ud83d\u0041", "low_alone": r"\ude00",
    "low_then_high": r"\ude00\ud83d", "short_hex": r"\u12", "no_hex": r"\u", "bad_hex": r"\u00g0", "x": r"\x41",
    "a": r"\a", "zero": r"\0", "unfinished": "\\", "braces": r"\u{41}", "upper_u": r"\U00000041",
}  # fmt: skip


def file_bytes(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def payload(count):
    return bytes(i % 2 for i in range(count))


def entry(dtype, shape, begin, end, name="a"):
    return f'"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}'


def lengths(add):
    for size in range(8):
        add(f"length_file_of_{size}", b"\x02\0\0\0\0\0\0\0"[:size])
    for length in (0, 1, 2, 3, 4, 256, 1 << 31, 1 << 32, 100_000_000, 100_000_001, (1 << 63) - 1, 1 << 63,
                   (1 << 64) - 9, (1 << 64) - 8, (1 << 64) - 1):  # fmt: skip
        add(f"length_{length}_of_2", file_bytes("{}", length=length))
    for length in (99_999_999, 100_000_000, 100_000_001):
        add(f"length_{length}_in_sparse_file", file_bytes("{}", length=length), 8 + length)
    for shift in (-8, -1, 1, 4, 8):
        add(f"length_off_by_{shift}", file_bytes(GOOD, payload(4), len(GOOD) + shift))
    add("length_with_a_megabyte_of_spaces", file_bytes(GOOD + " " * (1 << 20), payload(4)))


def texts(add):
    for name, text in TEXTS.items():
        add(f"utf8_{name}_in_name", file_bytes(b'{"a%s":{%s}}' % (text, ONE.encode()), payload(4)))
        add(f"utf8_{name}_in_metadata", file_bytes(b'{"__metadata__":{"k":"%s"}}' % text))
        add(f"utf8_{name}_in_unknown_field", file_bytes(b'{"a":{%s,"x":"%s"}}' % (ONE.encode(), text), payload(4)))
        add(f"utf8_{name}_behind", file_bytes(GOOD.encode() + text, payload(4)))
    for name, escape in ESCAPES.items():
        add(f"escape_{name}_in_name", file_bytes('{"a%s":{%s}}' % (escape, ONE), payload(4)))
        add(f"escape_{name}_in_metadata", file_bytes('{"__metadata__":{"k%s":"v%s"}}' % (escape, escape)))
        add(f"escape_{name}_in_unknown_field", file_bytes('{"a":{%s,"x":"%s"}}' % (ONE, escape), payload(4)))
    for byte in range(0x20):
        add(f"control_{byte:02x}_in_name", file_bytes('{"a%c":{%s}}' % (byte, ONE), payload(4)))


def outer_forms(add):
    spaces = {"space": " ", "tab": "\t", "lf": "\n", "cr": "\r", "vt": "\v", "ff": "\f", "nul": "\0", "nbsp": "\xa0",
              "bom": "\ufeff", "letter": "x", "comma": ",", "object": "{}", "comment": "/**/", "hash": "#",
              "line_comment": "//\n", "null": "null"}  # fmt: skip
    for name, text in spaces.items():
        add(f"before_{name}", file_bytes(text + GOOD, payload(4)))
        add(f"behind_{name}", file_bytes(GOOD + text, payload(4)))
        add(f"inside_{name}", file_bytes(GOOD.replace(":", ":" + text, 1), payload(4)))
    add("behind_nul_and_object", file_bytes(GOOD + "\0{}", payload(4)))
    forms = {"empty": "", "spaces": "   ", "open": "{", "close": "}", "open_array": "[", "two_open": "{{}}",
             "no_tensors": "{}", "comma": "{,}", "name_only": '{"a"}', "no_value": '{"a":}', "no_name": "{:{}}",
             "bare_name": "{a:{}}", "single_quotes": "{'a':{}}", "number_name": "{1:{}}"}  # fmt: skip
    for name, text in {**forms, **{f"outer_{kind}": text for kind, text in KINDS.items()}}.items():
        add(f"form_{name}", file_bytes(text))
    for cut in range(1, len(GOOD), 4):
        add(f"form_cut_at_{cut}", file_bytes(GOOD[:cut], payload(4)))
    add("form_trailing_comma", file_bytes(GOOD[:-1] + ",}", payload(4)))
    add("form_trailing_comma_inside", file_bytes(GOOD[:-2] + ",}}", payload(4)))


def fields(add):
    parts = {"dtype": '"F32"', "shape": "[1]", "data_offsets": "[0,4]"}

    def with_fields(**changes):
        merged = {**parts, **changes}
        return '{"a":{%s}}' % ",".join(f'"{k}":{v}' for k, v in merged.items() if v is not None)

    for field, value in parts.items():
        add(f"field_no_{field}", file_bytes(with_fields(**{field: None}), payload(4)))
        add(f"field_{field}_twice", file_bytes(with_fields()[:-2] + f',"{field}":{value}}}}}', payload(4)))
        add(f"field_{field}_escaped_twice", file_bytes(
            with_fields()[:-2] + f',"\\u{ord(field[0]):04x}{field[1:]}":{value}}}}}', payload(4)))  # fmt: skip
        for kind, text in KINDS.items():
            add(f"field_{field}_{kind}", file_bytes(with_fields(**{field: text}), payload(4)))
    for kind, text in KINDS.items():
        add(f"entry_{kind}", file_bytes('{"a":%s}' % text))
        add(f"field_unknown_{kind}", file_bytes(with_fields(x=text), payload(4)))
    add("entry_positional", file_bytes('{"a":["F32",[1],[0,4]]}', payload(4)))
    add("field_unknown_twice", file_bytes(with_fields(x=1, y=2)[:-2] + ',"x":3}}', payload(4)))
    add("field_unknown_metadata", file_bytes(with_fields(__metadata__="{}"), payload(4)))
    for index, offsets in enumerate(("[]", "[0]", "[4]", "[0,4,4]", "[0,4,null]", "[[0,4]]", '{"0":0,"1":4}', '"0,4"')):
        add(f"offsets_form_{index}", file_bytes(with_fields(data_offsets=offsets), payload(4)))
    for index, number in enumerate(NUMBERS):
        add(f"number_{index:02d}_as_size", file_bytes(
            with_fields(shape=f"[{number}]", data_offsets="[0,8]"), payload(8)))  # fmt: skip
        add(f"number_{index:02d}_as_begin", file_bytes(with_fields(data_offsets=f"[{number},4]"), payload(4)))
        add(f"number_{index:02d}_as_end", file_bytes(
            with_fields(dtype='"U8"', shape="[2]", data_offsets=f"[0,{number}]"), payload(2)))  # fmt: skip
        add(f"number_{index:02d}_unknown_field", file_bytes(with_fields(x=number), payload(4)))


def metadata(add):
    for kind, text in KINDS.items():
        add(f"metadata_{kind}", file_bytes('{"__metadata__":%s}' % text))
        add(f"metadata_value_{kind}", file_bytes('{"__metadata__":{"k":%s}}' % text))
    tensor = GOOD[1:-1]
    pairs = {"first": '{"__metadata__":{"k":"v"},%s}' % tensor, "last": '{%s,"__metadata__":{"k":"v"}}' % tensor,
             "escaped": '{"\\u005f_metadata__":{"k":"v"},%s}' % tensor,
             "upper": '{"__METADATA__":{"k":"v"},%s}' % tensor,
             "twice": '{"__metadata__":{},%s,"__metadata__":{}}' % tensor,
             "null_then_object": '{"__metadata__":null,%s,"__metadata__":{}}' % tensor,
             "as_tensor": '{"__metadata__":{%s}}' % ONE, "key_twice": '{"__metadata__":{"k":"v","k":"w"},%s}' % tensor,
             "empty_key": '{"__metadata__":{"":""},%s}' % tensor,
             "many": '{"__metadata__":{%s},%s}' % (",".join(f'"k{i}":"{i}"' for i in range(200)), tensor)}  # fmt: skip
    for name, text in pairs.items():
        add(f"metadata_{name}", file_bytes(text, payload(4)))


def names(add):
    pairs = {"same": ("a", "a"), "escaped": ("a", "\\u0061"), "case": ("a", "A"), "empty": ("", "a"),
             "twice_empty": ("", ""), "nul": ("a", "a\\u0000"), "space": ("a", "a "), "composed": ("é", "e\u0301"),
             "escape_of_slash": ("/", "\\/"), "long": ("n" * 5000, "n" * 5001)}  # fmt: skip
    for name, (first, second) in pairs.items():
        add(f"names_{name}", file_bytes('{"%s":{%s},"%s":{%s}}' % (first, ONE, second, TWO), payload(8)))
    add("names_same_and_same_bytes", file_bytes('{"a":{%s},"a":{%s}}' % (ONE, ONE), payload(4)))
