"""headwise as a part of another project, by add_subdirectory and by FetchContent: what it changes there is checked by
the project itself (embedded/), both ways with both kinds of library; one of the four is also built and run, since that
compiles the whole library."""

import itertools
import pathlib
import tempfile
import unittest

from steps import CMAKE, HERE, ROOT, build, configure, result, run

WAYS = ("add_subdirectory", "FetchContent")


class Embedded(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def configure(self, way, shared):
        folder = self.folder / f"{way}_{shared}"
        configure(HERE / "embedded", folder, WAY=way, HEADWISE_SOURCE=ROOT, FETCHCONTENT_SOURCE_DIR_HEADWISE=ROOT,
                  BUILD_SHARED_LIBS=shared, CMAKE_BUILD_TYPE="Debug")
        return folder

    def test_nothing_around_it_changes(self):
        for way, shared in itertools.product(WAYS, ("ON", "OFF")):
            with self.subTest(way=way, shared=shared):
                self.configure(way, shared)

    def test_it_is_built_with_the_project(self):
        folder = self.configure("FetchContent", "OFF")
        build(folder)
        lines = {result(folder / f"consumer_{language}") for language in ("c", "cpp")}
        self.assertEqual(len(lines), 1)
        run(CMAKE, "--install", folder, "--prefix", self.folder / "prefix")
        self.assertEqual([path.name for path in (self.folder / "prefix").rglob("*headwise*")], [])
        made = [path.name for path in folder.rglob("*headwise*.so*")]
        self.assertEqual(made, [], "the library that nobody links was built")


if __name__ == "__main__":
    unittest.main()
