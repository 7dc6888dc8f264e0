#!/usr/bin/env python3
"""Prints how fast a page of `headwise view` shows itself and answers. Not a test: it needs a machine of its own.

Usage: tests/view/measure.py PAGE.html [ROUNDS]
"""

import sys

from chromium import Browser, Page

COUNT_FRAMES = """(() => { const frames = window.frames_ = []; let last = performance.now(); const next = (now) => {
    frames.push(now - last); last = now; if (frames === frames_) requestAnimationFrame(next); };
    requestAnimationFrame(next); })()"""
PLACES = (("tokens", ".lines .column:first-child"), ("heat map", ".map"))
DRAW = """(() => { const times = []; for (let i = 0; i < 100; ++i) { const start = performance.now();
    state.hover = { query: (i * 7) % count, key: null }; for (const card of cards) card.draw();
    times.push(performance.now() - start); } return times; })()"""


def quantiles(times):
    times = sorted(times)
    median, most = times[len(times) // 2], times[len(times) * 95 // 100]
    return f"median {median:.1f} ms, 95 % {most:.1f} ms, longest {times[-1]:.1f} ms"


def hover(page, selector):
    """Frame times while the mouse goes over an element: 120 moves, each to another token."""
    page.evaluate(COUNT_FRAMES)
    x, y, width, height = page.box(selector)
    for step in range(120):
        page.move(x + 0.3 * width + step % int(0.5 * width), y + 90 + (step * 29) % (min(height, 400) - 100))
    return page.evaluate("frames_")


def first_paint(page):
    """Of a page that was opened, in milliseconds since it was asked for."""
    page.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
    return page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")


def measure(browser, path):
    page = Page(browser)
    page.open(path)
    paint = first_paint(page)
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    print(f"first paint {paint:.0f} ms, all of it read {loaded:.0f} ms")
    for name, selector in PLACES:
        print(f"  frames over the {name}: {quantiles(hover(page, selector))}")
    print(f"  work of a frame: {quantiles(page.evaluate(DRAW))}")
    page.close()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    browser = Browser()
    try:
        for _ in range(int(sys.argv[2]) if len(sys.argv) == 3 else 3):
            measure(browser, sys.argv[1])
    finally:
        browser.close()


if __name__ == "__main__":
    main()
