#!/usr/bin/env python3
"""Fails when a built library shows or needs what it must not, so that it can't clash with the program around it.

Usage: check_symbols.py LIBRARY...    (libheadwise.so, libheadwise.a)

Both: every visible symbol is a C function headwise_* or belongs to namespace headwise itself, none to a room of it or
to another library; no STB_GNU_UNIQUE; nothing of oneDNN or libzip is linked.
Shared: every symbol has the version HEADWISE_n; one OpenMP runtime; a soname; no search path of this machine.
Static: one object without groups, whose copies of inline functions the linker could exchange.
"""

import pathlib
import re
import subprocess
import sys

PUBLIC = re.compile(r"(vtable for |typeinfo for |typeinfo name for )?headwise::|headwise_\w+$")
ROOM = re.compile(r"headwise::([a-z_]\w*)::")  # classes begin with a capital
OPENMP = re.compile(r"lib(gomp|omp|iomp5)\.so")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library, *options):
    """(kind, name) of nm's lines, names as in the sources and with their version."""
    for line in output("nm", "--demangle", *options, str(library)).splitlines():
        match = re.match(r"[0-9a-f ]{16} (\w) (.+)", line)
        if match:
            yield match.groups()


def check_names(visible):
    for kind, name in visible:
        plain = name.split("@@")[0]
        if kind == "u":
            yield f"unique in the process: {name}"
        elif not PUBLIC.match(plain):
            yield f"visible, but not public: {name}"
        elif ROOM.search(plain):
            yield f"visible, but of the room {ROOM.search(plain)[1]}: {name}"


def check_needs(undefined):
    for _, name in undefined:
        if name.startswith(("dnnl_", "zip_", "headwise")):
            yield f"undefined: {name}"


def check_dynamic_section(library):
    section = output("readelf", "--dynamic", "--wide", str(library))
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", section)
    runtimes = [name for name in needed if OPENMP.match(name)]
    if len(runtimes) != 1:
        yield f"needs {len(runtimes)} OpenMP runtimes instead of one: {runtimes}"
    if not re.search(r"\(SONAME\).*\[libheadwise\.so\.\d+\]", section):
        yield "has no soname libheadwise.so.N"
    for word in ("RPATH", "RUNPATH", "TEXTREL"):
        if f"({word})" in section:
            yield f"has a {word}"


def check_shared(library):
    visible = [entry for entry in symbols(library, "--dynamic", "--defined-only") if entry[0] != "A"]
    yield from check_names(visible)
    for _, name in visible:
        if not re.search(r"@@HEADWISE_\d+$", name):
            yield f"has no version: {name}"
    yield from check_needs(symbols(library, "--dynamic", "--undefined-only"))
    yield from check_dynamic_section(library)


def check_static(library):
    members = output("ar", "t", str(library)).split()
    if len(members) != 1:
        yield f"has {len(members)} objects instead of one"
    yield from check_names(symbols(library, "--extern-only", "--defined-only"))
    yield from check_needs(symbols(library, "--undefined-only"))
    if "COMDAT group" in output("readelf", "--section-groups", "--wide", str(library)):
        yield "has section groups"


def check(library):
    """What is wrong with a library, one text each."""
    return list(check_static(library) if pathlib.Path(library).suffix == ".a" else check_shared(library))


def main(arguments):
    if not arguments or "--help" in arguments:
        print(__doc__.strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    problems = [f"{library}: {problem}" for library in arguments for problem in check(library)]
    print("\n".join(problems or [f"{len(arguments)} libraries show their public symbols only"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
