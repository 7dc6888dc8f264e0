"""Goals are judged by the figures of the rows that they name."""

import unittest

from compared import HEADWISE, cases, core, goals, layer, measured, results


def judged(*measurements, goal: str) -> list[goals.Verdict]:
    return [verdict for verdict in goals.judge(results(*measurements)) if goal in verdict.goal]


class Layers(unittest.TestCase):
    case = layer(1, 128, 384, 12)

    def pair(self, ours: float, theirs: float, peak: float = 1e12):
        return (
            measured(self.case, HEADWISE, [ours] * 3, peaks=[peak] * 3),
            measured(self.case, "torch", [theirs * 2] * 3),
            measured(self.case, "openvino", [theirs] * 3),
        )

    def test_the_fastest_peer_counts(self):
        (verdict,) = judged(*self.pair(1.0, 1.1), goal="not slower")
        self.assertAlmostEqual(verdict.figure, 1.1)
        self.assertTrue(verdict.met)
        self.assertIn("openvino", verdict.note)
        self.assertFalse(judged(*self.pair(1.0, 0.99), goal="not slower")[0].met)

    def test_a_little_faster_is_enough_only_near_the_peak(self):
        far = self.case.flops / 0.5  # of the peak half is reached
        near = self.case.flops / 0.95
        self.assertFalse(judged(*self.pair(1.0, 1.02, far), goal="≥ 94 %")[0].met)
        self.assertTrue(judged(*self.pair(1.0, 1.02, near), goal="≥ 94 %")[0].met)
        self.assertTrue(judged(*self.pair(1.0, 1.07, far), goal="≥ 94 %")[0].met)

    def test_the_mean_is_over_the_rows_of_one_thread_count(self):
        other = layer(2, 10, 64, 8)
        verdicts = judged(
            *self.pair(1.0, 2.0),
            measured(other, HEADWISE, [1.0] * 3),
            measured(other, "torch", [0.5] * 3),
            measured(other, HEADWISE, [1.0] * 3, threads=2),
            measured(other, "torch", [3.0] * 3, threads=2),
            goal="geometric mean",
        )
        self.assertEqual([round(v.figure, 6) for v in verdicts], [1.0, 3.0])
        self.assertEqual([v.row for v in verdicts], ["2 of 2 rows", "1 of 1 rows"])
        self.assertFalse(verdicts[0].met)

    def test_a_peer_that_disagrees_is_no_peer(self):
        ours, torch, openvino = self.pair(1.0, 0.5)
        openvino.error, openvino.reason = 0.1, "DISAGREES"
        (verdict,) = judged(ours, torch, openvino, goal="not slower")
        self.assertAlmostEqual(verdict.figure, 1.0)
        self.assertEqual([m.engine for m in results(ours, torch, openvino).disagreements()], ["openvino"])

    def test_without_a_peer_nothing_is_claimed(self):
        verdicts = judged(measured(self.case, HEADWISE, [1.0]), goal="layer: not slower")
        self.assertEqual([(v.figure, v.met) for v in verdicts], [(None, None)])


class Cores(unittest.TestCase):
    def test_the_share_is_paired_with_the_peak_of_its_round(self):
        case = core(1, 512, 768, 12)
        row = measured(case, HEADWISE, [1.0, 2.0, 4.0], peaks=[case.flops / 0.9, case.flops / 1.8, case.flops / 3.6])
        (verdict,) = judged(row, goal="core, avx512, d = 64")
        self.assertAlmostEqual(verdict.figure, 0.9)
        self.assertTrue(verdict.met)

    def test_every_isa_has_its_own_limit(self):
        case = core(8, 128, 384, 12, isa="avx2")
        row = measured(case, HEADWISE, [1.0], peaks=[case.flops / 0.79])
        row.configuration = "avx2"
        self.assertTrue(judged(row, goal="core, avx2, d = 32")[0].met)

    def test_options_are_held_against_the_plain_row_beside_them(self):
        plain = measured(core(1, 2048, 1024, 16), HEADWISE, [1.0, 2.0, 3.0])
        for variant, goal, limit in (("causal", "causal", 0.53), ("weights", "≤ 1.15", 1.15), ("padded", "dead", 0.55)):
            for factor, met in ((limit - 0.001, True), (limit + 0.001, False)):
                row = measured(core(1, 2048, 1024, 16, variant=variant), HEADWISE, [factor * t for t in plain.times])
                verdict = judged(plain, row, goal=goal)[0]
                self.assertAlmostEqual(verdict.figure, factor)
                self.assertEqual(verdict.met, met, variant)

    def test_two_threads_are_held_against_one(self):
        case = core(1, 512, 768, 12)
        one = measured(case, HEADWISE, [2.0, 4.0])
        (verdict,) = judged(one, measured(case, HEADWISE, [1.0, 2.0], threads=2), goal="two threads")
        self.assertAlmostEqual(verdict.figure, 2)
        single = core(1, 128, 64, 1)  # one head this short cannot be split
        self.assertEqual(judged(measured(single, HEADWISE, [1.0], threads=2), goal="two threads"), [])


class Others(unittest.TestCase):
    def test_decoding_is_held_against_the_bandwidth(self):
        case = cases.decode("L3", 1, 2048, 16, 64)
        (verdict,) = judged(measured(case, HEADWISE, [1.0], bandwidths=[case.cache_bytes / 0.91]), goal="decode")
        self.assertAlmostEqual(verdict.figure, 0.91)
        self.assertTrue(verdict.met)

    def test_first_calls_that_were_slow_once_do_not_count(self):
        case = next(case for case in cases.all_cases() if case.kind == "lengths")
        quiet = [1.1] * 100
        disturbed = [9.0] * 10 + quiet[10:]
        row = measured(case, HEADWISE, [1.0] * 3, first_ratios=[quiet, disturbed, quiet])
        self.assertAlmostEqual(judged(row, goal="unseen")[0].figure, 1.1)
        row.first_ratios = [disturbed] * 3
        self.assertAlmostEqual(judged(row, goal="unseen")[0].figure, 9)

    def test_loading_is_held_against_its_baseline(self):
        case = next(case for case in cases.all_cases() if case.kind == "load")
        row = measured(case, HEADWISE, [2.2, 1.1], baselines=[2.0, 1.0])
        self.assertAlmostEqual(judged(row, goal="load")[0].figure, 1.1)

    def test_an_encoder_without_padding_is_to_be_faster_by_half(self):
        cases_of = {case.variant: case for case in cases.encoders()}
        for variant, goal, figure, met in (("plain", "encoder: not slower", 1.2, True), ("ragged", "≥ 1.5", 1.2, False)):
            case = cases_of[variant]
            pair = measured(case, HEADWISE, [1.0]), measured(case, "openvino", [figure])
            (verdict,) = judged(*pair, goal=f"{goal}")
            self.assertEqual((verdict.figure, verdict.met), (figure, met), variant)
            means = judged(*pair, goal="encoder: geometric mean")
            self.assertEqual([verdict.met for verdict in means], [True] if variant == "plain" else [])


if __name__ == "__main__":
    unittest.main()
