"""A headless Chromium that tests speak to over its debugging pipe: no port, no driver, no network."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_ANSWER_S = 60.0


class Tab:
    """One page of the browser. `events` are all messages it sent by itself, such as requests and console output."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._last_id = 0
        self._session: str | None = None
        self._buffer = b""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its result."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        answer = self._read_until(lambda heard: heard.get("id") == self._last_id)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path | str) -> None:
        """Open a file, or a URL, and wait until it is loaded."""
        self.call("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        self._read_until(lambda heard: heard.get("method") == "Page.loadEventFired")

    def until(self, code: str) -> Any:
        """Return the value of a JavaScript expression as soon as it has one that is true."""
        deadline = time.monotonic() + _ANSWER_S
        while not (value := self.evaluate(code)):
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{code} did not come true; the page says: {self.evaluate('document.body.innerText')}"
                )
            time.sleep(0.05)
        return value

    def evaluate(self, code: str) -> Any:
        """Return the value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press and release a key."""
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def resize(self, width: int, height: int, *, scale: float = 1.0, phone: bool = False, dark: bool = False) -> None:
        """Set the size of the window in CSS pixels, and the ground that the reader prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, file: Path) -> None:
        """Write what the window shows as PNG."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def _read_until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + _ANSWER_S
        while time.monotonic() < deadline:
            while b"\0" not in self._buffer:
                chunk = os.read(self._from, 1 << 20)
                if not chunk:
                    raise RuntimeError("the browser has gone")
                self._buffer += chunk
            raw, _, self._buffer = self._buffer.partition(b"\0")
            heard = json.loads(raw)
            if "id" not in heard:
                self.events.append(heard)
            if wanted(heard):
                return dict(heard)
        raise TimeoutError("the browser did not answer")


@contextmanager
def browser_tab() -> Iterator[Tab]:
    """Start Chromium with one tab, and end it."""
    if PROGRAM is None:
        raise RuntimeError("Chromium is not installed. On Debian: apt-get install chromium")
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        words = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        words += ["--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={profile}"]

        def place() -> None:
            # The browser reads commands from descriptor 3 and answers on 4.
            high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (to_read, from_write)]
            for number, descriptor in enumerate(high, 3):
                os.dup2(descriptor, number)

        process = subprocess.Popen(
            words,
            pass_fds=(3, 4),
            preexec_fn=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            yield Tab(to_write, from_read)
        finally:
            os.close(to_write)
            os.close(from_read)
            process.terminate()
            process.wait(20)
