"""What people and programs read."""

import json
import unittest

from compared import HEADWISE, Measurement, goals, layer, measured, report, results


class Report(unittest.TestCase):
    def setUp(self):
        self.case = layer(1, 128, 384, 12)
        self.results = results(
            measured(self.case, HEADWISE, [0.001, 0.001], peaks=[self.case.flops / 0.0008] * 2),
            measured(self.case, "torch", [0.003, 0.003], tried={"one": 0.003, "other": 0.004}),
            Measurement(self.case, "openvino", 1, reason="no such instruction"),
        )
        self.machine = report.Machine("2026-01-02", "a CPU", 2, "abc1234", "perf/compare.py")
        self.machine.versions = {"torch": {"torch": "2"}, "zentorch": {"torch": "2", "zentorch": "3"}}
        self.machine.missing = {"zentorch": "cannot be installed: no such release"}
        self.verdicts = goals.judge(self.results)
        self.markdown = report.markdown(self.machine, self.results, self.verdicts)

    def test_speed_stands_beside_error_ratio_and_share(self):
        (row,) = [line for line in self.markdown.splitlines() if line.startswith("| layer 1,128,384,12 | 1 |")][:1]
        self.assertIn("| 1 (1e-07) | 1 to 1 | 3 (1e-07) | – | – | – | 3.00 | 80.0 % |", row)

    def test_a_row_without_a_result_has_no_error(self):
        row = measured(self.case, HEADWISE, [0.001])
        row.error = None
        self.assertIn("| 1 | 1 | 1 to 1 |", report.markdown(self.machine, results(row), []))

    def test_missing_peers_are_named_with_the_reason(self):
        self.assertIn("**zentorch is missing:** cannot be installed: no such release", self.markdown)
        self.assertIn("no such instruction", self.markdown)

    def test_versions_are_named_once(self):
        self.assertIn("; torch 2, zentorch 3.", self.markdown)

    def test_every_goal_has_a_line(self):
        for verdict in self.verdicts:
            self.assertIn(verdict.goal, self.markdown)
        self.assertIn("**not met**", self.markdown)
        self.assertIn("Geometric mean of ×: layer, threads: 1: 3.00 (1 rows).", self.markdown)

    def test_every_row_of_a_table_has_as_many_cells_as_its_head(self):
        for block in self.markdown.split("\n\n"):
            lines = [line for line in block.splitlines() if line.startswith("|")]
            self.assertLessEqual(len({line.count("|") for line in lines}), 1)

    def test_json_holds_all_rounds(self):
        told = json.loads(json.dumps(report.as_json(self.machine, self.results, self.verdicts)))
        self.assertEqual(told["rows"][0]["name"], "layer 1,128,384,12")
        self.assertEqual(told["rows"][0]["times"], [0.001, 0.001])
        self.assertEqual(told["rows"][0]["median"], 0.001)
        self.assertEqual(told["rows"][2]["reason"], "no such instruction")
        self.assertEqual(len(told["goals"]), len(self.verdicts))


if __name__ == "__main__":
    unittest.main()
