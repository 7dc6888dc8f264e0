"""Programs that export functions under the names that headwise and the libraries it loads use inside: the fakes must
never be called.

A host may carry another oneDNN or libzip, or other versions of the libraries whose inline functions are compiled into
headwise. The fakes have the names of all functions of both and of all visible symbols of our objects, and end the
process.
"""

import io
import itertools
import os
import pathlib
import re
import struct
import tempfile
import unittest
import zipfile

from steps import BUILD, CONSUMERS, HERE, ROOT, compile_program, result, run

SHARED, STATIC = BUILD / "libheadwise.so", BUILD / "libheadwise.a"
SYSTEM = ("-lgomp", "-lpthread", "-ldl", "-lstdc++", "-lm")
FAKE = """
void fake_{index}(void) __asm__("{name}");
void fake_{index}(void) {{ called("{name}"); }}
"""
HEAD = """
#include <stdio.h>
#include <stdlib.h>
static void called(const char* name) {
  fprintf(stderr, "the fake %s was called\\n", name);
  abort();
}
"""


def defined(path, *options):
    lines = run("nm", "--defined-only", "--extern-only", *options, path).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if re.match(r"[0-9a-f]{16} ", line)}


def loaded_library(name):
    """The path of a library that headwise loads by name."""
    text = re.search(rf"[\w/.-]*{name}\.so[.\d]*".encode(), SHARED.read_bytes())[0].decode()
    if text.startswith("/"):
        return text
    return re.search(rf"{re.escape(text)} .*=> (/\S+)", run("/sbin/ldconfig", "-p"))[1]


def clashing_names():
    libraries = {prefix: loaded_library(name) for prefix, name in (("dnnl_", "libdnnl"), ("zip_", "libzip"))}
    theirs = {name for prefix, path in libraries.items() for name in defined(path, "--dynamic")
              if name.startswith(prefix)}
    needed = set().union(*(re.findall(r"=> (/\S+)", run("ldd", path)) for path in libraries.values()))
    of_the_system = set().union(*(defined(path, "--dynamic") for path in needed))
    ours = defined(BUILD / "libheadwise_rooms.a") - defined(SHARED, "--dynamic") - of_the_system
    names = sorted(theirs | ours)
    for part in ("dnnl_version", "dnnl_primitive_execute", "zip_close", "8nlohmann", "8headwise7kernels", "St6vector"):
        assert any(part in name for name in names), f"no fake for {part}"
    return names


def write_archive(path):
    """An .npz with the array x, two floats."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<2f", 1, 2)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", array)


class Clash(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.archive = cls.folder / "array.npz"
        write_archive(cls.archive)
        text = io.StringIO(HEAD)
        text.seek(0, io.SEEK_END)
        text.writelines(FAKE.format(index=index, name=name) for index, name in enumerate(clashing_names()))
        fakes = cls.folder / "fakes.c"
        fakes.write_text(text.getvalue(), encoding="ascii")
        cls.fakes = cls.folder / "fakes.o"
        run(os.environ["CC"], "-fPIC", "-c", fakes, "-o", cls.fakes)
        cls.host = cls.compile("host", "-rdynamic", HERE / "clash_host.c", cls.fakes, "-ldl")
        cls.expected = float(result(cls.compile("alone", CONSUMERS["C"], STATIC, *SYSTEM)).split()[2])

    @classmethod
    def compile(cls, name, *rest):
        return compile_program("C", cls.folder / name, f"-I{ROOT / 'include'}", *rest)

    def plugin(self, name, *libraries):
        sources = (HERE / "clash_plugin.c", CONSUMERS["C"])
        return self.compile(name, "-shared", "-fPIC", "-Dmain=consumer_main", *sources, *libraries)

    def check(self, *command):
        """With kernels that multiply and with the reference, for which oneDNN does."""
        for isa in ("auto", "reference"):
            printed = result(*command, HEADWISE_ISA=isa, LD_LIBRARY_PATH=str(BUILD))
            self.assertAlmostEqual(float(printed.split()[2]), self.expected, 5)

    def check_plugin(self, plugin, scope):
        self.check(self.host, plugin, scope, self.archive)

    def test_plugins(self):
        plugins = (self.plugin("shared.so", SHARED), self.plugin("static.so", STATIC, *SYSTEM))
        for plugin, scope in itertools.product(plugins, ("global", "local")):
            with self.subTest(plugin=plugin.name, scope=scope):
                self.check_plugin(plugin, scope)

    def test_program_with_the_static_library(self):
        self.check(self.compile("clashing", "-rdynamic", CONSUMERS["C"], self.fakes, STATIC, *SYSTEM))

    def test_fakes_are_seen(self):
        """By a library without the fences: the objects of the rooms as they are."""
        naked = compile_program("CXX", self.folder / "naked.so", "-shared", "-fPIC", "-Wl,--whole-archive",
                                BUILD / "libheadwise_rooms.a", "-Wl,--no-whole-archive", *SYSTEM)
        with self.assertRaisesRegex(AssertionError, "the fake .* was called"):
            self.check_plugin(self.plugin("bare.so", naked), "local")


if __name__ == "__main__":
    unittest.main()
