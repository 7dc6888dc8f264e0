"""headwise run: the right numbers under every option."""

import unittest

import reference
from command import INTEGERS, TINY_BERT, CommandTest, read_npy, wave, write_npy

HEADS = 4
WIDTH = 32


def rows(values, batch, length):
    """[batch][length] rows of a flat list."""
    row = lambda i: values[i * WIDTH : (i + 1) * WIDTH]  # noqa: E731
    return [[row(b * length + i) for i in range(length)] for b in range(batch)]


class Numbers(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.tensors = reference.read_safetensors(TINY_BERT)

    def expect(self, actual, is_live, layer=0, key=None, value=None):
        """actual is the output for the query of setUp, [2, 5, 32]."""
        query = rows(read_npy(self.query)[1], 2, 5)
        expected = []
        for b in range(2):
            keys = key[b] if key else query[b]
            values = value[b] if value else keys
            live = lambda i, j, b=b: is_live(b, i, j)  # noqa: E731
            for row in reference.attend(query[b], keys, values, self.tensors, layer, HEADS, live):
                expected += row
        self.assert_close(actual, expected)

    def test_self_attention_of_both_layers(self):
        for layer in (0, 1):
            shape, values = self.output_of("--layer", layer)
            self.assertEqual(shape, [2, 5, 32])
            self.expect(values, lambda b, i, j: True, layer)

    def test_key_and_value_of_their_own(self):
        key, value = wave(2 * 3 * WIDTH, 0.3), wave(2 * 3 * WIDTH, 1.1)
        key_file = write_npy(self.folder / "k.npy", [2, 3, WIDTH], key)
        value_file = write_npy(self.folder / "v.npy", [2, 3, WIDTH], value)
        everything = lambda b, i, j: True  # noqa: E731
        self.expect(self.output_of("--key", key_file)[1], everything, key=rows(key, 2, 3))
        both = self.output_of("--key", key_file, "--value", value_file)[1]
        self.expect(both, everything, key=rows(key, 2, 3), value=rows(value, 2, 3))

    def test_causal(self):
        triangle = lambda b, i, j: j <= i  # noqa: E731
        for words in ([], ["auto"], ["upper-left"], ["lower-right"]):
            self.expect(self.output_of("--causal", *words)[1], triangle)
        self.expect(self.output_of("--causal", "--threads", "1")[1], triangle)
        target = self.folder / "last.npy"
        self.ok("run", "--query", self.query, "--output", target, "--causal", TINY_BERT)
        self.expect(read_npy(target)[1], triangle)

    def test_causal_corners(self):
        key = wave(2 * 7 * WIDTH, 0.3)
        key_file = write_npy(self.folder / "k.npy", [2, 7, WIDTH], key)
        for alignment, offset in (("upper-left", 0), ("lower-right", 2)):
            output = self.output_of("--key", key_file, "--causal", alignment)[1]
            self.expect(output, lambda b, i, j, o=offset: j <= i + o, key=rows(key, 2, 7))
        self.fails(2, ["causal", "--causal upper-left or lower-right"], "run", TINY_BERT, "--query", self.query, "--key", key_file, "--causal", "auto")

    def test_boolean_masks_mean_what_is_said(self):
        live = [[(3 * i + j) % 3 != 1 for j in range(5)] for i in range(5)]
        flat = [cell for row in live for cell in row]
        keep = write_npy(self.folder / "keep.npy", [5, 5], flat, "|b1")
        drop = write_npy(self.folder / "drop.npy", [5, 5], [not cell for cell in flat], "|b1")
        for mask, meaning in ((keep, "keep"), (drop, "drop")):
            output = self.output_of("--mask", mask, "--mask-meaning", meaning)[1]
            self.expect(output, lambda b, i, j: live[i][j])

    def test_integer_masks_are_boolean(self):
        """Nonzero is true, in every integer type and also where only a high byte is set."""
        live = [[(3 * i + j) % 3 != 1 for j in range(5)] for i in range(5)]
        for dtype in INTEGERS:
            size = int(dtype[2:])
            high = 1 << (8 * size - 2)
            signed = [-1] if dtype[1] == "i" else []
            truths = [1, 2, high, *signed]
            flat = [truths[(i + j) % len(truths)] if live[i][j] else 0 for i in range(5) for j in range(5)]
            mask = write_npy(self.folder / "mask.npy", [5, 5], flat, dtype)
            output = self.output_of("--mask", mask, "--mask-meaning", "keep")[1]
            self.expect(output, lambda b, i, j: live[i][j])
            output = self.output_of("--mask", mask, "--mask-meaning", "drop")[1]
            self.expect(output, lambda b, i, j: not live[i][j])

    def test_integer_key_padding_is_boolean(self):
        live = lambda b, i, j: j < (4, 2)[b]  # noqa: E731
        for dtype in INTEGERS:
            padding = write_npy(self.folder / "p.npy", [2, 5], [1, 7, 1, 1, 0, 1, 1, 0, 0, 0], dtype)
            self.expect(self.output_of("--key-padding", padding, "--key-padding-meaning", "keep")[1], live)

    def test_mask_values_that_f32_cannot_hold(self):
        words = b"is f64, converted to f32; 2 values too large for it became infinite\n"
        for option in ("--mask", "--key-padding"):
            values = [0, 0, -1e300, float("-inf"), -1e39]
            mask = write_npy(self.folder / "m.npy", [5], values, "<f8")
            self.expect(self.output_of(option, mask)[1], lambda b, i, j: j < 2)
            self.assertIn(words, self.run_tiny(option, mask).err)
        mask = write_npy(self.folder / "m.npy", [5], [0, 0, -65504, 0, float("-inf")], "<f2")
        self.expect(self.output_of("--mask", mask)[1], lambda b, i, j: j not in (2, 4))
        self.assertIn(b"is f16, converted to f32\n", self.run_tiny("--mask", mask).err)

    def test_a_float_mask_is_added(self):
        mask = write_npy(self.folder / "m.npy", [5], [0, 0, float("-inf"), 0, float("-inf")], "<f8")
        self.expect(self.output_of("--mask", mask)[1], lambda b, i, j: j not in (2, 4))

    def test_key_padding_and_lengths(self):
        live = lambda b, i, j: j < (4, 2)[b]  # noqa: E731
        padding = [True, True, True, True, False, True, True, False, False, False]
        padding_file = write_npy(self.folder / "p.npy", [2, 5], padding, "|b1")
        lengths_file = write_npy(self.folder / "n.npy", [2], [4, 2], "<i4")
        self.expect(self.output_of("--key-padding", padding_file, "--key-padding-meaning", "keep")[1], live)
        self.expect(self.output_of("--key-lengths", lengths_file)[1], live)
        for text in ("4,2", "4, 2", " 4 ,\t2 "):
            self.expect(self.output_of("--key-lengths", text)[1], live)
        for dtype in INTEGERS:
            write_npy(lengths_file, [2], [4, 2], dtype)
            self.expect(self.output_of("--key-lengths", lengths_file)[1], live)

    def test_rows_without_keys(self):
        self.expect(self.output_of("--key-lengths", "5,0")[1], lambda b, i, j: b == 0)
        output = self.output_of("--key-lengths", "5,0", "--rows-without-keys", "nan")[1]
        self.assertTrue(all(v != v for v in output[5 * WIDTH :]))
        mean = self.output_of("--key-lengths", "5,0", "--rows-without-keys", "mean")[1]
        self.assertEqual(mean[-WIDTH:], mean[5 * WIDTH : 6 * WIDTH])


class Running(CommandTest):
    def test_the_same_bits_for_any_thread_count_schedule_and_with_weights(self):
        plain = self.output_of("--threads", "1")
        for options in (["--threads", "2"], ["--schedule", "wide"], ["--schedule", "deep", "--threads", "2"]):
            self.assertEqual(self.output_of(*options), plain)
        self.assertEqual(self.output_of("--attention", self.folder / "w.npy"), plain)

    def test_every_isa_agrees_and_is_the_one_that_runs(self):
        expected = self.output_of("--isa", "reference")[1]
        for isa in self.ok("info", "--json").json()["isas"]:
            if not (isa["compiled"] and isa["present"]):
                continue
            self.assert_close(self.output_of("--isa", isa["name"])[1], expected)
            self.assertEqual(self.run_tiny("--isa", isa["name"], "--json").json()["isa"], isa["name"])
            forced = self.run_tiny("--json", environment={"HEADWISE_ISA": isa["name"]})
            self.assertEqual(forced.json()["isa"], isa["name"])

    def test_weights_are_rows_that_add_up_to_one(self):
        each, average = self.folder / "w.npy", self.folder / "a.npy"
        self.run_tiny("--attention", each, "--average-attention", average)
        shape, weights = read_npy(each)
        self.assertEqual(shape, [2, 4, 5, 5])
        sums = [sum(weights[i : i + 5]) for i in range(0, len(weights), 5)]
        self.assert_close(sums, [1.0] * len(sums))
        shape, means = read_npy(average)
        self.assertEqual(shape, [2, 5, 5])
        heads = [[weights[(b * 4 + h) * 25 + c] for h in range(4)] for b in range(2) for c in range(25)]
        self.assert_close(means, [sum(h) / 4 for h in heads])

    def test_other_float_types_are_converted(self):
        values = [v / 8 for v in range(-48, 48)]  # exact in f16
        answers = []
        for dtype in ("<f4", "<f8", "<f2"):
            self.query = write_npy(self.folder / "q.npy", [3, WIDTH], values, dtype)
            answers.append(self.output_of())
        self.assertEqual(answers[0][0], [3, WIDTH])
        self.assertEqual(answers[1:], [answers[0]] * 2)

    def test_integers_are_refused(self):
        query = write_npy(self.folder / "q.npy", [3, WIDTH], [1] * 96, "<i8")
        self.fails(2, ["q.npy", "i64", "f32"], "run", TINY_BERT, "--query", query)

    def test_the_report_for_people_names_what_matters(self):
        text = self.run_tiny("--output", self.folder / "y.npy", "--threads", "1", "--explain").out.decode()
        for word in ("[2, 5, 32]", "query.npy", "y.npy", "kernels", "schedule", "1 thread", "ms", "GF/s", "4 heads"):
            self.assertIn(word, text)

    def test_repeats(self):
        self.assertEqual(self.run_tiny("--json").json()["timed_calls"], 1)
        shown = self.ok("run", TINY_BERT, "--query", self.query, "--json").json()
        self.assertGreater(shown["timed_calls"], 1)
        self.assertGreater(shown["gigaflops_per_second"], 0)

    def test_wrong_shapes_name_both_sides(self):
        narrow = write_npy(self.folder / "narrow.npy", [2, 5, 31], wave(310))
        self.fails(2, ["31", "32"], "run", TINY_BERT, "--query", narrow)
        flat = write_npy(self.folder / "flat.npy", [32], wave(32))
        self.fails(2, ["[32]"], "run", TINY_BERT, "--query", flat)
        self.fails(2, ["32", "5 heads"], "run", TINY_BERT, "--query", self.query, "--heads", "5")


if __name__ == "__main__":
    unittest.main()
