"""Medians, quantiles, paired ratios and means."""

import unittest

from compared import stats


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_neighbours(self):
        self.assertEqual(stats.median([3.0]), 3.0)
        self.assertEqual(stats.median([4.0, 1.0, 2.0]), 2.0)
        self.assertEqual(stats.median([4.0, 1.0, 2.0, 3.0]), 2.5)
        values = [float(x) for x in range(11)]
        self.assertEqual([stats.quantile(values, share) for share in (0, 0.1, 0.25, 0.9, 1)], [0, 1, 2.5, 9, 10])

    def test_paired_ratios_do_not_see_a_drift_of_both(self):
        drift = [1.0, 3.0, 0.5, 8.0]
        self.assertAlmostEqual(stats.paired_ratio([2 * d for d in drift], drift), 2)
        self.assertAlmostEqual(stats.paired_ratio([2.0, 2.0, 200.0], [1.0, 1.0, 1.0]), 2)

    def test_rounds_that_do_not_belong_together_are_refused(self):
        with self.assertRaisesRegex(ValueError, "2 rounds beside 1"):
            stats.paired_ratio([1.0, 2.0], [1.0])

    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([2.0, 8.0]), 4)
        self.assertAlmostEqual(stats.geometric_mean([0.5, 2.0]), 1)


if __name__ == "__main__":
    unittest.main()
