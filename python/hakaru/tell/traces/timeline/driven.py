"""A browser that a test drives: Chromium through its DevTools protocol, by a pair of pipes."""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--no-first-run --hide-scrollbars --disable-dev-shm-usage --remote-debugging-pipe"
)


class Browser:
    """One page. ``messages``: what its console said, exceptions included."""

    def __init__(self, read: int, write: int):
        self._read, self._write = os.fdopen(read, "rb", buffering=0), os.fdopen(write, "wb", buffering=0)
        self._number, self._rest, self._session = 0, b"", None
        self.messages: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command. Raises RuntimeError when the browser refuses it or ends."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        self._write.write(json.dumps(command).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]
            self._note(told)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._read.read(1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def _note(self, told: dict[str, Any]) -> None:
        given = told.get("params", {})
        if told.get("method") == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(given["exceptionDetails"])[:500])
        elif told.get("method") == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(one.get("value")) for one in given["args"]))
        elif told.get("method") == "Log.entryAdded":
            self.messages.append(given["entry"]["text"])

    def look(self, width: int, height: int, scheme: str = "light") -> None:
        """As a window of this size in a light or dark room."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path: Path) -> float:
        """Seconds from the navigation until the timeline was painted, as the page itself measured."""
        self.send("Page.navigate", url=path.resolve().as_uri())
        return self.wait("document.querySelector('[data-part=viewer]')?.dataset.opened / 1000")

    def evaluate(self, expression: str) -> Any:
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:1000])
        return result["result"].get("value")

    def wait(self, expression: str, limit_s: float = 60.0) -> Any:
        """The expression's value, once it is neither false nor missing."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.02)
        raise RuntimeError(f"it never became true: {expression}; the console says {self.messages}")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, begin: tuple[float, float], end: tuple[float, float], modifiers: int = 0) -> None:
        self.mouse("mouseMoved", *begin)
        self.mouse("mousePressed", *begin, button="left", clickCount=1, modifiers=modifiers)
        self.mouse("mouseMoved", *end, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", *end, button="left", clickCount=1, modifiers=modifiers)

    def type(self, text: str) -> None:
        for letter in text:
            self.send("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def picture(self, path: Path) -> None:
        data = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Ends with the block. ``folder`` takes its profile."""
    to_read, to_write = os.pipe(), os.pipe()  # of the browser: 3 is read, 4 is written
    files = f'exec 3<&{to_read[0]} 4>&{to_write[1]}; exec "$@"'
    command = [CHROMIUM, *FLAGS.split(), f"--user-data-dir={folder / 'profile'}", "about:blank"]
    process = subprocess.Popen(
        ["bash", "-c", files, "-", *command],
        pass_fds=(to_read[0], to_write[1]),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    os.close(to_read[0])
    os.close(to_write[1])
    try:
        yield Browser(to_write[0], to_read[1])
    finally:
        process.terminate()
        process.wait(timeout=20)
