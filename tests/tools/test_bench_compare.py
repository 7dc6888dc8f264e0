"""headwise bench --compare on made-up records: verdicts, exit codes, and files of strangers."""

import json
import os
import unittest

from command import CommandTest, run

ROUNDS = [0.99, 1.0, 1.01, 0.995, 1.005, 1.0, 0.99, 1.01, 1.0, 1.002]
WILD = [0.7, 1.0, 1.3, 0.75, 1.25, 1.0, 0.8, 1.2, 1.0, 1.1]


def record(ask="plain", factor=1.0, rounds=None, peaks=None, **changes):
    """One that headwise might have written: times of about 2 ms."""
    times = [2 * factor * r for r in (rounds or ROUNDS)]
    made = {"part": "layer", "ask": ask, "shape": "1x128x384x12", "dtype": "f32", "isa": "avx2", "threads": 2}
    made |= {"layer": "", "kernel": "queries in lanes", "schedule": "wide", "plan_threads": 2}
    made |= {"flops": 1e8, "bytes": 1e6, "median_ms": times[1], "calls": 100, "round_medians_ms": times}
    made |= {"min_ms": min(times), "p10_ms": min(times), "p90_ms": max(times), "p99_ms": max(times)}
    made |= {"round_peaks_gflops": peaks or [], "rounds": len(times), "min_time": 0.5, "warmup": 1}
    made |= {"commit": "1234", "version": "0.1.0", "onednn_version": "2.6.3", "compiler": "GNU 12.2.0"}
    made |= {"build_type": "Release", "cpu": "A CPU", "date": "2026-01-01T00:00:00Z", "repeat": "headwise bench"}
    return made | changes


class CompareTest(CommandTest):
    def write(self, name, *records, **changes):
        document = {"format": "headwise bench", "format_version": 1, "complete": True, "records": list(records)}
        return self.write_text(name, json.dumps(document | changes))

    def write_text(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def compare(self, before, now, *options):
        files = ["--compare", self.write("old.json", *before), "--results", self.write("new.json", *now)]
        result = run("bench", *files, "--json", *options)
        self.assertEqual(result.err, b"")
        return result.json()["comparison"], result.code

    def expect(self, verdict, before, now, *options):
        comparison, code = self.compare([before], [now], *options)
        found = comparison["differences"][0]
        self.assertEqual(found["verdict"], verdict, found)
        self.assertEqual(code, 3 if verdict == "loss" else 0)
        return found


class Verdicts(CompareTest):
    def test_gain_loss_and_neither(self):
        self.expect("no difference", record(), record())
        found = self.expect("loss", record(), record(factor=1.2))
        self.assertAlmostEqual(found["time_ratio"], 1.2, 6)
        self.expect("gain", record(), record(factor=1 / 1.2))

    def test_the_noise_of_either_run_hides_a_change(self):
        self.expect("no difference", record(), record(factor=1.2, rounds=WILD))
        self.expect("no difference", record(rounds=WILD), record(factor=1.2))
        self.expect("loss", record(rounds=WILD), record(factor=5))

    def test_one_round_of_twenty_may_be_anything(self):
        self.expect("loss", record(rounds=[*ROUNDS, *ROUNDS[:9], 9]), record(factor=1.2))

    def test_two_clusters_are_noise(self):
        """Most rounds agree, so their median distance from the median is small."""
        self.expect("no difference", record(rounds=[1.0] * 7 + [1.3] * 3), record(factor=1.2))

    def test_the_least_difference(self):
        quiet = [1 + r / 1000 for r in range(10)]
        self.expect("no difference", record(rounds=quiet), record(rounds=quiet, factor=1.025))
        self.expect("loss", record(rounds=quiet), record(rounds=quiet, factor=1.025), "--least-difference", "1")
        self.expect("no difference", record(), record(factor=1.2), "--least-difference", "30")

    def test_a_clock_that_changed_is_not_a_difference(self):
        fast, slow = [240.0] * 10, [200.0] * 10
        self.expect("no difference", record(peaks=fast), record(factor=1.2, peaks=slow))
        self.expect("no difference", record(peaks=fast), record(factor=1.22, peaks=slow))
        self.expect("loss", record(peaks=fast), record(factor=1.2, peaks=fast))
        self.expect("no difference", record(peaks=slow), record(peaks=fast))
        self.expect("loss", record(peaks=fast), record(factor=1.2, peaks=slow[:5]))  # not one a round: no word

    def test_few_rounds_are_unclear(self):
        self.expect("unclear", record(rounds=ROUNDS[:5]), record(factor=2))
        self.expect("loss", record(rounds=ROUNDS[:6]), record(factor=2, rounds=ROUNDS[:6]))

    def test_one_loss_among_many(self):
        asks = ("plain", "causal", "weights")
        slower = [record(ask, 1.5 if ask == "causal" else 1) for ask in asks]
        comparison, code = self.compare([record(ask) for ask in asks], slower)
        self.assertEqual((code, comparison["losses"], comparison["gains"]), (3, 1, 0))


class Matching(CompareTest):
    def test_cases_on_one_side_only(self):
        comparison, code = self.compare([record(), record("causal")], [record(), record("weights")])
        self.assertEqual(code, 0)
        self.assertEqual(len(comparison["differences"]), 1)
        self.assertIn("causal", comparison["only_before"][0])
        self.assertIn("weights", comparison["only_now"][0])

    def test_what_makes_another_case(self):
        for change in ({"part": "core"}, {"shape": "1x128x384x6"}, {"dtype": "bf16"}, {"isa": "sse2"}, {"threads": 4}):
            comparison, _ = self.compare([record()], [record(**change)])
            self.assertEqual((comparison["differences"], len(comparison["only_now"])), ([], 1), change)

    def test_another_machine_is_a_warning(self):
        for change in ({"cpu": "B CPU"}, {"build_type": "Debug"}):
            comparison, _ = self.compare([record(**change)], [record()])
            self.assertEqual(len(comparison["warnings"]), 1)
        old, new = self.write("old.json", record(cpu="B\x1b CPU")), self.write("new.json", record(factor=2))
        text = run("bench", "--compare", old, "--results", new)
        self.assertEqual(text.code, 3)
        self.assertIn(b"WARNING: another CPU", text.out)
        self.assertNotIn(b"\x1b", text.out)

    def test_people_read_it(self):
        old, new = self.write("old.json", record(), record("causal")), self.write("new.json", record(factor=1.5))
        files = ["--compare", old, "--results", new]
        for form in ([], ["--format", "markdown"]):
            text = run("bench", *files, *form).out.decode()
            for word in ("LOSS", "1.500", "only before: layer causal", "1 loss"):
                self.assertIn(word, text)
        rows = run("bench", *files, "--format", "csv").out.decode()
        self.assertIn("loss", rows)


class Strangers(CompareTest):
    def refuses(self, words, path):
        for arguments in (["--compare", path, "--results", self.write("good.json", record())], ["--results", path]):
            self.fails(1, words, "bench", *arguments)

    def test_files_that_are_not_ours(self):
        texts = ["", "x", "[", "null", "[]", "{}", "3", '{"format":"headwise bench"}', b"\xff\xfe"]
        texts += ["[" * 1_000_000, '{"a":' * 300_000, '{"format": NaN}', '{"records": []}']
        for text in texts:
            with self.subTest(text=text[:30]):
                self.refuses(["old.json cannot be used"], self.write_text("old.json", text))
        self.refuses(["absent"], self.folder / "absent")
        self.refuses(["NUL"], self.write_text("old.json", b"{\x00}"))
        self.refuses(["no regular file"], self.folder)
        os.mkfifo(self.folder / "pipe")
        self.refuses(["no regular file"], self.folder / "pipe")

    def test_other_versions(self):
        self.refuses(["version 1"], self.write("old.json", record(), format_version=2))
        self.refuses(["headwise bench"], self.write("old.json", record(), format="google benchmark"))
        self.refuses(["records"], self.write("old.json", records={"a": 1}))

    def test_records_that_break_a_rule(self):
        for name, value in record().items():
            wrong = [None, {}, True] + ([] if isinstance(value, list) else [[value]])
            if isinstance(value, str):
                wrong += [7]
            elif not isinstance(value, list):
                wrong += ["7", -1]
            for other in wrong:
                with self.subTest(name=name, other=str(other)[:20]):
                    path = self.write("old.json", record("causal"), record() | {name: other})
                    self.refuses(["record 2", name], path)
            bad = {key: value for key, value in record().items() if key != name}
            self.refuses(["record 1", name, "missing"], self.write("old.json", bad))

    def test_values_out_of_range(self):
        changes = [{"round_medians_ms": wrong} for wrong in ([], [1.0, 0], [1, "1"], [-1])]
        changes += [{"median_ms": 0}, {"median_ms": 1e300}, {"threads": 0}, {"threads": 1 << 40}, {"threads": 1.5}]
        changes += [{"shape": "1x2x3"}, {"ask": "fast"}, {"part": ""}, {"dtype": "f8"}, {"round_peaks_gflops": [0]}]
        for change in changes:
            with self.subTest(change=change):
                self.refuses(["record 1", next(iter(change))], self.write("old.json", record() | change))
        self.refuses(["records"], self.write("old.json", 3))
        self.refuses(["twice"], self.write("old.json", record(), record()))

    def test_records_that_contradict_themselves(self):
        changes = {"p10_ms": 1.9, "median_ms": 1.9, "p90_ms": 1.99, "p99_ms": 2.01, "min_ms": 2.01, "calls": 9}
        changes |= {"plan_threads": 3, "rounds": 4, "round_peaks_gflops": [1.0] * 11, "gflops": 60.0, "peak_share": 0.5}
        changes |= {"gbytes_per_second": None, "peak_gflops": "fast"}
        for name, value in changes.items():
            with self.subTest(name=name):
                self.refuses(["record 1"], self.write("old.json", record() | {name: value}))
        self.refuses(["'plan_threads'"], self.write("old.json", record(plan_threads=0)))

    def test_what_bench_wrote_agrees_with_itself(self):
        path = self.folder / "new.json"
        self.ok("bench", "--shapes", "1x1x8x1,1x16x32x4", "--min-time", "0.001", "--rounds", "2", "-o", path)
        self.ok("bench", "--results", path)
        shown = json.loads(path.read_text())
        shown["records"][0]["gflops"] *= 2
        path.write_text(json.dumps(shown))
        self.refuses(["record 1", "'gflops'"], path)

    def test_nothing_was_measured(self):
        empty = self.write("empty.json")
        self.assertIn(b"Nothing was measured", self.ok("bench", "--results", empty).out)
        self.ok("bench", "--results", empty, "--compare", self.write("old.json", record()))
        self.ok("bench", "--results", empty, "--format", "csv")


class Options(CompareTest):
    def test_results_measure_nothing(self):
        path = self.write("old.json", record())
        for option in (["--shapes", "1x8x32x4"], ["--rounds", "3"], ["--isa", "sse2"]):
            self.fails(2, ["--results", option[0]], "bench", "--results", path, *option)
        self.fails(2, ["--least-difference", "--compare"], "bench", "--results", path, "--least-difference", "5")

    def test_the_old_file_is_read_first(self):
        self.fails(1, ["absent"], "bench", "--compare", self.folder / "absent", "--min-time", "3600")

    def test_the_new_records_do_not_take_the_place_of_the_old(self):
        path, new = self.write("old.json", record()), self.write("new.json", record(factor=2))
        self.fails(2, ["--compare", "same file"], "bench", "--results", new, "--compare", path, "-o", path)
        self.fails(2, ["--results", "same file"], "bench", "--results", new, "--compare", path, "-o", new)
        self.assertEqual([json.loads(file.read_text())["records"][0]["median_ms"] for file in (path, new)], [2, 4])


if __name__ == "__main__":
    unittest.main()
