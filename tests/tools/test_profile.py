"""headwise profile: the table, JSON, the trace and the page."""

import html.parser
import json
import os
import re
import unittest

from command import TINY_BERT, CommandTest, write_npy, write_safetensors
from layers import plain

SIZES = ["--width", "64", "--heads", "4", "--batch", "8", "--length", "64", "--repeat", "3"]
FAST = [*SIZES, "--no-limits"]


class Page(html.parser.HTMLParser):
    """Tags, attributes and text of a page; every tag that is opened must be closed."""

    EMPTY = {"meta", "line", "circle", "rect"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.texts = [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, text):
        self.texts.append(text)

    def count(self, tag):
        return sum(1 for name, _ in self.tags if name == tag)


class Profile(CommandTest):
    def trace(self, *options):
        path = self.folder / "trace.json"
        told = self.ok("profile", *options, "--trace", path, "--json").json()
        return told, json.loads(path.read_text(encoding="utf-8"))

    def test_shares_add_up_to_the_whole(self):
        for threads in ("1", "2"):
            told = self.ok("profile", *FAST, "--threads", threads, "--json").json()
            whole = told["milliseconds"] * told["threads"]
            steps = sum(step["thread_milliseconds"] for step in told["steps"])
            other = sum(sum(thread.values()) for thread in told["other_time"])
            self.assertAlmostEqual((steps + other) / whole, 1, places=9)
            for step in told["steps"]:
                by_thread = sum(thread["milliseconds"] for thread in step["threads"])
                self.assertAlmostEqual(step["thread_milliseconds"], by_thread)
                self.assertEqual(len(step["threads"]), told["threads"])
                self.assertAlmostEqual(step["share"], step["thread_milliseconds"] / whole)

    def test_it_profiles_what_explain_tells(self):
        told = self.ok("profile", TINY_BERT, "--query", self.query, "--no-limits", "--repeat", "2", "--json").json()
        plan = self.ok("explain", TINY_BERT, "--query", self.query, "--json").json()
        for key in ("config", "inputs", "isa", "kernel", "schedule", "threads", "flops", "live_pairs", "outputs"):
            self.assertEqual(told[key], plan[key], key)
        for key in ("name", "flops", "bytes", "reads", "writes"):
            self.assertEqual([step[key] for step in told["steps"]], [step[key] for step in plan["steps"]], key)
        self.assertEqual(told["calls"], 2)
        self.assertIsNone(told["limits_per_thread"])
        self.assertIsNone(told["steps"][0]["bound_by"])

    def test_parts_of_attention(self):
        told = self.ok("profile", *FAST, "--causal", "--attention", "w.npy", "--json").json()
        attend = next(step for step in told["steps"] if step["name"] == "Attend")
        names = [part["name"] for part in attend["parts"]]
        self.assertEqual(names, ["keys", "QK^T", "modifiers", "softmax", "weights", "PV", "edges"])
        parts = sum(part["thread_milliseconds"] for part in attend["parts"])
        self.assertAlmostEqual(parts, attend["thread_milliseconds"])
        self.assertAlmostEqual(sum(part["flops"] for part in attend["parts"]), attend["flops"])

    def test_roofs_of_this_machine(self):
        told = self.ok("profile", *SIZES, "--json").json()
        limits = told["limits_per_thread"]
        self.assertGreater(limits["gigaflops_per_second"], 0)
        self.assertEqual(limits["memory"][-1]["name"], "memory")
        levels = {"compute", *(level["name"] for level in limits["memory"])}
        for step in told["steps"]:
            self.assertIn(step["bound_by"], levels)
            self.assertGreater(step["share_of_roof"], 0)
        text = self.ok("profile", *SIZES).out.decode()
        for word in ("% of the peak", "GB/s", "compute", "% of roof", "QK^T", "waiting", "together"):
            self.assertIn(word, text)

    def test_a_cache_is_read_from_where_it_lies(self):
        sizes = ["--width", "256", "--heads", "4", "--batch", "4", "--repeat", "1", "--schedule", "deep", "--json"]
        told = self.ok("profile", *sizes, "--cache-capacity", "9000", "--threads", "1").json()
        slices = next(step for step in told["steps"] if step["name"] == "AttendSlices")
        self.assertNotIn(slices["bound_by"], ("L1", "L2"))
        if os.environ.get("HEADWISE_SANITIZED") != "1":  # where arithmetic is slower than any memory
            self.assertNotEqual(slices["bound_by"], "compute")

    def test_people_see_a_table_that_fits_the_page(self):
        for threads, batch in (("2", "8"), ("9", "64")):
            sizes = ["--width", "64", "--heads", "4", "--length", "64", "--batch", batch, "--threads", threads]
            text = self.ok("profile", *sizes, "--repeat", "3", "--no-limits").out.decode()
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
            self.assertIn("thread by thread", text)
            self.assertIn("100.0", text)
        self.assertIn("most", text)

    def test_counters_or_why_there_are_none(self):
        told = self.ok("profile", *FAST, "--json").json()
        self.assertEqual(set(told["counters"]), {"cycles", "instructions", "cache misses", "page faults"})
        for counter in told["counters"].values():
            self.assertNotEqual(counter["steps"] is None, counter["missing"] is None)
        text = self.ok("profile", *FAST).out.decode()
        missing = [name for name, counter in told["counters"].items() if counter["missing"]]
        self.assertEqual("Not counted here" in text, bool(missing))

    def test_a_trace_in_the_chrome_format(self):
        for schedule in ("wide", "deep"):
            told, trace = self.trace(*FAST, "--threads", "2", "--schedule", schedule)
            self.assertEqual(trace["displayTimeUnit"], "ns")
            self.check_events(trace["traceEvents"], [step["name"] for step in told["steps"]])

    def check_events(self, events, steps):
        """The fields that the format asks of "M" and "X" events, and that a thread's events do not overlap."""
        ends, names = {}, set()
        for event in events:
            self.assertIn(event["ph"], ("M", "X"))
            self.assertTrue(isinstance(event["pid"], int) and isinstance(event["tid"], int))
            if event["ph"] == "M":
                self.assertIn(event["name"], ("process_name", "thread_name"))
                self.assertIsInstance(event["args"]["name"], str)
                continue
            self.assertIn(event["cat"], ("step", "call", "wait"))
            self.assertGreaterEqual(event["dur"], 0)
            self.assertGreaterEqual(event["ts"], ends.get(event["tid"], 0) - 1e-3)
            ends[event["tid"]] = event["ts"] + event["dur"]
            names.add(event["name"])
            if event["cat"] == "step":
                self.assertIn(event["name"], steps)
                self.assertGreaterEqual(event["args"]["units"], 0)
        self.assertEqual(set(ends), {0, 1})
        self.assertLess(abs(ends[0] - ends[1]), 1e-2)
        self.assertLessEqual(set(steps), names)

    def test_a_page_that_needs_nothing_else(self):
        path = self.folder / "page.html"
        self.ok("profile", *SIZES, "--threads", "2", "--html", path)
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        self.assertLess(len(text), 60_000)
        self.assertEqual(page.count("svg"), 1)
        self.assertEqual(page.count("script") + page.count("link") + page.count("img") + page.count("a"), 0)
        for _, attributes in page.tags:
            self.assertFalse({"src", "href", "onload", "onclick"} & set(attributes))
        self.assertIsNone(re.search(r"https?:|url\(|@import", text))
        self.assertIn("default-src 'none'", text)
        self.assertIn("prefers-color-scheme: dark", text)
        titles = "\n".join(page.texts)
        for word in ("ProjectQkv", "QK^T", "FLOP/byte", "peak", "memory", "% of the roof", "Threads"):
            self.assertIn(word, titles)
        for tag, attributes in page.tags:
            if tag in ("circle", "rect"):
                x, y = (float(attributes.get("c" + axis, attributes.get(axis))) for axis in "xy")
                self.assertTrue(60 < x < 880 and 0 < y < 420, (x, y))

    def test_names_of_a_file_are_text(self):
        tensors, _ = plain("<script>alert(1)</script>&\"'.")
        model = write_safetensors(self.folder / "<b>.safetensors", tensors)
        path = self.folder / "page.html"
        self.ok("profile", model, "--heads", "4", "--repeat", "1", "--html", path)
        page = Page(path.read_text(encoding="utf-8"))
        self.assertEqual(page.count("script") + page.count("b"), 0)
        self.assertIn("<b>.safetensors", "".join(page.texts))

    def test_a_step_of_decoding(self):
        for options in ([], ["--cache-circular"], ["--cache-type", "f16"]):
            call = [TINY_BERT, "--cache-capacity", "40", *options, "--repeat", "50", "--no-limits", "--json"]
            told = self.ok("profile", *call).json()
            self.assertEqual((told["kernel"], told["cached_tokens"]), ("few queries", 39))
            self.assertIn("AttendSlices", [step["name"] for step in told["steps"]])

    def test_refusals(self):
        trace = ["--trace", self.folder / "t.json"]
        self.fails(2, ["FILE", "--width"], "profile")
        self.fails(2, ["--repeat"], "profile", *SIZES, "--repeat", "0")
        self.fails(2, ["--html", "--no-limits"], "profile", *FAST, "--html", self.folder / "p.html")
        self.fails(2, ["--trace", "another"], "profile", *FAST, "--trace", "x.html", "--html", "x.html")
        self.fails(2, ["--trace", "folder"], "profile", *FAST, "--trace", self.folder / "absent" / "t.json")
        self.fails(2, ["--trace", "regular"], "profile", *FAST, "--trace", self.folder)
        self.fails(2, ["--trace", "another"], "profile", TINY_BERT, "--no-limits", "--trace", TINY_BERT)
        wrong = write_npy(self.folder / "n.npy", [3], [1, 1, 1], "<i8")
        self.fails(2, ["--key-lengths", "[3]"], "profile", *FAST, "--key-lengths", wrong, *trace)
        self.assertFalse((self.folder / "t.json").exists())


if __name__ == "__main__":
    unittest.main()
