"""JSON that every parser takes, and numbers that survive it."""

import os
import struct
import unittest

from command import TINY_BERT, CommandTest, identity, run, wave, write_npy, write_safetensors, zeros

# 0.1, 1/3, 2^24, the smallest denormal and normal, the largest, a long one, -0
BITS = [0x3DCCCCCD, 0x3EAAAAAB, 0x4B800000, 0x00000001, 0x00800000, 0x7F7FFFFF, 0x47F12065, 0x80000000]


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


class Numbers(CommandTest):
    def test_floats_read_back_as_the_same_bits(self):
        path = write_npy(self.folder / "x.npy", [len(BITS)], [float_of(b) for b in BITS])
        shown = self.ok("inspect", path, "--json", "--values").json()
        self.assertEqual([bits_of(v) for v in shown["values"]], BITS)
        self.assertEqual([bits_of(v) for v in shown["first"]], BITS[: len(shown["first"])])

    def test_the_shortest_form_is_used(self):
        path = write_npy(self.folder / "x.npy", [2], [float_of(b) for b in BITS[:2]])
        self.assertIn(b'"values":[0.1,0.33333334]', self.ok("inspect", path, "--json", "--values").out)

    def test_nonfinite_values_are_null_and_counted(self):
        values = [0.5, float("nan"), float("inf"), float("-inf"), -0.0, 1e-45, 3.4028234663852886e38]
        path = write_npy(self.folder / "x.npy", [7], values)
        shown = self.ok("inspect", path, "--json", "--values").json()
        self.assertEqual(shown["values"][:4], [0.5, None, None, None])
        self.assertEqual((shown["nan_count"], shown["infinite_count"], shown["nonfinite_count"]), (1, 2, 3))
        self.assertEqual(bits_of(shown["values"][4]), 0x80000000)

    def test_an_array_without_a_finite_value(self):
        path = write_npy(self.folder / "x.npy", [2], [float("nan"), float("inf")])
        shown = self.ok("inspect", path, "--json").json()
        self.assertEqual((shown["min"], shown["max"], shown["mean"]), (None, None, None))
        self.ok("inspect", write_npy(self.folder / "empty.npy", [0], []), "--json").json()

    def test_a_run_whose_output_is_not_finite(self):
        special = [0.5, float("nan"), float("inf"), float("-inf"), 0.25, 1e-45, 3.4028234663852886e38, 1.0]
        model = {f"w_{part}.weight": identity(8) for part in "qkv"}
        model |= {"w_o.weight": zeros(8, 8), "w_o.bias": ([8], special)}
        path = write_safetensors(self.folder / "m.safetensors", model)
        query = write_npy(self.folder / "q.npy", [1, 2, 8], wave(16))
        arguments = ["run", path, "--heads", "2", "--query", query, "--allow-missing-bias", "--json", "--values"]
        result = self.ok(*arguments)
        output = result.json()["outputs"]["output"]
        self.assertEqual((output["nan_count"], output["infinite_count"], output["nonfinite_count"]), (2, 4, 6))
        self.assertEqual(output["values"][1:4], [None] * 3)
        self.assertEqual(bits_of(output["values"][5]), 1)
        self.assertIn(b"2 NaN and 4 infinite", result.err)

    def test_every_command(self):
        self.assertEqual(len(self.ok("inspect", TINY_BERT, "--json").json()["layers"]), 2)
        self.assertTrue(self.ok("verify", TINY_BERT, "--json").json()["passed"])
        self.assertTrue(self.ok("info", "--json").json()["isas"])
        self.assertEqual(self.run_tiny("--json").json()["outputs"]["output"]["shape"], [2, 5, 32])


class Names(CommandTest):
    FOLDERS = (b"\xd0\xb4\xd0\xb0", "漢字 🎉 %s 100%".encode(), b"bad \xff byte", b"new\nline", b'quote"d')

    def test_paths_of_all_kinds(self):
        for name in self.FOLDERS:
            with self.subTest(name=name):
                folder = os.path.join(os.fsencode(self.folder), name)
                os.mkdir(folder)
                model = write_safetensors(os.path.join(folder, b"m.safetensors"), {"a": identity(2)})
                shown = self.ok("inspect", model, "--json").json()
                self.assertEqual(len(shown["tensors"]), 1)
                self.ok("inspect", model).out.decode("utf-8")
                missing = run("inspect", os.path.join(folder, b"absent"))
                self.assertEqual((missing.code, missing.err.count(b"\n")), (1, 1))
                missing.err.decode("utf-8")

    def test_results_land_where_they_should(self):
        target = os.path.join(os.fsencode(self.folder), b"\xff.npy")
        shown = self.run_tiny("--output", target, "--json").json()
        self.assertIn("\\xFF.npy", shown["outputs"]["output"]["file"])
        self.assertTrue(os.path.exists(target))


class Locales(CommandTest):
    def test_a_decimal_comma_changes_nothing(self):
        plain = self.run_tiny("--scale", "0.125", "--json", "--values", environment={"LC_ALL": "C"}).json()
        for locale in ("de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"):
            other = self.run_tiny("--scale", "0.125", "--json", "--values", environment={"LC_ALL": locale}).json()
            self.assertEqual(plain["outputs"], other["outputs"])
            self.assertEqual(other["config"]["scale"], 0.125)


if __name__ == "__main__":
    unittest.main()
