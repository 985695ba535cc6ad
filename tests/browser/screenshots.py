"""Pictures of every screen: `python tests/browser/screenshots.py --out DIR`, light, dark and 375 px wide.

With `--readme FILE` the picture of the README instead.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Browser

from tests.browser import serving

SCREENS = {
    "overview": "/",
    "pool": "/pool",
    "pool-cardiology": "/pool?pool=cardiology",
    "what-if": "/what_if",
    "what-if-gaussian": "/what_if?mechanism=gaussian&k=1000",
    "pool-unknown": "/pool?pool=nowhere",
}
LOOKS = {"light": (1280, "light"), "dark": (1280, "dark"), "narrow": (375, "light")}


def shoot(browser: Browser, address: str, file: Path, width: int, scheme: str, height: int | None = None) -> None:
    """One picture of a whole page, or of its first `height` pixels."""
    context = browser.new_context(viewport={"width": width, "height": height or 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    serving.settled(page)
    if height is None:
        serving.whole_height(page)
    page.screenshot(path=file)
    context.close()


def main() -> None:
    """Start a fresh copy of the app and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for the pictures of all screens")
    parser.add_argument("--readme", type=Path, help="file for the picture of the README")
    parser.add_argument("--log", type=Path, help="a log to show instead of the sample")
    parser.add_argument("--only", help="only screens whose name contains this")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        copy = serving.fresh_copy(Path(folder))
        with serving.served(copy, Path(home), given.log) as address, serving.chromium() as browser:
            if given.readme:
                shoot(browser, address, given.readme, 1280, "light", 1230)
            if given.out:
                given.out.mkdir(parents=True, exist_ok=True)
                for name, path in SCREENS.items():
                    for look, (width, scheme) in LOOKS.items():
                        if not given.only or given.only in f"{name}-{look}":
                            shoot(browser, address + path, given.out / f"{name}-{look}.png", width, scheme)


if __name__ == "__main__":
    main()
