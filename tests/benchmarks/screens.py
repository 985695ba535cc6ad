"""How fast the screens are: `python tests/benchmarks/screens.py`. Prints medians; asserts nothing."""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page

from tests.browser import serving

ROUNDS = 9

WALL = """
import streamlit as st
from pages.parts import gauges, wall
from tests.app import statuses

@st.cache_resource
def figures(turns):
    return statuses.made({f"pool {i}": 40 * i + turns for i in range(COUNT)})[1]


turn = st.button("Turn")
st.session_state["turns"] = st.session_state.get("turns", 0) + turn
turns = st.session_state["turns"]
status = [figures(known) for known in range(12)][turns]
wall.gauge_wall(gauges.groups(status, list(status.pools)), key="wall")
st.text(f"turn {turns}")
"""

RERUN = """async () => {
    const roots = [...document.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean);
    const wall = roots.map((root) => root.querySelector(".wall")).find(Boolean);
    const figures = () => [...wall.querySelectorAll(".big")].map((node) => node.textContent).join();
    const before = figures();
    const button = [...document.querySelectorAll("button")].find((node) => node.textContent.trim() === "Turn");
    const begun = performance.now();
    button.click();
    while (figures() === before) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return performance.now() - begun;
}"""
"""In the page: from the click to two frames after the wall shows other figures, in milliseconds."""


def median(what: str, times: list[float]) -> None:
    """Print one line: median and worst, in milliseconds."""
    print(f"{what:<58} {statistics.median(times) * 1000:7.0f} ms   worst {max(times) * 1000:7.0f} ms")


def timed(action: Callable[[], None]) -> float:
    """Seconds that an action takes."""
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def overview(page: Page, address: str) -> None:
    """From the request to the last gauge."""
    page.goto(address)
    page.wait_for_selector("a.gauge")


def main() -> None:
    """Measure a warm server over the sample log, then walls of 12 and 48 gauges."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home, serving.chromium() as browser:
        copy = serving.fresh_copy(Path(folder))
        with serving.served(copy, Path(home)) as address:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            print(f"First start, sample built: {timed(lambda: overview(page, address)):.1f} s")
            median("Overview, new visit", [timed(lambda: overview(page, address)) for _ in range(ROUNDS)])
            for path, mark in (("/pool?pool=cardiology", "What was asked last?"), ("/what_if", "queries (")):

                def visit(path: str = path, mark: str = mark) -> None:
                    page.goto(address + path)
                    page.get_by_text(mark).first.wait_for()

                median(f"{path}, new visit", [timed(visit) for _ in range(ROUNDS)])
            moves = []
            for turn in range(ROUNDS):
                slider = page.get_by_role("slider", name="Number of queries")
                slider.focus()
                before = page.get_by_text("queries (").first.inner_text()
                begun = time.perf_counter()
                slider.press("ArrowRight" if turn % 2 else "ArrowLeft")
                page.wait_for_function("before => !document.body.innerText.includes(before)", arg=before)
                moves.append(time.perf_counter() - begun)
            median("What-if, from the slider's move to the new sentence", moves)
            page.close()
        (copy / "tests" / "app").mkdir(parents=True)
        (copy / "tests" / "app" / "statuses.py").write_text((serving.ROOT / "tests/app/statuses.py").read_text())
        for count in (12, 48):
            (copy / "app.py").write_text(WALL.replace("COUNT", str(count)))
            with serving.served(copy, Path(home)) as address:
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(address)
                page.wait_for_selector("a.gauge")
                serving.settled(page)
                times = [float(page.evaluate(RERUN)) / 1000 for _ in range(ROUNDS)]
                median(f"Wall of {count} gauges, rerun with new figures", times)
                page.close()


if __name__ == "__main__":
    main()
