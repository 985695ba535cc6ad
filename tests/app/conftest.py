"""Small logs for the screens."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.log import apply_pools, create_log, import_files
from pages.parts import source

ROOT = Path(__file__).parents[2]

POOL = """
[[pool]]
name = {name!r}
dataset = "visits"
owner = "research"
epsilon = "1.0"
delta = "1e-6"
privacy_unit = "person"
official = "{official}"
typical = {{ mechanism = "laplace", epsilon = "0.1" }}
"""

HOSTILE = (
    "<b>bold</b> *stars* $x^2$ :red[red] ![pic](http://127.0.0.1:9/p.png) [link](http://127.0.0.1:9) www.evil.example"
)


def pools_toml(names: dict[str, str]) -> str:
    """Pools of ε = 1 by name, each with its official theorem."""
    return "".join(POOL.format(name=name, official=official) for name, official in names.items())


@pytest.fixture
def make_log(tmp_path: Path) -> Callable[..., Path]:
    """Builds a log: pools by name and official theorem, and how many queries of ε = 0.1 each has asked."""

    def make(names: dict[str, str], counts: dict[str, int] | None = None, analyst: str = "ann") -> Path:
        log, declared, rows = tmp_path / "log.duckdb", tmp_path / "pools.toml", tmp_path / "rows.csv"
        create_log(log)
        if names:
            declared.write_text(pools_toml(names), encoding="utf-8")
            apply_pools(declared, log)
        if counts:
            start = datetime.now(UTC) - timedelta(days=20)
            lines = ["query_id,ts,pool,analyst,purpose,status,mechanism,epsilon"]
            for number, (pool, many) in enumerate(counts.items()):
                for i in range(many):
                    ts = (start + timedelta(hours=i)).isoformat()
                    lines.append(f'q{number}-{i},{ts},"{pool}","{analyst}","{analyst}",released,laplace,0.1')
            rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
            import_files([rows], log)
        return log

    return make


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Runs a page of the app over a log, through app.py."""

    def run(log: Path, page: str | None = None, **query: str) -> AppTest:
        monkeypatch.setenv("DPCORE_LOG", str(log))
        monkeypatch.chdir(ROOT)
        source.forget()
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        for key, value in query.items():
            test.query_params[key.rstrip("_")] = value
        test.run()
        if page is not None:
            test.switch_page(page)
            for key, value in query.items():
                test.query_params[key.rstrip("_")] = value
            test.run()
        assert not test.exception
        assert not any("could not be drawn" in error.value for error in test.error)
        return test

    return run
