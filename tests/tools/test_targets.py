"""No file that a call may write takes the place of one that belongs to the model, whatever names it."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from command import TEXT_MODEL, TINY_BERT, TOOL, CommandTest, every_command, read_npy, run, write_npy

SETTINGS = ("config.json", "tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json",
            "added_tokens.json", "modules.json")  # fmt: skip
SIZES = ("--shapes", "1x8", "--min-time", "0.001", "--rounds", "1")


class Targets(CommandTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        shutil.copytree(TINY_BERT.parent, self.model)
        for name in SETTINGS:
            if not (self.model / name).exists():
                (self.model / name).write_text("{}")
        self.weights = self.model / "model.safetensors"

    def make_shards(self):
        """The weights of the model as two shards and an index."""
        shard = self.weights.rename(self.model / "model-1.safetensors")
        shutil.copy(shard, self.model / "model-2.safetensors")
        data = shard.read_bytes()
        names = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        names.pop("__metadata__", None)
        index = self.model / "model.safetensors.index.json"
        index.write_text(json.dumps({"weight_map": dict.fromkeys(names, shard.name)}))
        return index

    def writers(self, source):
        """Every option of a command on a layer of `source` that names a file to write, without that name."""
        run = ["run", source, "--query", self.query, "--repeat", "1"]
        profile = ["profile", source, "--query", self.query, "--repeat", "1"]
        page = [*run, "--attention", self.folder / "w.npy", "--view"]
        return {
            **{f"run {option}": [*run, option] for option in ("--output", "--attention", "--column-sums")},
            "run --view": page,
            "profile --html": [*profile, "--html"],
            "profile --trace": [*profile, "--no-limits", "--trace"],
        }

    def unchanged(self, words, files, writers):
        before = {path: path.read_bytes() for path in self.model.iterdir()}
        for name, call in writers.items():
            for target in files:
                with self.subTest(call=name, target=target):
                    self.fails(2, [*words, "same file", "another name"], *call, target)
        self.assertEqual({path: path.read_bytes() for path in self.model.iterdir()}, before)

    def test_settings_beside_a_weight_file(self):
        files = [self.model / name for name in SETTINGS]
        for name, source in zip(("symbolic", "hard"), files):
            (os.link if name == "hard" else os.symlink)(source, self.folder / name)
            files.append(self.folder / name)
        self.unchanged(["the model's "], files, self.writers(self.weights))
        inside = [str(target.relative_to(self.model)) for target in files[: len(SETTINGS)]]
        for target in inside:  # a name without a folder
            call = ["run", self.weights.name, "--query", self.query, "--output", target]
            self.fails(2, ["the model's " + target], *call, cwd=self.model)

    def test_shards_and_their_index(self):
        index = self.make_shards()
        files = [*self.model.glob("model-*"), index, self.model / "config.json"]
        for source in (self.model, index, files[0]):
            targets = [file for file in files if file != source]
            self.unchanged(["the model's "], targets, self.writers(source))
        self.unchanged(["FILE"], [index], self.writers(index))

    def test_names_that_a_model_would_be_read_by(self):
        absent = [self.model / name for name in ("modules.json", "model.safetensors.index.json")]
        for target in absent:
            target.unlink(missing_ok=True)
        for source in (self.model, self.weights):
            self.unchanged(["the model's "], absent, self.writers(source))

    def test_a_second_form_of_the_weights_beside_an_index(self):
        index = self.make_shards()
        target = self.weights  # which is not there
        for source in (self.model, index, self.model / "model-1.safetensors"):
            self.unchanged(["the model's model.safetensors"], [target], self.writers(source))
            self.unchanged(["the model's model.safetensors"], [target], {"convert": ["convert", source]})
        self.assertFalse(target.exists())

    def test_convert_of_a_shard_beside_the_others(self):
        self.make_shards()
        call = ["convert", self.model / "model-1.safetensors", "--force"]
        self.unchanged(["the model's model-2"], [self.model / "model-2.safetensors"], {"convert": call})

    def test_standard_output_by_its_other_name(self):
        for name, call in self.writers(self.weights).items():
            with self.subTest(name):
                self.fails(2, ["/dev/stdout", "give -"], *call, "/dev/stdout")

    def test_bench(self):
        call = ["bench", self.weights, *SIZES, "-o"]
        files = [path for path in self.model.iterdir() if path.suffix == ".json"]
        self.unchanged(["the model's ", "--output"], files, {"bench": call})

    def test_convert(self):
        hidden = self.folder / "out.safetensors"  # its name is one that convert takes
        for source in (self.weights, self.model):
            for target in SETTINGS:
                hidden.unlink(missing_ok=True)
                hidden.symlink_to(self.model / target)
                self.unchanged(["the model's ", "OUT"], [hidden], {"convert": ["convert", source, "--force"]})
        index = self.make_shards()
        for source in (self.model, index):
            shard = self.model / "model-1.safetensors"
            self.fails(2, ["a file of the model", "another name"], "convert", source, shard, "--force")

    def test_the_map_of_names(self):
        names = self.model / "map.json"
        names.write_text("{}")
        writers = {name: [call[0], call[1], "--map", names, *call[2:]] for name, call in self.writers(self.weights).items()}
        self.unchanged(["--map"], [names], writers)

    def test_other_names_in_the_folder(self):
        for _ in range(2):  # the second replaces the first
            self.ok("run", self.weights, "--query", self.query, "--repeat", "1", "--output", self.model / "y.npy")
            self.ok("convert", self.weights, self.model / "other.safetensors", "--force")
            self.ok("convert", self.model, self.model / "other.safetensors", "--force")
        self.assertEqual(read_npy(self.model / "y.npy")[0], [2, 5, 32])

    def test_texts(self):
        model = self.folder / "texts"
        shutil.copytree(TEXT_MODEL, model)
        before = {path: path.read_bytes() for path in model.iterdir()}
        text = [model, "--text", "the bank"]
        for target in before:
            for call in (["embed", *text, "--output"], ["view", *text, "-o"], ["view", *text, "--export"]):
                self.fails(2, ["the model's " + target.name, "another name"], *call, target)
        self.assertEqual({path: path.read_bytes() for path in model.iterdir()}, before)

    def test_texts_of_shards(self):
        model = self.folder / "texts"
        shutil.copytree(TEXT_MODEL, model)
        weights = model / "model.safetensors"
        weights.rename(model / "model-1.safetensors")
        (model / "model.safetensors.index.json").write_text('{"weight_map": {}}')
        text = [model, "--text", "the bank"]
        for call in (["embed", *text, "--output"], ["view", *text, "-o"], ["view", *text, "--export"],
                     ["view", *text, "--bertviz"]):
            self.fails(2, ["the model's model.safetensors", "another name"], *call, weights)
        self.assertFalse(weights.exists())


ARRAYS = ("--output", "--attention", "--average-attention", "--scores", "--log-sum-exp", "--column-sums", "--top-weights",
          "--top-keys", "--head-context", "--head-contribution")
# What each command writes. Results of profile are not kept, explain writes nothing.
WRITES = {
    "run": (*ARRAYS, "--view"),
    "profile": ("--html", "--trace"),
    "convert": ("OUT",),
    "bench": ("--output",),
    "embed": ("--output",),
    "view": ("--output", "--export", "--bertviz"),
}
ONLY_NAMES = {"profile": ARRAYS, "explain": ARRAYS}
# What an option of a pair cannot be without.
NEEDS = {
    "--top-weights": ("--top", "1"),
    "--top-keys": ("--top", "1"),
    "--attention-heads": ("--attention", "w.npy"),
    "--attention-queries": ("--attention", "w.npy"),
    "--tokens": ("--view", "page.html"),
    "--view": ("--attention", "w.npy"),
    "--value": ("--key", "other.npy"),
    "--key-documents": ("--query-documents", "other.npy"),
    "--cumulative-key-lengths": ("--cumulative-query-lengths", "0,1"),
    "--key-position-ids": ("--position-ids", "other.npy"),
    "--key-padding": ("--key-padding-meaning", "keep"),
}
APART = {("--attention-heads", "--view"), ("--attention-queries", "--view")}  # which exclude each other
ENDINGS = {"convert": ".safetensors", "bench": ".json", "view": ".html", "profile": ".json"}


class EveryPair(CommandTest):
    """Every option of a command that names a file to read, against every one that names a file to write."""

    def setUp(self):
        super().setUp()
        self.pages = {command: run(command, "--help").out.decode() for command in every_command("")}

    def files(self, command):
        """What the help of a command calls a file: options, FILE and OUT."""
        options = re.findall(r"^  (?:-o,)?(--[a-z-]+) FILE", self.pages[command], re.MULTILINE)
        return {*options, *re.findall(r"^  (FILE|OUT)\b", self.pages[command], re.MULTILINE)}

    def source(self, command, reads):
        """The words that say what a command works on, where that is not the file that it reads."""
        if command == "embed":
            return [TEXT_MODEL]
        if command == "view":
            arrays = {"--attention": [], "--tokens": ["--attention", "w.npy"]}
            return arrays.get(reads, [TEXT_MODEL, "--text", "the"])
        if command == "bench":
            return [] if reads in ("FILE", "--shape-file", "--compare", "--results") else [TINY_BERT]
        query = [] if command == "convert" or reads == "--query" else ["--query", self.query]
        return query if reads == "FILE" else [TINY_BERT, *query]

    def call(self, command, reads, writes, name):
        """A call that reads and writes one file, beside others where it needs them."""
        given = {reads: name, writes: name}
        for option in (reads, writes):
            while option in NEEDS and f"  {NEEDS[option][0]} " in self.pages[command]:
                given.setdefault(*NEEDS[option])
                option = NEEDS[option][0]
        places = [given.pop("FILE", None)] + self.source(command, reads) + [given.pop("OUT", None)]
        words = [word for pair in given.items() for word in pair]
        return [command, *(place for place in places if place), *words]

    def test_none_takes_the_place_of_what_is_read(self):
        for command, outputs in WRITES.items():
            target = self.folder / ("same" + ENDINGS.get(command, ".npy"))
            target.write_text("1x8x32x4\n")
            inputs = self.files(command) - {*outputs, *ONLY_NAMES.get(command, ())}
            self.assertTrue(inputs, command)
            for reads in inputs:
                for writes in outputs:
                    with self.subTest(command, reads=reads, writes=writes):
                        words = ["leave out"] if (reads, writes) in APART else [reads, writes, "same file", "another name"]
                        self.fails(2, words, *self.call(command, reads, writes, target), cwd=self.folder)
            self.assertEqual(target.read_text(), "1x8x32x4\n")

    def test_nor_of_what_else_is_written(self):
        for command, outputs in WRITES.items():
            target = self.folder / ("same" + ENDINGS.get(command, ".npy"))
            for first in outputs:
                for second in outputs:
                    if first != second:
                        with self.subTest(command, first=first, second=second):
                            self.fails(2, ["same file"], *self.call(command, first, second, target), cwd=self.folder)
            self.assertFalse(target.exists())

    def test_no_command_is_left_out(self):
        written = {*WRITES, "explain"}
        for command in every_command(""):
            names = {name for name in self.files(command) if name in (*ARRAYS, "--view", "--export", "--html", "OUT")}
            if command in ("view", "ask-heads"):
                names.discard("--attention")  # which these two read
            self.assertEqual(bool(names), command in written, command)


class Unnamed(CommandTest):
    """A text file has no name until it is whole, so a command that is killed leaves nothing."""

    def open_file(self, process):
        """The file of the folder that the process writes: a name, or "/#number (deleted)" and the like; None yet."""
        with contextlib.suppress(OSError):
            for descriptor in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
                target = os.readlink(descriptor)
                if target.startswith(f"{self.folder.resolve()}/") and not target.endswith(".npy"):
                    return target
        return None

    def test_a_page_gets_its_name_when_it_is_whole(self):
        attention = write_npy(self.folder / "w.npy", [16, 512, 512], [1 / 512] * (16 * 512 * 512))
        page = self.folder / "page.html"
        page.write_bytes(b"old")
        command = [TOOL, "view", "--attention", attention, "-o", page]
        seen = set()
        while not seen:  # a page may be written between two looks
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and not seen:
                    seen |= {self.open_file(process)} - {None}
            self.assertEqual(process.returncode, 0)
        self.assertIn("(deleted)", seen.pop())
        self.assertGreater(page.stat().st_size, 1_000_000)
        self.assertEqual({path.suffix for path in self.folder.iterdir()}, {".npy", ".html"})


if __name__ == "__main__":
    unittest.main()
