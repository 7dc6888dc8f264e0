"""Zip archives of arrays: sound ones in several forms, and damaged, doubled and lying ones."""

import io
import struct
import zipfile

from crafted import Collection
from crafted_npy import dictionary, file_bytes, payload

ARRAY = file_bytes(dictionary(), payload(8))
DAY = (1980, 1, 1, 0, 0, 0)


def archive(*entries, method=zipfile.ZIP_STORED, comment=b""):
    """entries: (name, data) or (name, data, method)."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.comment = comment
        for name, data, *own in entries:
            info = zipfile.ZipInfo(name, DAY)
            packed.writestr(info, data, own[0] if own else method)
    return stream.getvalue()


def sound(add):
    for word, method in (("stored", 0), ("deflated", 8), ("bzip2", 12), ("lzma", 14)):
        add(f"sound_{word}", archive(("a.npy", ARRAY), ("b.npy", ARRAY), method=method))
    zeros = file_bytes(dictionary(shape="(50000,)"), bytes(200_000))
    add("sound_well_packed", archive(("z.npy", zeros), method=8))
    add("sound_mixed", archive(("a.npy", ARRAY), ("b.npy", ARRAY, 8)))
    add("sound_with_comment", archive(("a.npy", ARRAY), comment=b"c" * 200))
    add("sound_folder", archive(("d/", b""), ("d/a.npy", ARRAY)))
    for index, descr in enumerate(("'<f8'", "'>i4'", "'|b1'", "'|O'", "'<c8'", "'<U2'")):
        add(f"type_{index}", archive(("a.npy", file_bytes(dictionary(descr), payload(32))), ("b.npy", ARRAY)))
    for index, name in enumerate(("a", ".npy", "a.npy.npy", "../a.npy", "/a.npy", "a\\b.npy", "é.npy", "a/data.pkl",
                                  "n" * 300 + ".npy", "a\n.npy", "A.NPY")):  # fmt: skip
        add(f"name_{index}", archive((name, ARRAY)))


def broken(add):
    whole = archive(("a.npy", ARRAY), ("b.npy", ARRAY), method=8)
    for cut in range(0, len(whole), 17):
        add(f"cut_at_{cut}", whole[:cut])
        add(f"flipped_at_{cut}", whole[:cut] + bytes([whole[cut] ^ 0xFF]) + whole[cut + 1 :])
        add(f"zeroed_at_{cut}", whole[:cut] + bytes(4) + whole[cut + 4 :])
    add("before", b"x" * 7 + whole)
    add("behind", whole + b"x" * 7)
    add("empty_archive", archive())
    add("entry_empty", archive(("a.npy", b"")))
    add("entry_longer", archive(("a.npy", ARRAY + b"x")))
    add("entry_shorter", archive(("a.npy", ARRAY[:-1])))


def lying(add):
    whole = archive(("a.npy", ARRAY), ("b.npy", ARRAY))
    add("same_names", whole.replace(b"b.npy", b"a.npy"))
    add("directory_says_other_name", whole[:60] + whole[60:].replace(b"b.npy", b"c.npy"))
    central, end = whole.index(b"PK\x01\x02"), whole.index(b"PK\x05\x06")

    def patched(at, form, value):
        return whole[:at] + struct.pack(form, value) + whole[at + struct.calcsize(form) :]

    fields = {"flags": (8, "<H"), "method": (10, "<H"), "crc": (16, "<I"), "packed": (20, "<I"), "size": (24, "<I"),
              "name_length": (28, "<H"), "extra_length": (30, "<H"), "comment_length": (32, "<H"),
              "offset": (42, "<I")}  # fmt: skip
    for field, (at, form) in fields.items():
        for value in (0, 1, 8, 99, 0x7FFF, 0xFFFF) + ((0x7FFFFFFF, 0xFFFFFFFF) if form == "<I" else ()):
            add(f"central_{field}_{value}", patched(central + at, form, value))
    for field, (at, form) in {"disk": (4, "<H"), "here": (8, "<H"), "all": (10, "<H"), "size": (12, "<I"),
                              "offset": (16, "<I"), "comment": (20, "<H")}.items():  # fmt: skip
        for value in (0, 1, 3, 0xFFFF):
            add(f"end_{field}_{value}", patched(end + at, form, value))
    for count in (0, 2, 70_000, 2**40, 2**63):
        record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, end - central, central)
        locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
        add(f"zip64_{count}_entries", whole[:end] + record + locator + whole[end:])


def crafted_npz():
    collection = Collection(".npz")
    for group in (sound, broken, lying):
        group(collection.add)
    return collection.files
