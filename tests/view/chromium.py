"""Drives headless Chromium through the DevTools protocol on a pair of pipes. Standard library only."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
]
KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Enter": 13,
    " ": 32,
    "Tab": 9,
    "Escape": 27,
    "Home": 36,
    "End": 35,
}
SHIFT = 8


def find_chromium():
    """The browser that tools/install_packages.sh installs; its absence is a failure and never a skipped test."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    raise RuntimeError("there is no chromium; tools/install_packages.sh installs it")


class Browser:
    """One browser with a profile of its own, gone with close()."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self.out = os.pipe()
        self.into, ours = os.pipe()
        # The browser reads commands from 3 and writes answers to 4; numbers far from these cannot collide with them.
        theirs, ours = self._high(theirs), self._high(ours)
        self.process = subprocess.Popen(
            [find_chromium(), *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=lambda: (os.dup2(theirs, 3), os.dup2(ours, 4)),
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs)
        os.close(ours)
        self.buffer, self.events, self.number = b"", [], 0

    @staticmethod
    def _high(descriptor):
        import fcntl

        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 50)
        os.close(descriptor)
        return moved

    def send(self, method, session=None, timeout=60, **parameters):
        """The result of a command; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        end = time.monotonic() + timeout
        while True:
            answer = self._receive(end, method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _receive(self, end, what):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"chromium did not answer {what}")
            more = os.read(self.into, 1 << 20)
            if not more:
                raise RuntimeError(f"chromium ended during {what}")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.profile.cleanup()


class Page:
    """A tab that shows a file. Whatever it logs or asks the network for is in complaints() and requests()."""

    def __init__(self, browser, width=1400, height=900, scale=1, dark=False):
        self.browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def send(self, method, **parameters):
        return self.browser.send(method, session=self.session, **parameters)

    def resize(self, width, height=900):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.frames()

    def open(self, path):
        self.url = pathlib.Path(path).resolve().as_uri()
        self.send("Page.navigate", url=self.url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")
        self.frames()

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {expression}")
            time.sleep(0.02)

    def frames(self):
        """Until what was changed is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def attribute(self, selector, name):
        return self.evaluate(
            f"document.querySelector({json.dumps(selector)})?.getAttribute({json.dumps(name)}) ?? null"
        )

    def box(self, selector):
        """x, y, width and height of an element, scrolled into view."""
        return self.evaluate(f"""(() => {{ const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: "nearest"}}); const box = found.getBoundingClientRect();
            return [box.x, box.y, box.width, box.height]; }})()""")

    def middle(self, selector):
        x, y, width, height = self.box(selector)
        return x + width / 2, y + height / 2

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def hover(self, selector):
        self.move(*self.middle(selector))
        self.frames()

    def click(self, selector, modifiers=0):
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1, modifiers=modifiers)
        self.frames()

    def press(self, key, modifiers=0):
        text = {"Enter": "\r", " ": " "}.get(key, "")
        common = {
            "key": key,
            "code": "Space" if key == " " else key,
            "windowsVirtualKeyCode": KEYS[key],
            "modifiers": modifiers,
        }
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)
        self.frames()

    def set_value(self, selector, value):
        """What dragging a slider does."""
        self.evaluate(f"""(() => {{ const found = document.querySelector({json.dumps(selector)}); found.value = {value};
            found.dispatchEvent(new Event("input", {{bubbles: true}})); }})()""")
        self.frames()

    def screenshot(self, path, whole=False):
        picture = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def own_events(self, *methods):
        self.evaluate("1")  # what was sent before is here now
        return [
            event["params"]
            for event in self.browser.events
            if event.get("sessionId") == self.session and event["method"] in methods
        ]

    def complaints(self):
        return self.own_events("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")

    def requests(self):
        """Addresses that the page asked for, but its own."""
        asked = [event["request"]["url"] for event in self.own_events("Network.requestWillBeSent")]
        return [url for url in asked if url != getattr(self, "url", None)]

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)
