"""tools/quickstart.sh where the real model cannot be fetched: the small one takes its place, up to the page of heads.

Packages, build and pip are replaced; all else is the scripts' own, in a folder that looks like a checkout.
"""

import os
import shutil
import subprocess
import sys
import unittest

from command import ROOT, TIMEOUT, TINY_BERT, TOOL, CommandTest


def write_script(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class Quickstart(CommandTest):
    def setUp(self):
        super().setUp()
        self.root, self.programs = self.folder / "checkout", self.folder / "bin"
        shutil.copytree(TINY_BERT.parent, self.root / TINY_BERT.parent.relative_to(ROOT))
        (self.root / "tools").mkdir()
        for name in ("quickstart.sh", "fetch_model.sh", "make_hidden_states.py"):
            shutil.copy(ROOT / "tools" / name, self.root / "tools" / name)
        write_script(self.root / "tools" / "install_packages.sh", "true")
        write_script(self.programs / "cmake", "true")
        write_script(self.programs / "python3", f'[ "$2" = pip ] && exit 1; exec {sys.executable} "$@"')
        (self.root / "build" / "release").mkdir(parents=True)
        (self.root / "build" / "release" / "headwise").symlink_to(TOOL)

    def test_it_ends_with_a_page_where_there_is_no_network(self):
        path = f"{self.programs}:{os.environ['PATH']}"
        done = subprocess.run(
            [self.root / "tools" / "quickstart.sh"],
            env=dict(os.environ, PATH=path),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        shown = done.stdout.decode()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("takes its place", done.stderr.decode())
        page = self.root / "build" / "quickstart" / "heads.html"
        self.assertIn(f"open {page} in a browser", shown)
        self.assertIn("are random", shown)
        self.assertIn("bank → money", shown)
        self.assertIn("money", page.read_text())


if __name__ == "__main__":
    unittest.main()
