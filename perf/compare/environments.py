"""Environments of the peers, one each below build/peers, with what its requirements file pins."""

import subprocess
import sys
from pathlib import Path

PEER_SOURCES = Path(__file__).parent / "peers"
BUILD = Path(__file__).parents[2] / "build"
PEERS = BUILD / "peers"
DRIVER = "driver"  # the environment of compare.py itself: NumPy for data and oracle, onnx for models


class Missing(Exception):
    """Why a peer cannot take part on this machine."""


def say(text: str) -> None:
    print(f"compare: {text}", file=sys.stderr, flush=True)


def python_of(name: str) -> Path:
    return PEERS / name / "bin" / "python"


def run(command: list[str], doing: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        lines = (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()
        raise Missing(f"{doing}: {lines[-1]}")


def install(name: str) -> Path:
    """The Python of an environment. The stamp is written last, so a broken installation is done again."""
    wanted = PEER_SOURCES / f"{name}.txt"
    stamp = PEERS / name / "installed.txt"
    if stamp.exists() and stamp.read_text() == wanted.read_text():
        return python_of(name)
    say(f"installing {name} into build/peers/{name}, once")
    PEERS.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-m", "venv", "--clear", str(PEERS / name)], "no virtual environment (is python3-venv there?)")
    pip = [str(python_of(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--requirement", str(wanted)], "cannot be installed")
    stamp.write_text(wanted.read_text())
    return python_of(name)
