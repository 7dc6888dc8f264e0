"""JSON that every parser takes, and numbers that survive it."""

import os
import re
import struct
import unittest
from decimal import Decimal

from command import TINY_BERT, CommandTest, every_command, identity, read_case, read_npy, run
from command import wave, write_npy, write_safetensors, zeros


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def words_of(output, key):
    """The numbers of an array as they are spelt in the output."""
    return re.search(rf'"{key}":\[([^\]]*)\]', output.decode()).group(1).split(",")


class Numbers(CommandTest):
    def through_a_model(self, values):
        """Runs a layer whose output row is these eight values, whatever the query."""
        model = {f"w_{part}.weight": identity(8) for part in "qkv"}
        model |= {"w_o.weight": zeros(8, 8), "w_o.bias": ([8], values)}
        path = write_safetensors(self.folder / "m.safetensors", model)
        query = write_npy(self.folder / "q.npy", [1, 2, 8], wave(16))
        target = self.folder / "y.npy"
        options = ["--allow-missing-bias", "--output", target, "--json", "--values"]
        return self.ok("run", path, "--heads", "2", "--query", query, *options)

    def test_case_d09_floats_read_back_as_the_same_bits(self):
        inputs, expected = read_case("D09")
        bits = [int(word, 16) for word in inputs["f32_bits"]]
        path = write_npy(self.folder / "x.npy", [len(bits)], [float_of(b) for b in bits])
        result = self.ok("inspect", path, "--json", "--values")
        shown = result.json()
        self.assertEqual([bits_of(v) for v in shown["values"]], bits)
        self.assertEqual([bits_of(v) for v in shown["first"]], bits[: len(shown["first"])])
        words = words_of(result.out, "values")
        self.assertEqual([Decimal(w) for w in words], [Decimal(w) for w in expected["shortest"]])

    def test_case_d09_through_a_run(self):
        """All but -0, which is the last: a product of +0 is added to it."""
        bits = [int(word, 16) for word in read_case("D09")[0]["f32_bits"]]
        output = self.through_a_model([float_of(b) for b in bits]).json()["outputs"]["output"]
        written = read_npy(self.folder / "y.npy")[1]
        self.assertEqual([bits_of(v) for v in output["values"]], [bits_of(v) for v in written])
        self.assertEqual([bits_of(v) for v in output["values"][:7]], bits[:7])

    def test_case_d04_nonfinite_values_are_null_and_counted(self):
        given = read_case("D04")[0]["values"]
        values = [float(v) for v in given]
        expected = [None if isinstance(v, str) else bits_of(v) for v in given]
        path = write_npy(self.folder / "x.npy", [len(values)], values)
        shown = self.ok("inspect", path, "--json", "--values").json()
        self.assertEqual([None if v is None else bits_of(v) for v in shown["values"]], expected)
        self.assertEqual((shown["nan_count"], shown["infinite_count"], shown["nonfinite_count"]), (1, 2, 3))

    def test_case_d04_through_a_run(self):
        values = [float(v) for v in read_case("D04")[0]["values"]] + [1.0]
        result = self.through_a_model(values)
        output = result.json()["outputs"]["output"]
        self.assertEqual((output["nan_count"], output["infinite_count"], output["nonfinite_count"]), (2, 4, 6))
        self.assertEqual(output["values"][:4], [0.5, None, None, None])
        self.assertEqual([bits_of(v) for v in output["values"][5:8]], [bits_of(v) for v in values[5:]])
        self.assertIn(b"2 NaN and 4 infinite", result.err)

    def test_an_array_without_a_finite_value(self):
        path = write_npy(self.folder / "x.npy", [2], [float("nan"), float("inf")])
        shown = self.ok("inspect", path, "--json").json()
        self.assertEqual((shown["min"], shown["max"], shown["mean"]), (None, None, None))
        self.ok("inspect", write_npy(self.folder / "empty.npy", [0], []), "--json").json()

    def test_every_command(self):
        for name, arguments in every_command(self.query).items():
            with self.subTest(name=name):
                self.assertEqual(self.ok(*arguments, "--json").out.count(b"\n"), 1)
                self.assertTrue(self.ok(*arguments, "--json").json())

    def test_nonfinite_values_of_every_command(self):
        """No NaN or Infinity in the JSON of a layer whose weights, inputs and results have them (case D04)."""
        model = {f"w_{part}.weight": ([2, 2], [float("nan"), float("inf"), 1.0, -float("inf")]) for part in "qkvo"}
        path = write_safetensors(self.folder / "m.safetensors", model)
        query = write_npy(self.folder / "q.npy", [1, 2, 2], [float("nan"), float("inf"), 3e38, -0.0])
        more = ["--heads", "1", "--allow-missing-bias", "--query", query, "--json"]
        shown = self.ok("run", path, *more, "--values").json()["outputs"]["output"]
        self.assertEqual(shown["values"], [None] * 4)
        self.assertEqual(shown["nonfinite_count"], 4)
        self.assertIsNone(shown["mean"])
        self.ok("explain", path, *more).json()
        self.ok("profile", path, *more, "--no-limits", "--repeat", "1").json()
        tensor = self.ok("inspect", path, "--json").json()["tensors"][0]
        self.assertEqual((tensor["nan_count"], tensor["infinite_count"]), (1, 2))
        self.assertIn(run("verify", path, *more).code, (0, 1))
        run("verify", path, *more).json()

    def test_a_npy_file_keeps_them(self):
        values = [float(v) for v in read_case("D04")[0]["values"]] + [1.0]
        self.through_a_model(values)
        written = self.folder / "y.npy"
        again = self.ok("inspect", written, "--json").json()
        self.assertEqual((again["nan_count"], again["infinite_count"]), (2, 4))


class Names(CommandTest):
    def test_results_land_where_they_should(self):
        target = os.path.join(os.fsencode(self.folder), b"\xff.npy")
        shown = self.run_tiny("--output", target, "--json").json()
        self.assertIn("\\xFF.npy", shown["outputs"]["output"]["file"])
        self.assertTrue(os.path.exists(target))


if __name__ == "__main__":
    unittest.main()
