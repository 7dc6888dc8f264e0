"""Takes the picture of the README again: python3 tests/view/take_picture.py [docs/heads.png]

The page of the first sentence on the real model, with head 0 of layer 0 picked and "bank" pointed at. It needs the command
in build/release (or HEADWISE_TOOL), the model that tools/fetch_model.sh fetches, and Chromium.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("HEADWISE_TOOL", str(ROOT / "build" / "release" / "headwise"))

from chromium import Browser, Page  # noqa: E402
from page import BANK, MODEL, head, query_token  # noqa: E402


def take(browser, page_file, picture):
    page = Page(browser, width=1400, height=880, scale=1.25)
    page.open(page_file)
    page.click(head(0, 0))
    page.hover(query_token(BANK))
    page.evaluate("window.scrollTo(0, 0)")
    page.frames()
    page.screenshot(picture)


def main():
    if len(sys.argv) > 2 or sys.argv[1:] == ["--help"]:
        sys.exit(__doc__)
    picture = sys.argv[1] if len(sys.argv) == 2 else ROOT / "docs" / "heads.png"
    with tempfile.TemporaryDirectory() as folder:
        page_file = pathlib.Path(folder) / "heads.html"
        text = ["--text", "The bank was full of money."]
        subprocess.run([os.environ["HEADWISE_TOOL"], "view", MODEL, *text, "-o", page_file], check=True)
        browser = Browser()
        try:
            take(browser, page_file, picture)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
