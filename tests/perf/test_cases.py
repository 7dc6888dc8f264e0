"""Which rows there are and how they are chosen."""

import unittest

from compared import cases, core, layer


class Cases(unittest.TestCase):
    def test_names_are_unique(self):
        names = [case.name for case in cases.all_cases()]
        self.assertEqual(len(names), len(set(names)))

    def test_flops_are_those_of_the_dense_work(self):
        self.assertEqual(layer(1, 128, 384, 12).flops, 8 * 128 * 384**2 + 4 * 128**2 * 384)
        self.assertEqual(core(2, 16, 64, 4).flops, 4 * 2 * 16 * 16 * 64)
        encoder = next(case for case in cases.encoders() if case.name == "encoder 32,128")
        rows = 32 * 128
        self.assertEqual(encoder.flops, 6 * (8 * rows * 384**2 + 2 * 2 * rows * 384 * 1536 + 4 * rows * 128 * 384))

    def test_the_cache_of_a_decoding_step_is_keys_and_values(self):
        case = cases.decode("L3", 2, 100, 3, 64)
        self.assertTrue(case.decodes)
        self.assertEqual(case.cache_bytes, 2 * 4 * 2 * 100 * 3 * 64)

    def test_variants_of_a_shape_share_a_block(self):
        by_block = {block[0].block: [case.name for case in block] for block in cases.blocks(cases.all_cases())}
        self.assertIn("core 1,2048,1024,16 causal", by_block["core 1,2048,1024,16"])
        self.assertIn("core 1,2048,1024,16", by_block["core 1,2048,1024,16"])
        self.assertIn("core 1,2048,1024,16 avx2", by_block["core 1,2048,1024,16"])

    def test_selection_by_words_threads_and_peers(self):
        chosen = cases.select(False, ["layer 1,128"], [1], ["torch"])
        self.assertEqual([case.name for case in chosen], ["layer 1,128,384,12", "layer 1,128,768,12"])
        self.assertTrue(all(case.threads == (1,) and case.engines == ("headwise", "torch") for case in chosen))
        self.assertEqual(cases.select(False, ["nothing"], [1], []), [])
        self.assertEqual([c.threads for c in cases.select(False, ["layer 2,10"], [2], [])], [(2,)])

    def test_any_thread_count_can_be_asked_for(self):
        self.assertEqual([c.threads for c in cases.select(False, ["layer 2,10"], [1, 4], [])], [(1, 4)])
        self.assertEqual({c.threads for c in cases.select(False, ["load"], [1, 4], [])}, {(1,)})

    def test_quick_is_a_part_of_all(self):
        quick = {case.name for case in cases.select(True, [], [1, 2], list(cases.PEERS))}
        self.assertLess(quick, {case.name for case in cases.all_cases()})
        self.assertIn("layer 2,10,64,8", quick)


if __name__ == "__main__":
    unittest.main()
