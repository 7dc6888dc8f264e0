"""What `headwise info` says about threads (C07, C08): the default number, and the limit that makes it."""

import os
import unittest

from command import CommandTest


def only_one_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Threads(CommandTest):
    def info(self, **options):
        return self.ok("info", "--json", **options).json()

    def test_the_affinity_mask(self):
        told = self.info()
        self.assertEqual(told["affinity_cpus"], len(os.sched_getaffinity(0)))
        self.assertLessEqual(told["threads"], told["affinity_cpus"])
        self.assertLessEqual(told["threads"], told["openmp_threads"])
        self.assertTrue(told["threads_reason"])

    def test_one_cpu(self):
        told = self.info(preexec_fn=only_one_cpu)
        self.assertEqual((told["threads"], told["affinity_cpus"]), (1, 1))
        self.assertIn("1 of", told["threads_reason"])
        self.run_tiny("--threads", "4", preexec_fn=only_one_cpu)

    def test_the_variable_of_openmp(self):
        told = self.info(environment={"OMP_NUM_THREADS": "1"})
        self.assertEqual((told["threads"], told["omp_num_threads"]), (1, "1"))
        text = self.ok("info", environment={"OMP_NUM_THREADS": "1"}).out.decode()
        self.assertIn("OMP_NUM_THREADS is '1'", text)
        if told["affinity_cpus"] > 1:
            self.assertEqual(told["threads_reason"], "OpenMP is set to 1")

    def test_no_value_of_the_variable_does_harm(self):
        for value in ("", "0", "-1", "abc", "2x", "1e3", "2,2", "99999", "4294967297", "\x1b[31m"):
            told = self.info(environment={"OMP_NUM_THREADS": value})
            self.assertGreaterEqual(told["threads"], 1)
            self.assertLessEqual(told["threads"], told["affinity_cpus"])
            self.assertNotIn(b"\x1b", self.ok("info", environment={"OMP_NUM_THREADS": value}).out)

    def test_a_quota_names_its_file(self):
        told = self.info()
        self.assertEqual(told["quota_cpus"] is None, told["quota_file"] is None)


if __name__ == "__main__":
    unittest.main()
