"""One copy of the app and one browser for all browser tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import serving


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone of the app."""
    return serving.fresh_copy(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; where it is missing the tests are skipped, but fail where CI is set."""
    if not serving.CHROMIUM.exists():
        reason = f"{serving.CHROMIUM} is missing; install it with: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with serving.chromium() as started:
        yield started


@pytest.fixture(scope="session")
def app(copy: Path, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, started with an empty home and no settings, its sample built by the first visit."""
    with serving.served(copy, tmp_path_factory.mktemp("home")) as address:
        page = browser.new_page()
        page.goto(address)
        serving.settled(page)
        page.close()
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new tab in a new profile, 1280 × 900."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()
