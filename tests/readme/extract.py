"""Writes the C++ of README.md into two files: the first block is a program, the second a piece of one.

Usage: extract.py README.md PROGRAM.cpp SNIPPET.inc
"""
import re
import sys


def main():
    readme, program, snippet = sys.argv[1:]
    with open(readme, encoding="utf-8") as file:
        blocks = re.findall(r"^```cpp\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    if len(blocks) != 2:
        sys.exit(f"{readme} has {len(blocks)} C++ blocks; the tests know what to do with 2")
    for path, block in zip((program, snippet), blocks):
        with open(path, "w", encoding="utf-8") as file:
            file.write(block)


main()
