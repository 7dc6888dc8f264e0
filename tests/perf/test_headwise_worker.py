"""The worker of headwise on files as the driver writes them."""

import os
import struct
import tempfile
import unittest
from pathlib import Path

from compared import Worker, WorkerError


TINY_ENCODER = Path(__file__).parents[1] / "data" / "encoders" / "bert"


def write_npy(path: Path, shape: tuple[int, ...], values: list[float], kind: str = "f") -> None:
    descr = {"f": "<f4", "i": "<i4", "q": "<i8"}[kind]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    with path.open("ab") as file:
        file.write(struct.pack(f"<{len(values)}{kind}", *values))


def read_npy(path: Path) -> list[float]:
    content = path.read_bytes()
    data = content[10 + struct.unpack("<H", content[8:10])[0] :]
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class HeadwiseWorker(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.worker = Worker([os.environ["HEADWISE_WORKER"]], 1, self.folder / "log")
        self.addCleanup(self.worker.close)

    def write_layer(self) -> None:
        """One head of width 1: every product keeps its input, so that equal tokens give themselves."""
        write_npy(self.folder / "x.npy", (1, 3, 1), [0.5, 0.5, 0.5])
        for name in "qkvo":
            write_npy(self.folder / f"w{name}.npy", (1, 1), [1.0])
            write_npy(self.folder / f"b{name}.npy", (1,), [0.0])

    def prepare(self, kind: str, variant: str = "plain", cache_bytes: int = 0) -> dict:
        case = {"kind": kind, "variant": variant, "isa": "", "sizes": {"heads": 1}}
        files = {"folder": str(self.folder), "encoder": str(TINY_ENCODER)}
        return self.worker.request(op="prepare", id="a", **files, cache_bytes=cache_bytes, case=case)

    def test_it_names_its_versions(self):
        self.assertEqual(sorted(self.worker.versions), ["headwise", "isa", "oneDNN"])

    def test_a_layer_is_checked_and_timed_beside_the_peak(self):
        self.write_layer()
        self.assertEqual(self.prepare("layer")["configuration"], self.worker.versions["isa"])
        self.assertEqual(self.worker.request(op="check", id="a", folder=str(self.folder))["results"], ["y"])
        self.assertEqual(read_npy(self.folder / "y.npy"), [0.5, 0.5, 0.5])
        answer = self.worker.request(op="time", id="a", seconds=0.01)
        self.assertGreater(min(answer["times"]), 0)
        self.assertGreater(answer["peak"], 0)

    def encoded(self, variant: str, ids: list[list[int]], live: list[list[int]]) -> list[float]:
        shape = (len(ids), len(ids[0]))
        write_npy(self.folder / "ids.npy", shape, sum(ids, []), "q")
        write_npy(self.folder / "mask_int.npy", shape, sum(live, []), "i")
        self.prepare("encoder", variant)
        self.worker.request(op="check", id="a", folder=str(self.folder))
        return read_npy(self.folder / "y.npy")

    def test_an_encoder_leaves_out_the_padding_of_a_ragged_batch(self):
        batch = self.encoded("ragged", [[1, 2, 3], [4, 5, 0]], [[1, 1, 1], [1, 1, 0]])
        first = self.encoded("plain", [[1, 2, 3]], [[1, 1, 1]])
        second = self.encoded("plain", [[4, 5]], [[1, 1]])
        self.assertEqual(batch, first + second)

    def test_lengths_are_traced_in_order(self):
        self.write_layer()
        self.prepare("lengths")
        answer = self.worker.request(op="trace", id="a", seen=1, lengths=[3, 2], repeats=2)
        self.assertEqual((len(answer["first"]), len(answer["warm"])), (2, 2))
        self.worker.request(op="check", id="a", folder=str(self.folder), length=2)
        self.assertEqual(read_npy(self.folder / "y.npy"), [0.5, 0.5])

    def test_a_decoding_step_is_timed_beside_the_bandwidth(self):
        write_npy(self.folder / "q.npy", (1, 1, 1, 1), [1.0])
        for name in "kv":
            write_npy(self.folder / f"{name}.npy", (1, 1, 2, 1), [2.0, 2.0])
        self.prepare("core", cache_bytes=1 << 16)
        self.worker.request(op="check", id="a", folder=str(self.folder))
        self.assertEqual(read_npy(self.folder / "y.npy"), [2.0])
        self.assertGreater(self.worker.request(op="time", id="a", seconds=0.01)["bandwidth"], 0)

    def test_mistakes_are_told_and_survived(self):
        with self.assertRaisesRegex(WorkerError, "no operation is named 'sing'"):
            self.worker.request(op="sing")
        with self.assertRaisesRegex(WorkerError, "wq.npy"):
            self.prepare("layer")
        self.assertEqual(self.worker.request(op="drop"), {})


if __name__ == "__main__":
    unittest.main()
