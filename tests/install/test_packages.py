"""The archive and the Debian packages: what they hold and say, and that programs build against them."""

import pathlib
import re
import tempfile
import unittest

from steps import BUILD, CMAKE, CONSUMERS, HERE, build, compile_program, configure, needed, result, run

CPACK = pathlib.Path(CMAKE).with_name("cpack")
NAMES = ("libheadwise0", "libheadwise-dev", "headwise")


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        run(CPACK, "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder)
        cls.debs = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}
        cls.root = cls.folder / "root"
        for path in cls.debs.values():
            run("dpkg-deb", "--extract", path, cls.root)

    def field(self, package, name):
        return run("dpkg-deb", "--field", self.debs[package], name).strip()

    def build_consumers(self, prefix):
        """C++ by CMake with the shared library, C by pkg-config with the static one."""
        folder = prefix.parent / "found"
        configure(HERE / "find_package", folder, LANGUAGE="CXX", LIBRARY="shared", CMAKE_PREFIX_PATH=prefix)
        build(folder)
        self.assertIn("libheadwise.so.0", needed(folder / "consumer"))
        flags = run("pkg-config", "--cflags", "--libs", "headwise-static",
                    environment={"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}).split()
        program = compile_program("C", prefix.parent / "program", CONSUMERS["C"], *flags)
        lines = {result(path, LD_LIBRARY_PATH=str(prefix / "lib")) for path in (folder / "consumer", program)}
        self.assertEqual(len(lines), 1)

    def test_debian_packages_serve_programs(self):
        self.build_consumers(self.root / "usr")

    def test_archive_serves_programs(self):
        archives = list(self.folder.glob("*.tar.gz"))
        self.assertEqual(len(archives), 1)
        target = self.folder / "archive"
        target.mkdir()
        run("tar", "-xzf", archives[0], "-C", target)
        (prefix,) = target.iterdir()
        self.build_consumers(prefix)

    def test_each_package_has_its_part(self):
        self.assertEqual(set(self.debs), set(NAMES))
        content = {name: run("dpkg-deb", "--contents", path) for name, path in self.debs.items()}
        self.assertRegex(content["libheadwise0"], r"usr/lib/libheadwise\.so\.0\.\d+\.\d+\n")
        self.assertNotIn("include/", content["libheadwise0"])
        for name in ("libheadwise.a", "libheadwise.so ->", "headwise/headwise.h\n", "headwiseConfig.cmake"):
            self.assertIn(name, content["libheadwise-dev"])
        self.assertIn("usr/bin/headwise\n", content["headwise"])
        written = [path.relative_to(BUILD) for path in (BUILD / "share").rglob("*") if path.is_file()]
        for path in written:  # manual pages and completion scripts
            self.assertIn(f"usr/{path}\n", content["headwise"])

    def test_dependencies(self):
        for package in ("libheadwise0", "headwise"):
            for name in ("libc6", "libgomp1", "libstdc++6"):
                self.assertRegex(self.field(package, "Depends"), rf"\b{re.escape(name)} \(>= ", package)
            self.assertRegex(self.field(package, "Recommends"), r"^libdnnl\d+, libzip\d+, libutf8proc\d+$")
        version = self.field("libheadwise-dev", "Version")
        self.assertEqual(self.field("libheadwise-dev", "Depends"), f"libheadwise0 (= {version})")

    def test_control_fields(self):
        for package, section in zip(NAMES, ("libs", "libdevel", "science")):
            self.assertEqual(self.field(package, "Section"), section)
            self.assertRegex(self.field(package, "Maintainer"), r"^.+ <\S+@\S+>$")
            self.assertIn("attention", self.field(package, "Description"))

    def test_programs_are_stripped(self):
        for path in (self.root / "usr" / "bin" / "headwise", *self.root.glob("usr/lib/libheadwise.so.0.*")):
            self.assertNotIn(".debug_info", run("readelf", "--sections", "--wide", path))
            self.assertNotIn(".symtab", run("readelf", "--sections", "--wide", path))


if __name__ == "__main__":
    unittest.main()
