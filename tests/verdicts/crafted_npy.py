"""NumPy array files that lie on both sides of every rule of the format."""

import struct

from crafted import Collection

TYPES = ("f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")
GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"


def file_bytes(header, data=b"", version=(1, 0), length=None, magic=b"\x93NUMPY"):
    text = header if isinstance(header, bytes) else header.encode("latin1" if version[0] < 3 else "utf-8")
    length = len(text) if length is None else length
    size = struct.pack("<H" if version[0] == 1 else "<I", length)
    return magic + bytes(version) + size + text + data


def dictionary(descr="'<f4'", order="False", shape="(2,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def payload(count):
    return bytes(i % 2 for i in range(count))


def starts(add):
    whole = file_bytes(GOOD, payload(8))
    for size in (*range(13), 20, len(whole) - 9, len(whole) - 8, len(whole) - 1):
        add(f"cut_at_{size}", whole[:size])
    add("whole", whole)
    for count in (1, 3, 100):
        add(f"behind_{count}", whole + payload(count))
    magics = {"upper": b"\x93Numpy", "ascii": b"xNUMPY", "zip": b"PK\x03\x04..", "first": b"\x92NUMPY"}
    for name, magic in magics.items():
        add(f"magic_{name}", file_bytes(GOOD, payload(8), magic=magic))
    for major in (0, 1, 2, 3, 4, 9, 255):
        for minor in (0, 1):
            add(f"version_{major}_{minor}", file_bytes(GOOD, payload(8), (major, minor)))


def lengths(add):
    for version in (1, 2, 3):
        for shift in (-len(GOOD), -2, -1, 1, 8, 9, 1000):
            data = file_bytes(GOOD, payload(8), (version, 0), len(GOOD) + shift)
            add(f"length_v{version}_off_by_{shift}", data)
    for length in (2**31 - 1, 2**31, 2**32 - 16, 2**32 - 1):
        add(f"length_{length}", file_bytes(GOOD, payload(8), (2, 0), length))
    for length in (10_000, 10_001, 2**26):
        add(f"length_{length}_in_sparse_file", file_bytes(GOOD, payload(8), (2, 0), length), length + 20)
    for count in (1000, 9_999, 10_000, 10_001, 65_535, 1 << 20):
        text = GOOD + " " * (count - len(GOOD) - 1) + "\n"
        add(f"header_of_{count}_bytes", file_bytes(text, payload(8), (1 if count < 65_536 else 2, 0)))
    for name, space in {"none": "", "newline": "\n", "tab": "\t", "crlf": "\r\n", "two_newlines": "\n\n", "nul": "\0",
                        "nbsp": "\xa0", "comment": "# x", "text": "x", "semicolon": ";"}.items():  # fmt: skip
        add(f"padding_{name}", file_bytes(GOOD + space, payload(8)))
        add(f"padding_before_{name}", file_bytes(space + GOOD, payload(8)))


def dictionaries(add):
    inner = GOOD[1:-3]
    forms = {
        "no_comma": "{%s}" % inner, "no_space": GOOD.replace(" ", ""), "two_commas": "{%s,,}" % inner, "empty": "",
        "braces": "{}", "open": "{", "unfinished": "{" + inner, "list": "[%s]" % inner, "number": "1", "none": "None",
        "double_quotes": GOOD.replace("'", '"'), "mixed_quotes": GOOD.replace("'descr'", "'descr\""),
        "bytes_key": GOOD.replace("'descr'", "b'descr'"), "unicode_key": GOOD.replace("'descr'", "u'descr'"),
        "joined_key": GOOD.replace("'descr'", "'de' 'scr'"), "escaped_key": GOOD.replace("'descr'", "'d\\x65scr'"),
        "triple_quotes": GOOD.replace("'descr'", "'''descr'''"), "parentheses": "(%s)" % GOOD,
        "call": "dict(descr='<f4', fortran_order=False, shape=(2,))", "import": "__import__('os').system('true')",
        "sum": "{**{%s}}" % inner, "no_descr": "{'fortran_order': False, 'shape': (2,)}", "two_objects": GOOD + GOOD,
        "no_order": "{'descr': '<f4', 'shape': (2,)}", "no_shape": "{'descr': '<f4', 'fortran_order': False}",
        "key_twice": "{%s, 'shape': (2,)}" % inner, "more_keys": "{%s, 'x': 1}" % inner,
        "nul": GOOD[:20] + "\0" + GOOD[20:],
        "turned": "{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}", "brackets": "[" * 100 + "]" * 100,
        "deep": "{'descr': '<f4', 'fortran_order': False, 'shape': %s2,%s}" % ("(" * 300, ")" * 300),
        "comment": GOOD[:-1] + "# x\n}", "newlines": GOOD.replace(" ", "\n"), "form_feed": GOOD.replace(" ", "\f"),
        "vertical_tab": GOOD.replace(" ", "\v"), "no_colon": GOOD.replace("'descr':", "'descr'"),
    }  # fmt: skip
    for name, text in forms.items():
        add(f"form_{name}", file_bytes(text, payload(8)))
    orders = ("True", "False", "0", "1", "None", "'True'", "true", "TRUE", "not True", "bool(1)", "(True)", "Truex", "")
    for index, order in enumerate(orders):
        add(f"order_{index:02d}", file_bytes(dictionary(order=order, shape="(2, 3)"), payload(24)))


def shapes(add):
    texts = (
        "()", "(0,)", "(1,)", "(2,)", "(2, 3)", "(2, 3,)", "(0, 4)", "(4, 0)", "(1,1,1,1,1,1,1,2)",
        "(1,1,1,1,1,1,1,1,2)",
        "(" + "1," * 32 + ")", "(" + "1," * 33 + ")", "(" + "1," * 64 + ")", "(" + "1," * 65 + ")", "2", "(2)", "[2]",
        "{2}", "'2'", "None", "(2L,)", "(2L, 3L)", "(2l,)", "(2LL,)", "(2 L,)", "(-1,)", "(-2, -2)", "(-0,)", "(- 2,)",
        "(+2,)",
        "(2.0,)", "(2e0,)", "(True,)", "(False,)", "(None,)", "('2',)", "((2,),)", "(,)", "(2,,)", "(2 3)", "(02,)",
        "(00,)",
        "(0x2,)", "(0b10,)", "(0o2,)", "(1_0,)", "(2j,)", "(1+1,)", "(*(2,),)", "( 2 , )", "(\n2\n,\n)", "(2",
        "(2,", "(2,]",
        "(4294967296, 4294967296)", "(4611686018427387905,)", "(2305843009213693952,)", "(9223372036854775807,)",
        "(9223372036854775808,)", "(18446744073709551615,)", "(18446744073709551616,)", "(18446744073709551618,)",
        "(0, 9223372036854775807)", "(0, 9223372036854775808)", "(9223372036854775807, 2, 0)", "(1" + "0" * 400 + ",)",
        "(7,)", "(6,)", "(5,)", "(3, 2)", "(2\u00b2,)",
    )  # fmt: skip
    for index, shape in enumerate(texts):
        add(f"shape_{index:02d}", file_bytes(dictionary(shape=shape), payload(24)))


def types(add):
    for name in TYPES:
        size = int(name[1])
        for order, word in {"<": "little", ">": "big", "=": "native", "|": "none", "": "bare", "!": "wrong"}.items():
            data = file_bytes(dictionary(f"'{order}{name}'", shape="(2, 3)"), payload(6 * size))
            add(f"type_{name}_{word}", data)
        for fortran in ("2, 3", "3, 1, 2", "6,", "", "0, 5"):
            count = {"": 1, "0, 5": 0}.get(fortran, 6)
            data = file_bytes(dictionary(f"'<{name}'", "True", f"({fortran})"), payload(count * size))
            add(f"fortran_{name}_{fortran.replace(', ', 'x').strip(',') or 'scalar'}", data)
        for shift in (-1, 1):
            add(f"size_{name}_{shift}", file_bytes(dictionary(f"'<{name}'"), payload(2 * size + shift)))
    others = ("'|O'", "'O'", "'<c8'", "'<c16'", "'<U2'", "'|S8'", "'|V4'", "'<M8[s]'", "'<m8[ns]'", "'<f16'", "'<g'",
              "''",
              "'<'", "'<f'", "'<f3'", "'<f5'", "'<i16'", "'<f4 '", "' <f4'", "'<F4'", "'<f04'", "'<f4\\n'", "'float32'",
              "'f'", "'?'", "'<?'", "'<b2'", "'|b2'", "'bool'", "'<f4,<f4'", "'(2,)<f4'", "[('x', '<f4')]",
              "[('x', '|O')]", "('<f4', (2,))", "4", "None", "['<f4']", "b'<f4'",
              "{'names': ['x'], 'formats': ['<f4']}",
              "'<f4', 'descr': '<f8'")  # fmt: skip
    for index, descr in enumerate(others):
        add(f"type_other_{index:02d}", file_bytes(dictionary(descr), payload(64)))


def crafted_npy():
    collection = Collection(".npy")
    for group in (starts, lengths, dictionaries, shapes, types):
        group(collection.add)
    return collection.files
