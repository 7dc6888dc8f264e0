"""Programs that find an installed headwise by CMake and by pkg-config, each language with each library."""

import itertools
import os
import pathlib
import re
import shlex
import shutil
import tempfile
import unittest

from steps import BUILD, CMAKE, COMPILERS, CONSUMERS, HERE, build, compile_program, configure, needed, result, run

LIBRARIES = ("static", "shared")
PC_NAMES = {"static": "headwise-static", "shared": "headwise"}


class Prefix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "before")
        # A prefix may be moved, and have a space in its name.
        cls.prefix = cls.folder / "moved prefix"
        shutil.move(cls.folder / "before", cls.prefix)
        cls.libraries = cls.prefix / "lib"
        cls.results = set()

    def check(self, program, library):
        uses_shared = "libheadwise.so.0" in needed(program)
        self.assertEqual(uses_shared, library == "shared")
        self.results.add(result(program, LD_LIBRARY_PATH=str(self.libraries)))
        self.assertEqual(len(self.results), 1, "programs differ in their numbers")

    def pkg_config(self, *arguments):
        environment = {"PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        return shlex.split(run("pkg-config", *arguments, environment=environment))

    def test_find_package(self):
        for language, library in itertools.product(COMPILERS, LIBRARIES):
            with self.subTest(language=language, library=library):
                folder = self.folder / f"found_{language}_{library}"
                configure(HERE / "find_package", folder, LANGUAGE=language, LIBRARY=library,
                          CMAKE_PREFIX_PATH=self.prefix)
                build(folder)
                self.check(folder / "consumer", library)

    def test_default_library_is_that_of_the_project(self):
        for shared, library in (("ON", "shared"), ("OFF", "static")):
            folder = self.folder / f"default_{library}"
            configure(HERE / "find_package", folder, LANGUAGE="C", LIBRARY="", CMAKE_PREFIX_PATH=self.prefix,
                      BUILD_SHARED_LIBS=shared)
            build(folder)
            self.check(folder / "consumer", library)

    def test_unknown_component_and_version_are_refused(self):
        for settings in ({"LIBRARY": "gpu"}, {"LIBRARY": "static", "VERSION": "0.2"}, {"LIBRARY": "", "VERSION": "7"}):
            with self.assertRaisesRegex(AssertionError, "headwise"):
                configure(HERE / "find_package", self.folder / "refused", LANGUAGE="C",
                          CMAKE_PREFIX_PATH=self.prefix, **settings)

    def test_pkg_config(self):
        for language, library in itertools.product(COMPILERS, LIBRARIES):
            with self.subTest(language=language, library=library):
                flags = self.pkg_config("--cflags", "--libs", PC_NAMES[library])
                program = self.folder / f"pkg_config_{language}_{library}"
                self.check(compile_program(language, program, CONSUMERS[language], *flags), library)

    def test_private_libraries_make_the_archive_complete(self):
        flags = self.pkg_config("--static", "--cflags", "--libs", "headwise")
        program = self.folder / "private_libraries"
        at = flags.index("-lheadwise")
        flags[at:at + 1] = ["-Wl,-Bstatic", "-lheadwise", "-Wl,-Bdynamic"]
        self.check(compile_program("C", program, CONSUMERS["C"], *flags), "static")

    def test_headers_name_only_each_other_and_the_standard_library(self):
        headers = [path for path in (self.prefix / "include").rglob("*") if path.is_file()]
        self.assertGreater(len(headers), 10)
        for path in headers:
            for name in re.findall(r"#\s*include\s+[<\"](.+)[>\"]", path.read_text(encoding="utf-8")):
                self.assertRegex(name, r"^(headwise/[\w/]+\.hp*|std\w+\.h|string\.h|[a-z_]+)$", path.name)

    def test_nothing_tells_where_it_was_built(self):
        for path in self.libraries.rglob("*"):
            if path.suffix in (".cmake", ".pc"):
                self.assertNotIn(str(BUILD), path.read_text(encoding="utf-8"), path.name)

    def test_without_onednn(self):
        """Its name leads to a file that is no library: what needs it says so, nothing else does."""
        folder = self.folder / "broken"
        folder.mkdir()
        for major in (2, 3):
            (folder / f"libdnnl.so.{major}").write_bytes(b"")
        flags = self.pkg_config("--cflags", "--libs", "headwise-static")
        program = compile_program("C", self.folder / "without_onednn", CONSUMERS["C"], *flags)
        with self.assertRaisesRegex(AssertionError, r"model: oneDNN, which .* cannot be used: .*libdnnl\.so"):
            result(program, LD_LIBRARY_PATH=str(folder), HEADWISE_ISA="reference")

    def test_command(self):
        command = self.prefix / "bin" / "headwise"
        self.assertIn("headwise", run(command, "--version", environment={"LD_LIBRARY_PATH": ""}))
        self.assertTrue(os.access(command, os.X_OK))


if __name__ == "__main__":
    unittest.main()
