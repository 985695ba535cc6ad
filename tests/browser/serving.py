"""Starting the app the way a newcomer does, and a browser to look at it."""

import contextlib
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PARTS = ("app.py", "pages", "dpcore", "data", ".streamlit")


def fresh_copy(folder: Path) -> Path:
    """What a fresh clone holds of the app, without caches."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("cache", "__pycache__", "*.duckdb"))
        else:
            shutil.copy(source, folder / part)
    return folder


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(folder: Path, home: Path, log: Path | None = None) -> Iterator[str]:
    """The app of a folder in a pseudo-terminal, with a display, as on a desktop; gives its address."""
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLIT_", "DPCORE_"))}
    environment = kept | {"HOME": str(home), "DISPLAY": ":99", "BROWSER": "true"}
    if log is not None:
        environment["DPCORE_LOG"] = str(log)
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    server = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    said: list[bytes] = []
    threading.Thread(target=_drain, args=(master, said), daemon=True).start()
    try:
        _wait_until_up(f"http://127.0.0.1:{port}/_stcore/health", server, said)
        yield f"http://127.0.0.1:{port}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _drain(master: int, said: list[bytes]) -> None:
    with contextlib.suppress(OSError):
        while chunk := os.read(master, 65536):
            said.append(chunk)


def _wait_until_up(address: str, server: "subprocess.Popen[bytes]", said: list[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError("The app did not start; it said: " + b"".join(said).decode(errors="replace"))


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def settled(page: Page, timeout: float = 90_000) -> None:
    """Wait until the page is drawn: something is there, the sample is built and no script runs."""
    page.wait_for_selector("[data-testid=stMain] [data-testid=stElementContainer]", timeout=timeout)
    page.wait_for_function(
        """() => {
            const app = document.querySelector("[data-testid=stApp]");
            const busy = document.querySelector("[data-testid=stSpinner], [data-testid=stProgress]");
            return app && app.getAttribute("data-test-script-state") === "notRunning" && !busy;
        }""",
        timeout=timeout,
    )
    page.wait_for_timeout(300)


def whole_height(page: Page) -> int:
    """The height of everything on the page, once it has stopped growing."""
    heights = [-1]
    while len(heights) < 3 or heights[-1] != heights[-3]:
        heights.append(int(page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")))
        page.set_viewport_size({"width": page.viewport_size["width"], "height": max(heights[-1], 600)})  # type: ignore[index]
        page.wait_for_timeout(500)
    return heights[-1]
