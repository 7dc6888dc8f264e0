"""The process of an engine: answers, reasons of failure, and that it is stopped while others are timed."""

import sys
import tempfile
import time
import unittest
from pathlib import Path

from compared import Missing, Pool, Worker, WorkerError

FAKE = [sys.executable, "-B", str(Path(__file__).parent / "fake_worker.py")]


def state_of(process_id: int) -> str:
    return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]


class WorkerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = Path(folder.name) / "log"

    def start(self, *more: str, seconds: float = 30) -> Worker:
        worker = Worker([*FAKE, *more], 3, self.log, seconds)
        self.addCleanup(worker.close)
        return worker

    def test_it_is_told_its_threads(self):
        self.assertEqual(self.start().versions, {"fake": "1", "threads": "3", "omp": "3"})

    def test_long_answers_arrive_whole(self):
        worker = self.start()
        for value in range(3):
            answer = worker.request(op="say", value=value)
            self.assertEqual((answer["heard"]["value"], len(answer["text"])), (value, 100000))

    def test_it_is_stopped_between_requests(self):
        worker = self.start()
        self.assert_stopped(worker)
        worker.request(op="say")
        self.assert_stopped(worker)

    def assert_stopped(self, worker: Worker) -> None:
        until = time.monotonic() + 10
        while state_of(worker.process.pid) != "T" and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(state_of(worker.process.pid), "T")

    def test_a_refusal_leaves_it_alive(self):
        worker = self.start()
        with self.assertRaisesRegex(WorkerError, "^not today$"):
            worker.request(op="refuse")
        self.assertEqual(worker.request(op="say", value=1)["heard"]["value"], 1)

    def test_a_death_is_told_with_its_last_words(self):
        worker = self.start()
        for _ in range(2):
            with self.assertRaisesRegex(WorkerError, "ended with 3: out of luck"):
                worker.request(op="die")
        with self.assertRaisesRegex(WorkerError, "ended with 1: no such library"):
            self.start("die")

    def test_one_that_hangs_is_ended(self):
        worker = self.start(seconds=0.3)
        with self.assertRaisesRegex(WorkerError, "no answer"):
            worker.request(op="sleep")
        self.assertFalse(worker.alive)


class PoolTest(unittest.TestCase):
    def test_an_engine_that_does_not_start_is_missing_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            absent = Path(folder) / "absent"
            pool = Pool(absent, Path(folder))
            for threads in (1, 2):
                with self.assertRaisesRegex(Missing, "No such file.*absent"):
                    pool.get("headwise", threads)
                absent.write_text("not tried a second time")
            self.assertEqual(list(pool.missing), ["headwise"])


if __name__ == "__main__":
    unittest.main()
