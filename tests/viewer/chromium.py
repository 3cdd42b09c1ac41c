"""A headless Chromium that is told what to do over two pipes; it can open, click, type and look."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
_SECONDS = 30
_KEYS = {"Escape": 27}
# A browser reads from descriptor 3 and writes to 4, whatever they were before.
_LAUNCHER = (
    "import os, sys; r, w = map(int, sys.argv[1:3]); os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
)


class Browser:
    """One tab."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._number = 0
        self._rest = b""
        self._session = ""
        self.complaints: list[str] = []
        """What the console said, errors and refusals by the page's own policy among it."""
        self.requests: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """One request, and its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return dict(told["result"])
            self._note(told)

    def open(self, address: str) -> None:
        """Go to a page, and wait until its script has run."""
        self.ask("Page.navigate", url=address)
        self.until(f"document.readyState === 'complete' && location.href === {json.dumps(address)}")

    def do(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def until(self, script: str) -> Any:
        """The value of an expression, as soon as it is true."""
        end = time.monotonic() + _SECONDS
        while not (value := self.do(f"(() => {{ const v = {script}; return v instanceof Node ? true : v; }})()")):
            assert time.monotonic() < end, f"never true: {script}"
        return value

    def press(self, key: str) -> None:
        """A key, down and up."""
        code = {"windowsVirtualKeyCode": _KEYS[key]} if key in _KEYS else {"text": key}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **code)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def write(self, text: str) -> None:
        """Text where the cursor is."""
        for letter in text:
            self.press(letter)

    def click(self, selector: str) -> None:
        """The middle of an element, or of its first line, with the mouse."""
        box = self.do(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
            "const b = e.getClientRects()[0]; return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """What is seen now."""
        told = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(told["data"]))

    def _note(self, told: dict[str, Any]) -> None:
        params = told.get("params", {})
        match told.get("method"):
            case "Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(params))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._read], [], [], _SECONDS)[0], "the browser says nothing"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has ended"
            self._rest += data
        message, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(message))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with nothing in its profile, for the block."""
    assert PROGRAM is not None
    theirs_read, ours_write = os.pipe()
    ours_read, theirs_write = os.pipe()
    passed = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (theirs_read, theirs_write)]
    for descriptor in (theirs_read, theirs_write):
        os.close(descriptor)
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCHER, *map(str, passed), PROGRAM, *_OPTIONS, f"--user-data-dir={profile}"],
        pass_fds=passed,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for descriptor in passed:
        os.close(descriptor)
    try:
        opened = Browser(ours_write, ours_read)
        yield opened
        opened._session = ""
        opened.ask("Browser.close")
    finally:
        os.close(ours_write)
        os.close(ours_read)
        process.terminate()
        process.wait(30)
