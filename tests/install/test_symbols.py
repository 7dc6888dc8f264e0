"""The check of visible symbols passes for the libraries that were built, and refuses what it is there for."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from steps import BUILD, ROOT, run

CHECK = ROOT / "tools" / "check_symbols.py"
MAP = ROOT / "cmake" / "exports.map"
PUBLIC = """
extern "C" __attribute__((visibility("default"))) int headwise_version() { return 1; }
namespace headwise { struct __attribute__((visibility("default"))) Tensor { int size(); };
int Tensor::size() { return 1; } }
"""
UNIQUE = "namespace headwise { template <class T> struct Dims { static T x; }; template <class T> T Dims<T>::x = 1;\n" \
         "int use() { return Dims<int>::x; } }"
# A function or class without HEADWISE_API.
DECLARATION = re.compile(r"(?!HEADWISE_API|inline|constexpr|template|typedef|using|class)[A-Za-z_][\w:<>, *&]*\("
                         r"|class (?!HEADWISE_API)\w+[^;]*$")
GOOD_LINK = ("-fopenmp", "-Wl,--no-as-needed", "-Wl,-soname,libheadwise.so.0", f"-Wl,--version-script={MAP}")


class Symbols(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def compile(self, source, output, *flags):
        path = self.folder / "source.cpp"
        path.write_text(source, encoding="ascii")
        run(os.environ["CXX"], "-std=c++20", "-fPIC", "-fno-gnu-unique", path, "-o", self.folder / output, *flags)
        return self.folder / output

    def shared(self, source, *flags):
        return self.compile(source, "libheadwise.so", "-shared", *(flags or GOOD_LINK))

    def static(self, source, *flags):
        archive = self.folder / "libheadwise.a"
        run("ar", "crs", archive, self.compile(source, "one.o", "-c", *flags))
        return archive

    def check(self, library, *expected):
        """Refused with all of the expected texts, or accepted when there are none."""
        done = subprocess.run([sys.executable, CHECK, library], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if expected else 0, done.stdout + done.stderr)
        for text in expected:
            self.assertIn(text, done.stdout)

    def test_the_libraries(self):
        self.check(BUILD / "libheadwise.so")
        self.check(BUILD / "libheadwise.a")

    def test_all_that_is_declared_is_there(self):
        """What the C++ headers declare at the left margin must be marked, and functions must be visible by name: a
        source that does not include the header of its function makes it without the mark."""
        visible = run("nm", "--dynamic", "--defined-only", "--demangle", BUILD / "libheadwise.so")
        functions = set()
        for path in (ROOT / "include" / "headwise").rglob("*.h*"):
            text = path.read_text(encoding="utf-8")
            functions.update(re.findall(r"^HEADWISE_C_API [^;]*?\b(headwise_\w+)\(", text, re.MULTILINE))
            for line in text.splitlines():
                self.assertFalse(path.suffix == ".hpp" and DECLARATION.match(line), f"not marked: {path.name}: {line}")
                functions.update(f"headwise::{name}" for name in re.findall(r"^HEADWISE_API [^(]*?(\w+)\(", line))
        self.assertGreater(len(functions), 80)
        hidden = [name for name in sorted(functions) if not re.search(rf" {name}(\[abi:\w+\])?[(@]", visible)]
        self.assertEqual(hidden, [])

    def test_a_good_one(self):
        self.check(self.shared(PUBLIC))
        self.check(self.static(PUBLIC))

    def test_symbols_of_others(self):
        for planted, text in (("namespace nlohmann { int parse() { return 1; } }", "not public: nlohmann::parse()"),
                              ("namespace headwise::kernels { int peak() { return 1; } }", "of the room kernels"),
                              ("#include <vector>\nint n() { return std::vector<int>(7, 1)[3]; }", "not public: std::"),
                              ('extern "C" int dnnl_version() { return 1; }', "not public: dnnl_version")):
            with self.subTest(text):
                self.check(self.static(planted + PUBLIC), text)
                self.check(self.shared(planted + PUBLIC, "-fopenmp"), text, "no version", "soname")

    def test_archives_that_the_linker_may_take_apart(self):
        inline = "namespace headwise { inline int half(int x) { return x / 2; } int use(int x) { return half(x); } }"
        self.check(self.static(inline), "has section groups")
        archive = self.static(PUBLIC)
        run("ar", "rs", archive, self.compile("namespace headwise { int f() { return 1; } }", "two.o", "-c"))
        self.check(archive, "has 2 objects")

    def test_unique_symbols(self):
        self.check(self.static(UNIQUE, "-fgnu-unique"), "unique in the process")

    def test_linked_onednn(self):
        planted = 'extern "C" int dnnl_version(); namespace headwise { int call() { return dnnl_version(); } }'
        self.check(self.static(planted), "undefined: dnnl_version")
        self.check(self.shared(planted), "undefined: dnnl_version")

    def test_runtimes_and_paths(self):
        script = f"-Wl,--version-script={MAP},-soname,libheadwise.so.0"
        self.check(self.shared(PUBLIC, script), "needs 0 OpenMP runtimes")
        second = self.compile("int f() { return 1; }", "libiomp5.so", "-shared", "-Wl,-soname,libiomp5.so")
        self.check(self.shared(PUBLIC, *GOOD_LINK, second), "needs 2 OpenMP runtimes")
        self.check(self.shared(PUBLIC, *GOOD_LINK, "-Wl,-rpath,/somewhere"), "has a RUNPATH")


if __name__ == "__main__":
    unittest.main()
