#!/usr/bin/env python3
"""Turns the bug case A22 (q, k, v and the float64 output o of attention, a set a head size) from .npz into
A22.safetensors: the same names and bytes behind a JSON header. Usage: make_a22.py A22.npz A22.safetensors"""

import ast
import json
import struct
import sys
import zipfile

TYPES = {"<f4": "F32", "<f8": "F64"}


def read_npy(data):
    """The type, shape and bytes of a version 1.0 .npy file in C order."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10 : 10 + length].decode("latin1"))
    assert not header["fortran_order"]
    return TYPES[header["descr"]], list(header["shape"]), data[10 + length :]


def main():
    header, blobs, end = {}, [], 0
    with zipfile.ZipFile(sys.argv[1]) as archive:
        for name in archive.namelist():
            dtype, shape, blob = read_npy(archive.read(name))
            header[name.removesuffix(".npy")] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(blob)]}
            blobs.append(blob)
            end += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(sys.argv[2], "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


main()
