"""Holds `headwise view --bertviz` against BertViz: README.md's lines run on what the command writes, and both views
show the weights and the numbers of layers of --export.

Usage: bertviz_views.py COMMAND WORK_FOLDER MODEL_FOLDER...
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import bertviz
import numpy as np

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = ["--text", "The bank was full of money."]
CALLS = {"a text": TEXT, "a pair": [*TEXT, "--pair", "It was deep."], "a layer": [*TEXT, "--layers", "1"]}


def documented_lines():
    (block,) = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return block


def arguments():
    """What the lines leave in `view`; the picture that they make goes nowhere."""
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(documented_lines(), names)
    return names["view"]


def drawn(html):
    """The parameters in the script of a view."""
    start = html.data.index("const params = ") + len("const params = ")
    return json.JSONDecoder().raw_decode(html.data, start)[0]


def differences(found, exported, is_pair):
    wanted = exported["attention"]
    shown = found["attention"]
    yield from [] if found["include_layers"] == exported["layers"].tolist() else ["numbers of layers"]
    yield from [] if np.array_equal(np.array(shown[0]["attn"], np.float32), wanted) else ["weights"]
    if not is_pair:
        yield from [] if len(shown) == 1 else ["sentences"]
        return
    second = exported["segments"].tolist().index(2)
    parts = [wanted, *(wanted[..., rows, keys] for rows, keys in (
        (slice(second), slice(second)), (slice(second, None), slice(second, None)),
        (slice(second), slice(second, None)), (slice(second, None), slice(second))))]  # fmt: skip
    for part, view in zip(parts, shown, strict=True):
        yield from [] if np.array_equal(np.array(view["attn"], np.float32), part) else [view["name"]]


def check(command, model, name, call):
    subprocess.run([command, "view", model, *call, "--bertviz", "w.json", "--export", "w.npz", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    exported, views = np.load("w.npz"), arguments()
    failures = 0
    for view in (bertviz.head_view, bertviz.model_view):
        found = drawn(view(**views, html_action="return"))
        wrong = list(differences(found, exported, "--pair" in call))
        if found.get("total_heads", exported["attention"].shape[1]) != exported["attention"].shape[1]:
            wrong.append("number of heads")
        failures += bool(wrong)
        for what in wrong:
            print(f"{model.name}, {name}, {view.__name__}: other {what}")
    return failures


def main():
    command, work, *models = [Path(argument).resolve() for argument in sys.argv[1:]]
    work.mkdir(parents=True, exist_ok=True)
    os.chdir(work)
    failures = sum(check(command, model, *case) for model in models for case in CALLS.items())
    print(f"BertViz: {2 * len(models) * len(CALLS) - failures} views as exported, {failures} not")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
