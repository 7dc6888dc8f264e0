"""Writes the C++ blocks of a page into files, in their order.

Usage: extract.py PAGE.md FILE...
"""
import re
import sys


def main():
    page, *paths = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```cpp\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    if len(blocks) != len(paths):
        sys.exit(f"{page} has {len(blocks)} C++ blocks; the tests know what to do with {len(paths)}")
    for path, block in zip(paths, blocks):
        with open(path, "w", encoding="utf-8") as file:
            file.write(block)


main()
