"""The app in a real browser: started as a newcomer starts it, looked at in light, dark and narrow."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import serving

SCREENS = ("/", "/pool?pool=cardiology", "/what_if")


def status_json(copy: Path) -> dict[str, object]:
    """What the command line says about the sample that the app shows."""
    log = copy / "data" / "cache" / "sample.duckdb"
    command = [sys.executable, "-m", "dpcore", "status", "--log", str(log), "--json"]
    return json.loads(subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True).stdout)  # type: ignore[no-any-return]


def visit(page: Page, address: str) -> None:
    """Go there and wait until the page is drawn."""
    page.goto(address)
    serving.settled(page)


def test_overview_shows_what_the_command_line_says(app: str, copy: Path, page: Page) -> None:
    visit(page, app)
    expect(page.get_by_text("Sample data").first).to_be_visible()
    page.wait_for_selector("a.gauge")
    shown = {
        gauge.locator(".name").inner_text(): gauge.locator(".big").inner_text()
        for gauge in page.locator("a.gauge").all()
        if "Closed" not in gauge.inner_text()
    }
    expected = {}
    for pool in status_json(copy)["pools"]:  # type: ignore[attr-defined]
        remaining = pool["theorems"][pool["official"]].get("remaining")
        if isinstance(remaining, int) and pool["pool"] in shown:
            expected[pool["pool"]] = f"{remaining:,}"
    assert len(expected) >= 10 and "cardiology" in expected
    assert {name: shown[name] for name in expected} == expected


def test_a_click_and_the_enter_key_open_the_pool(app: str, page: Page) -> None:
    for by in ("click", "Enter"):
        visit(page, app)
        gauge = page.locator("a.gauge", has=page.get_by_text("cardiology", exact=True))
        gauge.scroll_into_view_if_needed()
        if by == "click":
            gauge.click()
        else:
            gauge.focus()
            page.keyboard.press("Enter")
        page.wait_for_url("**/pool?pool=cardiology")
        expect(page.get_by_role("heading", name="cardiology", exact=True)).to_be_visible(timeout=20_000)
    page.go_back()
    expect(page.locator("a.gauge").first).to_be_visible(timeout=20_000)


def test_a_deep_link_works_on_a_fresh_server(app: str, copy: Path, browser: Browser, tmp_path: Path) -> None:
    with serving.served(copy, tmp_path) as address:
        page = browser.new_page()
        visit(page, f"{address}/pool?pool=oncology")
        expect(page.get_by_role("heading", name="oncology", exact=True)).to_be_visible()
        assert page.get_by_text("Page not found").count() == 0
        assert page.get_by_role("dialog").count() == 0
        page.close()


def test_no_address_leads_past_the_guard(app: str, copy: Path, browser: Browser, tmp_path: Path) -> None:
    """A copy whose front door admits nobody shows no figure at any address, from the first visit on."""
    locked = serving.fresh_copy(tmp_path)
    shell = locked / "pages" / "parts" / "shell.py"
    code = shell.read_text(encoding="utf-8")
    assert code.count("    admit()\n") == 1
    shell.write_text(code.replace("    admit()\n", ""), encoding="utf-8")
    files = [file.relative_to(locked) for file in sorted((locked / "pages").rglob("*.py"))]
    pages = [file for file in files if file.parent.name != "parts"]
    assert len(pages) >= 3
    deep = [address for file in pages for address in (file.as_posix(), f"{file.parent.name}/{file.stem}")]
    addresses = ["pool?pool=cardiology", *(file.stem for file in files), *deep]
    home = tmp_path / "home"
    home.mkdir()
    with serving.served(locked, home, copy / "data" / "cache" / "sample.duckdb") as server:
        page = browser.new_page()
        for address in dict.fromkeys(addresses):
            page.goto(f"{server}/{address}")
            if "/" in address:
                page.wait_for_timeout(1500)
            else:
                page.wait_for_selector("[data-testid=stMain] [data-testid=stAlert]", timeout=30_000)
            assert "cardiology" not in page.inner_text("body"), address
            assert page.locator("a.gauge, [data-testid=stDataFrame], [data-testid=stTable]").count() == 0, address
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_on_the_wall_has_contrast(scheme: str, app: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    visit(page, app)
    page.wait_for_selector("a.gauge")
    pairs = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((node) => node.shadowRoot)
            .flatMap((node) => [...node.shadowRoot.querySelectorAll(".gauge div, .flag")])
            .concat([...document.querySelectorAll(".gauge *")])
            .filter((node) => node.textContent.trim() && node.closest(".gauge"))
            .map((node) => [getComputedStyle(node).color, getComputedStyle(node.closest(".gauge")).backgroundColor])"""
    )
    assert len(pairs) > 50
    ground = {back for _, back in pairs}
    assert ground == {"rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 22, 28)"}
    worst = min(contrast(rgb(fore), rgb(back)) for fore, back in pairs)
    assert worst >= 4.5
    context.close()


def rgb(text: str) -> tuple[float, float, float]:
    """The channels of a computed colour."""
    red, green, blue = (float(part) for part in text[text.index("(") + 1 : -1].split(",")[:3])
    return red, green, blue


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """WCAG 2 contrast ratio."""

    def luminance(colour: tuple[float, ...]) -> float:
        lin = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("path", SCREENS)
def test_nothing_scrolls_sideways_at_375_pixels(path: str, app: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 800})
    page = context.new_page()
    visit(page, app + path)
    page.wait_for_timeout(500)
    widths = page.evaluate(
        """() => [document.documentElement.scrollWidth,
                  document.querySelector("[data-testid=stMain]").scrollWidth]"""
    )
    assert max(widths) <= 375
    context.close()


def test_what_if_lives_in_the_address(app: str, page: Page) -> None:
    visit(page, f"{app}/what_if")
    field = page.locator("[data-testid=stNumberInput] input[aria-label='Number of queries']")
    field.fill("5000")
    field.press("Enter")
    page.wait_for_url("**/what_if?k=5000")
    expect(page.get_by_text("5,000 queries (Laplace, ε = 0.1)", exact=False)).to_be_visible()
    slider = page.get_by_role("slider", name="Number of queries")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_url("**/what_if?k=6000")
    expect(page.get_by_text("6,000 queries (Laplace, ε = 0.1)", exact=False)).to_be_visible()
    address = page.url
    page.goto("about:blank")
    visit(page, address)
    expect(page.get_by_text("6,000 queries (Laplace, ε = 0.1)", exact=False)).to_be_visible()
    assert parse_qs(urlparse(page.url).query) == {"k": ["6000"]}


def test_the_log_cannot_put_markup_on_the_page(browser: Browser, copy: Path, tmp_path: Path) -> None:
    from tests.app.conftest import HOSTILE, pools_toml

    log, home = tmp_path / "log.duckdb", tmp_path / "home"
    home.mkdir()
    (tmp_path / "pools.toml").write_text(pools_toml({HOSTILE: "basic"}), encoding="utf-8")
    header = "query_id,ts,pool,analyst,purpose,query_text,status,mechanism,epsilon\n"
    rows = [
        f'q{i},2026-01-0{i + 1}T10:00:00Z,"{HOSTILE}","{HOSTILE}","{HOSTILE}","{HOSTILE}",released,laplace,0.1'
        for i in range(9)
    ]
    (tmp_path / "rows.csv").write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
    for arguments in (["pools", "apply", "pools.toml"], ["import", "rows.csv"]):
        command = [sys.executable, "-m", "dpcore", *arguments, "--log", "log.duckdb"]
        subprocess.run(command, cwd=tmp_path, check=True, env={"PYTHONPATH": str(copy)}, capture_output=True)
    with serving.served(copy, home, log) as address:
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for path in ("/", "/pool", "/what_if"):
            visit(page, address + path)
            page.wait_for_timeout(500)
            main = page.locator("[data-testid=stMain]")
            assert main.locator("b", has_text="b").count() == 0
            assert main.locator("img, .katex, em:has-text('stars'), i:has-text('stars')").count() == 0
            links = [link.get_attribute("href") or "" for link in page.locator("a[href]").all()]
            assert links and not [link for link in links if "://" in link and not link.startswith(address)]
        assert not [url for url in asked if not url.startswith((address, "ws", "data:", "blob:"))]
        page.close()
