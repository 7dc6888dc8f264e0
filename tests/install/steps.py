"""Steps that the tests of the installed library share. Standard library only; CMake says in the environment what to
use.
"""

import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ["HEADWISE_BUILD"])
CMAKE = os.environ["HEADWISE_CMAKE"]
COMPILERS = {"C": [os.environ["CC"], "-std=c11"], "CXX": [os.environ["CXX"], "-std=c++20"]}
CONSUMERS = {"C": HERE / "consumer.c", "CXX": HERE / "consumer.cpp"}
TIMEOUT = 1500


def run(*command, **options):
    """The standard output of a command that must succeed."""
    environment = dict(os.environ, **options.pop("environment", {}))
    completed = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT,
                               env=environment, **options)
    if completed.returncode != 0:
        raise AssertionError(f"{command} gave {completed.returncode}:\n{completed.stdout}{completed.stderr}")
    return completed.stdout


def compile_program(language, output, *rest):
    run(*COMPILERS[language], "-Wall", "-Wextra", "-Werror", "-o", output, *rest)
    return output


def configure(source, build, **variables):
    """Gives what CMake said."""
    settings = [f"-D{name}={value}" for name, value in variables.items()]
    return run(CMAKE, "-G", "Ninja", "-S", source, "-B", build, *settings)


def build(folder, *targets):
    run(CMAKE, "--build", folder, "--parallel", "2", *(["--target", *targets] if targets else []))


def needed(program):
    """The shared libraries that a program asks for."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", "--wide", program))


def result(*command, **environment):
    """The line that a consumer prints, once it is seen to have the right form."""
    line = run(*command, environment=environment).strip()
    if not re.fullmatch(r"headwise \d+\.\d+\.\d+ -?\d+\.\d+", line):
        raise AssertionError(f"{command} printed {line!r}")
    return line
