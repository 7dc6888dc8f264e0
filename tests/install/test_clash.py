"""Programs that export functions under the names that headwise and oneDNN use inside: the fakes must never be called.

A host may carry another oneDNN or other versions of the libraries whose inline functions are compiled into headwise. The
fakes have the names of all functions of oneDNN and of all visible symbols of our objects, and end the process."""

import itertools
import os
import pathlib
import re
import tempfile
import unittest

from steps import BUILD, CONSUMERS, HERE, ROOT, compile_program, result, run

SHARED, STATIC = BUILD / "libheadwise.so", BUILD / "libheadwise.a"
PUBLIC = re.compile(r"headwise_|_ZT?[ISV]?N?K?8headwise\d+[A-Za-z]")
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


def libraries_of(path):
    return re.findall(r"=> (/\S+)", run("ldd", path))


def onednn():
    """The path of the library that headwise loads."""
    name = re.search(rb"[\w/.-]*libdnnl\.so[.\d]*", SHARED.read_bytes())[0].decode()
    if name.startswith("/"):
        return name
    return re.search(rf"{re.escape(name)} .*=> (/\S+)", run("/sbin/ldconfig", "-p"))[1]


def clashing_names():
    library = onednn()
    of_the_system = set().union(*(defined(path, "--dynamic") for path in libraries_of(library)))
    ours = {name for name in defined(BUILD / "libheadwise_rooms.a") if name not in defined(SHARED, "--dynamic")}
    names = {name for name in defined(library, "--dynamic") if name.startswith("dnnl_")} | (ours - of_the_system)
    for part in ("dnnl_version", "dnnl_primitive_execute", "8nlohmann", "8headwise7kernels", "_ZNSt6vector"):
        assert any(part in name for name in names), f"no fake for {part}"
    return sorted(names)


class Clash(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        text = HEAD + "".join(FAKE.format(index=index, name=name) for index, name in enumerate(clashing_names()))
        fakes = cls.folder / "fakes.c"
        fakes.write_text(text, encoding="ascii")
        cls.fakes = cls.folder / "fakes.o"
        run(os.environ["CC"], "-fPIC", "-c", fakes, "-o", cls.fakes)
        cls.expected = result(cls.program("alone"))

    @classmethod
    def program(cls, name, *objects):
        return compile_program("C", cls.folder / name, f"-I{ROOT / 'include'}", CONSUMERS["C"], *objects, STATIC,
                               "-rdynamic", "-lgomp", "-lpthread", "-ldl", "-lstdc++", "-lm")

    def plugin(self, name, *libraries):
        return compile_program("C", self.folder / name, "-shared", "-fPIC", "-Dmain=consumer_main",
                               f"-I{ROOT / 'include'}", CONSUMERS["C"], *libraries)

    def check(self, *command):
        """With kernels that multiply and with the reference, for which oneDNN does."""
        for isa in ("auto", "reference"):
            line = run(*command, environment={"HEADWISE_ISA": isa, "LD_LIBRARY_PATH": str(BUILD)}).strip()
            self.assertEqual(line.split()[:2], self.expected.split()[:2])
            self.assertAlmostEqual(float(line.split()[2]), float(self.expected.split()[2]), 5)

    def test_plugins(self):
        host = compile_program("C", self.folder / "host", "-rdynamic", HERE / "clash_host.c", self.fakes, "-ldl")
        plugins = (self.plugin("shared.so", SHARED),
                   self.plugin("static.so", STATIC, "-lgomp", "-lpthread", "-ldl", "-lstdc++", "-lm"))
        for plugin, scope in itertools.product(plugins, ("global", "local")):
            with self.subTest(plugin=plugin.name, scope=scope):
                self.check(host, plugin, scope)

    def test_program_with_the_static_library(self):
        self.check(self.program("clashing", self.fakes))

    def test_fakes_are_seen(self):
        """A library without the fences: the objects of the rooms as they are."""
        naked = compile_program("CXX", self.folder / "naked.so", "-shared", "-fPIC", "-Wl,--whole-archive",
                                BUILD / "libheadwise_rooms.a", "-Wl,--no-whole-archive", "-lgomp", "-ldl")
        host = compile_program("C", self.folder / "host2", "-rdynamic", HERE / "clash_host.c", self.fakes, "-ldl")
        with self.assertRaisesRegex(AssertionError, "the fake .* was called"):
            self.check(host, self.plugin("bare.so", naked), "local")


if __name__ == "__main__":
    unittest.main()
