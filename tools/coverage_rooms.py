#!/usr/bin/env python3
"""Line coverage of each room of engine/ from a JSON report of gcovr.

Usage: coverage_rooms.py REPORT LIMIT ROOM...

Prints each room's share, then the lines of the rooms named that no test reaches. Exits with 1 when one of these is
below LIMIT percent or has no lines at all.
"""

import collections
import json
import pathlib
import sys


def read_rooms(report):
    """Room -> file -> (lines that ran, lines that did not)."""
    rooms = collections.defaultdict(dict)
    for entry in json.loads(pathlib.Path(report).read_text())["files"]:
        parts = pathlib.PurePath(entry["file"]).parts
        counted = [line for line in entry["lines"] if not line.get("gcovr/noncode")]
        ran = [line["line_number"] for line in counted if line["count"] > 0]
        missed = [line["line_number"] for line in counted if line["count"] == 0]
        rooms["/".join(parts[:2])]["/".join(parts)] = (ran, missed)
    return rooms


def percent_of(files):
    ran = sum(len(lines[0]) for lines in files.values())
    all_lines = ran + sum(len(lines[1]) for lines in files.values())
    return (100 * ran / all_lines if all_lines else 0), all_lines


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    rooms, limit = read_rooms(sys.argv[1]), float(sys.argv[2])
    for room in sorted(rooms):
        percent, lines = percent_of(rooms[room])
        print(f"{room}: {percent:.1f} % of {lines} lines")
    failed = False
    for room in sys.argv[3:]:
        for file, (_, missed) in sorted(rooms[room].items()):
            if missed:
                print(f"not reached: {file}: {', '.join(map(str, missed))}")
        percent, _ = percent_of(rooms[room])
        if percent < limit:
            print(f"coverage: {room} has {percent:.1f} %, the limit is {limit:g} %", file=sys.stderr)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
