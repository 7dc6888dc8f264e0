"""headwise embed: texts that come one by one, calls and folders that are wrong."""

import json
import os
import shutil
import subprocess
import unittest

from command import TIMEOUT, TINY_ENCODER, TOOL
from sentences import CLS, SENTENCE_CONFIGS, SEP, WORDS, EmbedTest


class EmbedCalls(EmbedTest):
    def test_who_writes_a_line_and_waits_gets_its_embedding(self):
        command = [TOOL, "embed", str(self.model), "--quiet"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for text, ids in (("a b", [5, 6]), ("c", [7])):
                process.stdin.write(text.encode() + b"\n")
                process.stdin.flush()
                self.check(
                    [json.loads(process.stdout.readline())["embedding"]], [self.bert.embedding([CLS, *ids, SEP])]
                )
            process.stdin.close()
            self.assertEqual(process.wait(TIMEOUT), 0)

    def test_wrong_calls_say_what_to_do(self):
        self.fails(1, ["no such folder"], "embed", self.folder / "absent", "--text", "a")
        self.fails(1, ["absent.txt", "cannot open"], "embed", self.model, "--file", self.folder / "absent.txt")
        self.fails(2, ["--text", "--file"], "embed", self.model, "--text", "a", "--file", self.texts_file(["a"]))
        self.fails(
            2, ["--with-text"], "embed", self.model, "--text", "a", "--with-text", "--output", self.folder / "e.npy"
        )
        lines = self.texts_file(["a"])
        self.fails(2, ["--file", "same file"], "embed", self.model, "--file", lines, "--output", lines)
        for path in [*self.model.iterdir(), *(self.model / name for name in SENTENCE_CONFIGS)]:
            call = ["embed", self.model, "--file", lines, "--output", path]
            self.fails(2, ["the model's " + path.name, "same file"], *call)
        self.fails(2, ["--pooling", "mean|cls|max"], "embed", self.model, "--text", "a", "--pooling", "sum")
        self.fails(1, ["directory"], "embed", self.model, "--file", self.folder, "--quiet")
        (self.model / "vocab.txt").write_text("".join(word + "\n" for word in [*WORDS, "more"]))
        self.fails(1, ["31", "30", "not of one model"], "embed", self.model, "--text", "a")
        (self.model / "vocab.txt").unlink()
        self.fails(1, ["vocab.txt"], "embed", self.model, "--text", "a")

    def test_limits_of_the_command_line_that_leave_no_room(self):
        for call in (["embed", self.model, "--text", "a"], ["similar", self.model, "a", "b"]):
            self.fails(2, ["--max-length 13", "12 tokens"], *call, "--max-length", "13")
            for length in "12":
                self.fails(2, [f"--max-length {length}", "no room", "2 special tokens"], *call, "--max-length", length)

    def test_limits_of_the_folder_that_leave_no_room_name_its_file(self):
        calls = (["embed", self.model, "--text", "a"], ["similar", self.model, "a", "b"])
        for name in ("tokenizer_config.json", *reversed(SENTENCE_CONFIGS)):
            key = "model_max_length" if name == "tokenizer_config.json" else "max_seq_length"
            for length in (1, 2):
                self.says(name, **{key: length})
                for call in calls:
                    words = [f"/{name}': a limit of {length} token", "no room", "2 special tokens; --max-length sets"]
                    self.assertNotIn("--max-length 2", self.fails(1, words, *call))
                    self.ok(*call, "--max-length", "3")
            self.says(name, **{key: 3})
            for call in calls:
                self.ok(*call)

    def test_a_model_that_takes_no_more_than_special_tokens(self):
        self.cut_positions(2)
        self.says("sentence_bert_config.json", max_seq_length=9)
        for call in (["embed", self.model, "--text", "a"], ["similar", self.model, "a", "b"]):
            message = self.fails(1, ["/config.json': a limit of 2 tokens leaves no room"], *call)
            self.assertNotIn("--max-length", message)
            self.fails(2, ["--max-length 3", "2 tokens"], *call, "--max-length", "3")

    def test_folders_that_are_no_models(self):
        """The same words of every command, and no advice about the disk where that does not help."""
        broken, settings, words = (self.folder / name for name in ("broken", "settings", "words"))
        for folder in (broken, settings, words):
            shutil.copytree(TINY_ENCODER, folder)
        (broken / "config.json").write_text('{"a":')
        (settings / "config.json").unlink()
        (words / "vocab.txt").unlink()
        os.mkfifo(self.folder / "pipe")
        page = self.folder / "p.html"
        for model, expected in (
            (self.folder / "absent", ["no such folder", "config.json, model.safetensors, and tokenizer.json or vocab"]),
            (self.model / "model.safetensors", ["no folder; give the folder of a model, with config.json"]),
            (self.model / "config.json", ["no folder; give the folder"]),
            (self.folder / "pipe", ["no folder; give the folder"]),
            (broken, ["config.json", "not valid JSON"]),
            (settings, ["no config.json", "beside the weights"]),
            (words, ["no tokenizer.json and no vocab.txt; give"]),
        ):
            text = [model, "--text", "a"]
            calls = (["embed", *text], ["similar", model, "a", "b"], ["view", *text, "-o", page])
            messages = {self.fails(1, expected, *call) for call in calls}
            self.assertEqual(len(messages), 1, messages)
            self.assertNotIn("space left", messages.pop())
        self.fails(2, ["name of a .npy file"], "embed", self.model, "--text", "a", "--output", self.folder)

    def test_links_to_nowhere_are_not_passed_over(self):
        for name in ("tokenizer.json", "tokenizer_config.json", "modules.json", *SENTENCE_CONFIGS):
            for target in ("nowhere", name):
                with self.subTest(name=name, target=target):
                    (self.model / name).symlink_to(target)
                    self.fails(1, [name], "embed", self.model, "--text", "a")
                    (self.model / name).unlink()


if __name__ == "__main__":
    unittest.main()
