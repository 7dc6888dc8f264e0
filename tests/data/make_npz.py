#!/usr/bin/env python3
"""Makes arrays.npz and arrays_compressed.npz with NumPy's own writers; NumPy 2.4.6 made those that are here."""

import pathlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
COUNTING = numpy.arange(6).reshape(2, 3)


def main():
    arrays = {
        "a/f4": COUNTING.astype("<f4"),
        "fortran": numpy.asfortranarray(COUNTING.astype("<f8")),
        "big_endian": COUNTING.astype(">i8"),
        "f2": COUNTING.astype("<f2"),
        "scalar": numpy.int32(-7),
        "empty": numpy.zeros((0, 4), "<f4"),
        "é": numpy.array([False, True]),
        "zeros": numpy.zeros(500, "<f8"),
    }
    numpy.savez_compressed(HERE / "arrays_compressed.npz", **arrays)
    numpy.savez(HERE / "arrays.npz", **arrays)


if __name__ == "__main__":
    main()
