"""headwise bench: shapes, options, forms of the results. What is fast is not tested, only that it is told right."""

import csv
import io
import json
import os
import pty
import shlex
import signal
import subprocess
import unittest

import layers
from command import ROOT, TINY_BERT, TOOL, CommandTest, run

SHORT = ["--rounds", "2", "--min-time", "0.0002", "--threads", "1"]
TINY = ["--shapes", "2x8x32x4", *SHORT]
ASKS = ("plain", "causal", "padded", "weights", "decode", "ragged")


class BenchTest(CommandTest):
    def bench(self, *arguments):
        return self.ok("bench", *arguments, "--json").json()["records"]

    def shape_file(self, text):
        path = self.folder / "shapes.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


class Cases(BenchTest):
    def test_everything_that_can_be_asked_for(self):
        records = self.bench(*TINY, "--part", "layer,core", "--ask", ",".join(ASKS), "--dtype", "f32,f16,bf16")
        told = {(r["part"], r["ask"], r["dtype"]) for r in records}
        self.assertEqual(told, {(p, a, d) for p in ("layer", "core") for a in ASKS for d in ("f32", "f16", "bf16")})
        for record in records:
            self.assertGreater(record["flops"], 0, record)
            self.assertLessEqual(record["min_ms"], record["median_ms"])
            self.assertLessEqual(record["p90_ms"], record["p99_ms"])
            self.assertEqual(len(record["round_medians_ms"]), 2)

    def test_work_is_counted_by_live_pairs(self):
        flops = {r["ask"]: r["flops"] for r in self.bench(*TINY, "--part", "core", "--ask", ",".join(ASKS))}
        self.assertEqual(flops["plain"], 4 * 2 * 4 * 8 * 8 * 8)
        self.assertEqual(flops["plain"], flops["weights"])
        self.assertEqual(flops["padded"], flops["plain"] / 2)
        self.assertEqual(flops["causal"], flops["plain"] * 9 / 16)
        self.assertEqual(flops["decode"], 4 * 2 * 4 * 9 * 8)
        self.assertEqual(flops["ragged"], 4 * 4 * 8 * (8 * 8 + 5 * 5))

    def test_parts_of_a_shape(self):
        shapes = "2x8x32x4:kv=2,2x8x32x4:d=16,1x4x32x4:keys=12"
        records = self.bench("--shapes", shapes, *SHORT, "--part", "layer,core", "--ask", "plain,causal,weights")
        self.assertEqual(len(records), 18)
        self.assertEqual(records[0]["shape"], "2x8x32x4:kv=2")
        keys = [r["flops"] for r in records if r["shape"] == "1x4x32x4:keys=12" and r["part"] == "core"]
        self.assertEqual(keys[0], 4 * 4 * 4 * 12 * 8)

    def test_lists_of_isas_and_threads(self):
        isas = [i["name"] for i in self.ok("info", "--json").json()["isas"] if i["compiled"] and i["present"]]
        isas.remove("reference")
        records = self.bench("--shapes", "1x8x32x4", *SHORT[:4], "--isa", "all", "--threads", "1,2,1")
        self.assertEqual([(r["isa"], r["threads"]) for r in records], [(isa, t) for isa in isas for t in (1, 2)])
        self.assertIsNone(self.bench(*TINY, "--isa", "reference")[0]["peak_share"])

    def test_a_layer_of_a_file(self):
        asks = ["--part", "layer,core", "--ask", ",".join(ASKS)]
        records = self.bench(TINY_BERT, "--layer", "1", "--shapes", "2x8", *SHORT, *asks)
        self.assertEqual({r["layer"] for r in records}, {"model.safetensors, layer 1, 4 heads"})
        self.assertEqual(len(self.bench(TINY_BERT, *SHORT)), 4)
        for make in (layers.rich, layers.appended, layers.t5):
            model = layers.write_layer(self.folder, make()[0])
            records = self.bench(model, "--heads", "4", "--shapes", "2x8", *SHORT, *asks)
            self.assertEqual(len(records), 12)

    def test_a_record_repeats_itself(self):
        model = self.folder / "it's a file.safetensors"
        model.write_bytes(TINY_BERT.read_bytes())
        options = ["--heads", "4", "--allow-missing-bias", "--shapes", "1x8:keys=5", "--warmup", "0"]
        for arguments in ([*TINY, "--ask", "causal", "--dtype", "bf16"], [model, *options, *SHORT]):
            record = self.bench(*arguments)[0]
            words = shlex.split(record["repeat"])
            self.assertEqual(words[:2], ["headwise", "bench"])
            again = self.bench(*words[2:])
            self.assertEqual(len(again), 1)
            same = ("part", "ask", "shape", "dtype", "isa", "threads", "layer", "flops", "rounds", "warmup", "repeat")
            for key in same:
                self.assertEqual(record[key], again[0][key], key)

    def test_fewer_threads_than_asked_for(self):
        shape = ["--shapes", "1x8x32x4", *SHORT[:4], "--threads", "2"]
        result = self.ok("bench", *shape, "--json", environment={"OMP_THREAD_LIMIT": "1"})
        self.assertIsNone(result.json()["records"][0]["peak_gflops"])

    def test_where_a_record_comes_from(self):
        record, told = self.bench(*TINY)[0], self.ok("info", "--json").json()
        self.assertEqual((record["cpu"], record["version"]), (told["cpu"], told["version"]))
        self.assertEqual(record["onednn_version"], told["onednn_version"])
        self.assertRegex(record["commit"], r"^([0-9a-f]{12}(-dirty)?|unknown|\S+)$")
        self.assertRegex(record["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertTrue(record["compiler"] and record["build_type"])


class Losses(BenchTest):
    def against(self, factor):
        """A run against itself, with the times of the earlier one changed."""
        old = self.folder / "old.json"
        effort = ["--rounds", "6", "--min-time", "0.006", "--threads", "1", "--shapes", "1x8x32x4"]
        document = self.ok("bench", *effort, "--json").json()
        for record in document["records"]:
            record["round_medians_ms"] = [factor * t for t in record["round_medians_ms"]]
            for name in ("min_ms", "p10_ms", "median_ms", "p90_ms", "p99_ms"):
                record[name] *= factor
            for name in ("gflops", "gbytes_per_second", "peak_share"):  # follow from the others
                record.pop(name, None)
        old.write_text(json.dumps(document))
        return run("bench", *effort, "--compare", old, "--json")

    def test_a_loss_is_measured_twice_and_has_an_exit_code(self):
        result = self.against(1e-4)
        self.assertEqual(result.code, 3)
        self.assertIn(b"1 case lost at first sight; measuring again", result.err)
        self.assertEqual(len(result.json()["records"][0]["round_medians_ms"]), 12)

    def test_a_gain_is_none(self):
        result = self.against(1e4)
        self.assertEqual((result.code, result.json()["comparison"]["gains"]), (0, 1))
        self.assertNotIn(b"lost at first sight", result.err)


class Shapes(BenchTest):
    def test_a_file_with_comments_and_words(self):
        path = self.shape_file("# heading\r\n\r\n  1x4x32x4  # plain\n\t2x4x32x4 core causal plain\n1x4x32x4 decode")
        told = [(r["shape"], r["part"], r["ask"]) for r in self.bench("--shape-file", path, *SHORT)]
        core = [("2x4x32x4", "core", "causal"), ("2x4x32x4", "core", "plain")]
        self.assertEqual(told, [("1x4x32x4", "layer", "plain"), *core, ("1x4x32x4", "layer", "decode")])
        told = self.bench("--shape-file", path, *SHORT, "--ask", "weights", "--part", "core")
        self.assertEqual({(r["part"], r["ask"]) for r in told}, {("core", "weights")})
        self.assertEqual(len(told), 2)

    def test_the_lists_of_the_repository(self):
        """The number of threads is refused once the shapes have been read."""
        for path in sorted((ROOT / "perf" / "shapes").glob("*.txt")):
            self.fails(2, ["--threads"], "bench", "--shape-file", path, "--threads", "9999")
            self.fails(2, ["--threads"], "bench", "--shapes", path.stem, "--threads", "9999")

    def test_lines_that_are_no_shape(self):
        lines = ["1x", "x", "1x2x3", "1x2x3x4x5", "0x2x4x2", "-1x2x4x2", "1x2x4x3", "1x2x4x2:kv", "1x2x4x2:kv=0"]
        lines += ["1x2x4x2:kv=3", "1x2x4x2:kv=1:kv=1", "1x2x4x2:d=", "1x2x4x2:z=1", "1x2x4x2:", "1 2 4 2", "1X2X4X2"]
        lines += ["16777217x2x4x2", "9" * 400 + "x2x4x2", "1x2:kv=2", "1.5x2x4x2", "0x10x2x4x2", "1x2x4x2 fast", "é"]
        for line in lines:
            with self.subTest(line=line[:40]):
                path = self.shape_file(f"1x8x32x4\n{line}\n")
                self.fails(1, ["shapes.txt, line 2: "], "bench", "--shape-file", path)
                if " " not in line:
                    self.fails(2, ["--shapes"], "bench", "--shapes", line)

    def test_files_that_hold_none(self):
        for text in (b"", b"# nothing\n", b"\x00\xff\x1b[31m\n", b"\xff" * 100, b"x" * (2 << 20), b"1x8x32x4\n" * 2000):
            message = self.fails(1, ["shapes.txt"], "bench", "--shape-file", self.shape_file(text))
            self.assertNotIn("\x1b", message)
        self.fails(1, ["shapes.txt", "NUL"], "bench", "--shape-file", self.shape_file(b"1x8x32x4 fa\x00st\n"))
        self.fails(1, ["absent.txt"], "bench", "--shape-file", self.folder / "absent.txt")
        self.fails(1, ["no regular file"], "bench", "--shape-file", self.folder)
        os.mkfifo(self.folder / "pipe")
        self.fails(1, ["no regular file"], "bench", "--shape-file", self.folder / "pipe")

    def test_what_does_not_go_together(self):
        self.fails(2, ["layers"], "bench", "--shapes", "lairs")
        self.fails(2, ["BATCHxLENGTH such as"], "bench", TINY_BERT, "--shapes", "1x8x32x4")
        self.fails(2, ["weight FILE"], "bench", "--shapes", "1x8")
        self.fails(2, ["--layer", "FILE"], "bench", "--layer", "1")
        for ask in ("decode", "ragged"):
            self.fails(2, [":keys"], "bench", "--shapes", "1x8x32x4:keys=9", "--ask", ask)
        self.fails(1, ["memory"], "bench", "--shapes", "16777216x16777216x16777216x16777216")
        for option in ("--min-time", "--rounds", "--threads", "--least-difference"):
            for text in ("-1", "nan", "x", "", "1e9"):
                self.fails(2, [option], "bench", *TINY[:2], "--compare", "absent", option, text)
        self.fails(2, ["--ask", "'speed'"], "bench", "--ask", "plain,speed")
        self.fails(2, ["--part"], "bench", "--part", "")
        self.fails(2, ["--isa", "'mmx'"], "bench", "--isa", "avx2,mmx")


class Forms(BenchTest):
    def test_csv(self):
        shapes = ["--shapes", "1x8", *SHORT, "--ask", "plain,causal"]
        model = self.folder / 'a "quoted", name.safetensors'
        model.write_bytes(TINY_BERT.read_bytes())
        out = self.ok("bench", model, "--heads", "4", *shapes, "--format", "csv").out.decode()
        rows = list(csv.DictReader(io.StringIO(out, newline="")))
        self.assertEqual([r["ask"] for r in rows], ["plain", "causal"])
        for row in rows:
            self.assertNotIn(None, row)
            self.assertEqual(row["layer"], 'a "quoted", name.safetensors, layer 0, 4 heads')
            self.assertGreater(float(row["median_ms"]), 0)
            self.assertIn(row["isa"], row["repeat"])

    def test_markdown(self):
        out = self.ok("bench", *TINY, "--ask", "plain,causal", "--format", "markdown").out.decode()
        rows = [line for line in out.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 4)
        self.assertEqual(len({row.count("|") for row in rows}), 1)
        self.assertIn("| ask | shape | median |", rows[0])

    def test_a_table_for_people(self):
        out = self.ok("bench", *TINY, "--ask", "plain,causal").out.decode()
        for word in ("commit", "oneDNN", "median", "p99", "% peak", "layer, random weights, f32", "1 thread"):
            self.assertIn(word, out)

    def test_files(self):
        for ending, start in (("json", b"{"), ("csv", b"part,"), ("md", b"headwise")):
            path = self.folder / f"new.{ending}"
            shown = self.ok("bench", *TINY, "-o", path).out
            self.assertIn(b"median", shown)
            self.assertTrue(path.read_bytes().startswith(start))
        self.assertEqual(len(list(self.folder.glob("new.*"))), 3)
        self.ok("bench", *TINY, "-o", self.folder / "new.md", "--json").json()
        again = self.ok("bench", "--results", self.folder / "new.json", "--format", "csv").out
        self.assertEqual(len(again.splitlines()), 2)
        for name in ("new.txt", "new", "json"):
            self.fails(2, [".json, .csv or .md"], "bench", *TINY, "-o", self.folder / name)
        self.fails(2, ["no-such-folder"], "bench", *TINY, "-o", self.folder / "no-such-folder" / "x.json")
        self.fails(2, ["--json", "--format"], "bench", *TINY, "--json", "--format", "csv")


class Terminals(BenchTest):
    LONG = ["--shapes", "1x8x32x4", "--rounds", "1000", "--min-time", "60", "--threads", "1"]

    def start(self):
        """The process, its output, and the terminal that has shown a bar."""
        try:
            leader, follower = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had: {error}")
        self.addCleanup(os.close, leader)
        command = [TOOL, "bench", *self.LONG, "--json"]
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, env=environment)
        self.addCleanup(process.wait)
        os.close(follower)
        text = b""
        while b"left" not in text:
            text += os.read(leader, 1 << 16)
        return process, text

    def test_a_bar_and_an_interrupt(self):
        process, drawn = self.start()
        self.assertIn(b"measuring [", drawn)
        self.assertNotIn(b"\x1b", drawn)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 130)
        path = self.folder / "part.json"
        path.write_bytes(out)
        self.assertIn("INCOMPLETE", self.ok("bench", "--results", path).out.decode())
        self.assertIn("this run was interrupted", self.ok("bench", "--results", path, "--compare", path).out.decode())

    def test_not_a_byte_in_a_log(self):
        result = run("bench", *TINY[:2], "--rounds", "10", "--min-time", "0.8", "--quiet")
        self.assertEqual((result.code, result.err), (0, b""))


if __name__ == "__main__":
    unittest.main()
