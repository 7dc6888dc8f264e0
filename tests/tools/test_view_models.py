"""headwise view of texts: the heads of a model of the BERT family."""

import json
import os
import shutil
import unittest
import zipfile

from command import TEXT_MODEL, CommandTest, read_npy, spoil_words
from view_pages import blocks


class ViewOfModels(CommandTest):
    """A tiny model with random weights; the page of a real one is looked at in tests/view."""

    def setUp(self):
        super().setUp()
        self.page = self.folder / "page.html"

    def view(self, *arguments):
        self.ok("view", TEXT_MODEL, *arguments, "-o", self.page, "--export", self.folder / "w.npz")
        with zipfile.ZipFile(self.folder / "w.npz") as archive:
            archive.extractall(self.folder)
        return blocks(self.page.read_text())

    def test_text_and_pair(self):
        data, codes = self.view("--text", "the bank", "--pair", "money")
        self.assertEqual((data["text"], data["pair"], len(codes)), ("the bank", "money", 6))
        self.assertEqual(data["tokens"][0], "[CLS]")
        self.assertEqual((data["segments"][0], data["segments"][-1], set(data["segments"])), (0, 0, {0, 1, 2}))

    def test_rows_add_up_and_contributions_are_there(self):
        data, _ = self.view("--text", "the bank was")
        shape, weights = read_npy(self.folder / "attention.npy")
        count = len(data["tokens"])
        self.assertEqual(shape, [2, 3, count, count])
        for row in range(0, len(weights), count):
            self.assertAlmostEqual(sum(weights[row : row + count]), 1, places=5)
        shape, norms = read_npy(self.folder / "contribution.npy")
        self.assertEqual(shape, [2, 3, count])
        self.assertTrue(all(norm > 0 for norm in norms))

    def test_chosen_layers_are_those_of_all(self):
        self.view("--text", "the bank")
        whole = read_npy(self.folder / "attention.npy")[1]
        data, _ = self.view("--text", "the bank", "--layers", "1")
        self.assertEqual(data["layers"], [1])
        self.assertEqual(read_npy(self.folder / "attention.npy")[1], whole[len(whole) // 2 :])

    def test_a_text_that_is_too_long_is_cut_and_the_page_says_so(self):
        result = self.ok("view", TEXT_MODEL, "--text", "the " * 100, "-o", self.page)
        self.assertIn(b"cut to 12", result.err)
        data, _ = blocks(self.page.read_text())
        self.assertEqual(len(data["tokens"]), 12)
        self.assertIn("cut to 12", data["notes"][0])

    def test_a_limit_without_room_for_a_text_is_that_of_a_file(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        commands = (["view", model, "-o", self.page], ["ask-heads", model, "--from", "the", "--to", "the"])
        for texts, special in ((["--text", "the"], 2), (["--text", "the", "--pair", ""], 3)):
            for command in commands:
                for length in range(1, special + 1):
                    (model / "tokenizer_config.json").write_text(json.dumps({"model_max_length": length}))
                    words = [f"/tokenizer_config.json': a limit of {length} token", f"{special} special tokens"]
                    message = self.fails(1, words, *command, *texts)
                    self.assertNotIn("max_length", message)
                    self.assertNotIn("inspect", message)
                (model / "tokenizer_config.json").write_text(json.dumps({"model_max_length": special + 1}))
                self.ok(*command, *texts)

    def test_no_file_of_the_model_is_written_over(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        (model / "1_Pooling").mkdir()
        (model / "1_Pooling" / "config.json").write_text("{}")
        (self.folder / "symbolic").symlink_to(model / "vocab.txt")
        os.link(model / "config.json", self.folder / "hard")
        before = {path: path.read_bytes() for path in model.rglob("*") if path.is_file()}
        targets = [*before, self.folder / "symbolic", self.folder / "hard"]
        for option in ("-o", "--export", "--bertviz"):
            for target in targets:
                call = ["view", model, "--text", "the bank", option, target]
                self.fails(2, ["the model's ", "name the same file"], *call)
        self.assertEqual({path: path.read_bytes() for path in before}, before)
        self.ok("view", model, "--text", "the bank", "-o", model / "heads.html", "--export", model / "heads.npz")
        self.ok("view", model, "--text", "the bank", "-o", model / "heads.html", "--export", model / "heads.npz")

    def test_tokenizer_and_model_must_fit(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        with open(model / "vocab.txt", "a") as words:
            words.write("more\nand\nmore2\n" + "\n".join(f"w{i}" for i in range(60)) + "\n")
        for call in (["view", model, "-o", self.page], ["ask-heads", model, "--from", "the", "--to", "bank"]):
            self.fails(1, ["tokens, the model 30", "not of one model"], *call, "--text", "the bank")

    def test_a_model_with_values_that_are_no_numbers(self):
        model = self.folder / "model"
        shutil.copytree(TEXT_MODEL, model)
        spoil_words(model)
        shown = self.ok("view", model, "--text", "the bank", "-o", self.page, "--json")
        notes = ["the weights hold 96 NaN and 0", "the norms of what heads add hold 24 NaN and 0 infinite"]
        self.assertEqual(len(shown.json()["notes"]), 2)
        for note, inside in zip(notes, blocks(self.page.read_text())[0]["notes"], strict=True):
            self.assertIn(note, inside)
            self.assertIn(note, shown.err.decode())

    def test_an_empty_text(self):
        data, _ = self.view("--text", "")
        self.assertEqual(data["tokens"], ["[CLS]", "[SEP]"])

    def test_hostile_texts(self):
        data, _ = self.view("--text", "</script><b>\x01\x7f\u202e ", "--pair", b"\xff\xfe")
        self.assertEqual((data["text"], data["pair"]), ("</script><b>\x01\x7f\u202e ", "\\xFF\\xFE"))

    def test_ask_heads_looks_at_the_same_weights(self):
        text = ["--text", "the bank was full", "--pair", "of money"]
        archive = self.folder / "w.json"
        self.ok("view", TEXT_MODEL, *text, "--bertviz", archive)
        shown = self.ok(
            "ask-heads", TEXT_MODEL, *text, "--from", "bank", "--to", "money", "--top", "0", "--json"
        ).json()
        self.assertEqual(len(shown["heads"]), 6)
        weights = json.loads(archive.read_text())["attention"]
        for answer in shown["heads"]:
            rows = weights[answer["layer"]][0][answer["head"]]
            source, target = shown["from"]["positions"], shown["to"]["positions"]
            mean = sum(rows[q][k] for q in source for k in target) / len(source)
            self.assertAlmostEqual(answer["forward"], mean, places=7)


if __name__ == "__main__":
    unittest.main()
