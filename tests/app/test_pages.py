"""Pages over small logs: the right figures, and a sentence for everything that can be wrong."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import dpcore.demo
from dpcore.log import read_evidence
from dpcore.monitor import monitor
from pages.parts import plan, source
from tests.app.conftest import HOSTILE, ROOT

Make = Callable[..., Path]
Open = Callable[..., AppTest]

POOL = "pages/monitor/pool.py"
WHAT_IF = "pages/analyse/what_if.py"


def said(test: AppTest) -> str:
    """All plain text on the page."""
    return "\n".join(element.value for element in [*test.header, *test.subheader, *test.text, *test.error])


def by_theorem(test: AppTest) -> pd.DataFrame:
    """The table of theorems by title; what role one has stands behind its title."""
    table = test.dataframe[0].value
    return table.set_index(table["Theorem"].str.split("  ").str[0])


def test_overview_counts_the_pools_in_trouble(make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic", "worn": "basic", "spent": "basic"}, {"calm": 2, "worn": 8, "spent": 10}))
    assert test.header[0].value == "2 of 3 pools need attention."
    table = test.table[0].value
    assert list(table["Queries left"]) == [0, 2, 8]
    assert list(table["State"]) == ["Exhausted", "Warning", "OK"]
    assert list(table["Spent"]) == pytest.approx([1.0, 0.8, 0.2])


def test_overview_says_when_all_is_well(make_log: Make, open_app: Open) -> None:
    assert open_app(make_log({"calm": "basic"}, {"calm": 1})).header[0].value == "The only pool is in order."


def test_filters_come_from_the_address_and_name_what_they_do_not_know(make_log: Make, open_app: Open) -> None:
    log = make_log({"calm": "basic", "worn": "basic"}, {"calm": 2, "worn": 8})
    test = open_app(log, state="warning")
    assert len(test.table[0].value) == 1
    test = open_app(log, state="melted", owner="nobody")
    assert "state 'melted'" in said(test) and "owner 'nobody'" in said(test)
    assert len(test.table[0].value) == 2
    test = open_app(log, search="wor")
    assert len(test.table[0].value) == 1


def test_pool_page_shows_the_pool_of_the_address(make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic", "worn": "basic"}, {"calm": 2, "worn": 8}), POOL, pool="worn")
    assert test.header[0].value == "worn"
    figures = by_theorem(test)
    assert figures.loc["Basic (plain sum)", "Queries left"] == "2"
    assert figures.loc["Basic (plain sum)", "ε spent"] == "0.8"
    assert "★ official" in figures.loc["Basic (plain sum)", "Theorem"]
    assert figures["Theorem"].str.contains("official").sum() == 1
    assert "2 queries left of the typical kind (Laplace, ε = 0.1)." in said(test)


def test_unknown_pool_is_named(make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic"}, {"calm": 2}), POOL, pool="nowhere")
    assert "no pool named 'nowhere'" in said(test)
    assert not test.dataframe


def test_pool_without_rows(make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic"}), POOL, pool="calm")
    assert "10 queries left" in said(test) and "This pool has no rows yet." in said(test)


def test_log_without_pools(make_log: Make, open_app: Open) -> None:
    for page in (None, POOL):
        assert "declares no pools" in said(open_app(make_log({}) if page is None else source.log_path(), page))


@pytest.mark.parametrize("kind", ["missing", "empty", "foreign", "newer"])
@pytest.mark.parametrize("page", [None, POOL, WHAT_IF])
def test_a_log_that_cannot_be_read_gives_a_sentence(
    kind: str, page: str | None, tmp_path: Path, open_app: Open
) -> None:
    log = tmp_path / "bad.duckdb"
    if kind == "empty":
        log.write_bytes(b"")
    elif kind == "foreign":
        log.write_text("no database", encoding="utf-8")
    elif kind == "newer":
        from dpcore.log import create_log

        create_log(log)
        with duckdb.connect(str(log)) as connection:
            _raise_format(connection)
    before = log.read_bytes() if log.exists() else None
    test = open_app(log, page)
    assert any(str(log) in element.value for element in test.text), said(test)
    assert not test.error and not test.header
    assert (log.read_bytes() if log.exists() else None) == before


def _raise_format(connection: duckdb.DuckDBPyConnection) -> None:
    tables = connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE column_name ILIKE '%format%version%' "
        "OR (table_name ILIKE '%format%' AND data_type LIKE '%INT%')"
    ).fetchall()
    assert tables, "the log's format is recorded nowhere that this test knows"
    for table, column in tables:
        connection.execute(f'UPDATE "{table}" SET "{column}" = 999')


def test_a_held_log_keeps_the_last_figures(make_log: Make, open_app: Open) -> None:
    log = make_log({"calm": "basic"}, {"calm": 2})
    test = open_app(log)
    code = (
        "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE held (a INT)'); "
        "c.execute('CHECKPOINT'); print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(log)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        os.utime(log, (time.time(), time.time() + 5))
        test.run()
        assert test.header[0].value.endswith("in order.")
        assert "These are the last figures, as of" in said(test) and str(holder.pid) in said(test)
    finally:
        holder.kill()
        holder.wait()


def test_names_of_the_log_are_never_markup(make_log: Make, open_app: Open) -> None:
    log = make_log({HOSTILE: "basic"}, {HOSTILE: 9}, analyst=HOSTILE)
    for page in (None, POOL):
        test = open_app(log, page)
        quoting = [e for e in [*test.markdown, *test.caption, *test.header, *test.subheader] if "stars" in e.value]
        assert quoting or page is None
        for element in quoting:
            bare = re.sub(r"\\.", "", element.value)
            assert not set(bare) & set("<*$[!`"), element.value


def test_a_page_by_itself_stops_at_the_guard(make_log: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPCORE_LOG", str(make_log({"secret-pool": "basic"}, {"secret-pool": 2})))
    pages = sorted(file for folder in ("monitor", "analyse") for file in (ROOT / "pages" / folder).glob("*.py"))
    assert len(pages) >= 3
    for page in pages:
        lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.strip()]
        assert lines[0].startswith("from pages.parts.guard import guard") and lines[1] == "guard()", page
        test = AppTest.from_file(str(page), default_timeout=60).run()
        assert len(test.error) == 1 and not test.text and not test.table and not test.dataframe


def test_no_page_lies_where_streamlit_would_find_it() -> None:
    assert [file.name for file in (ROOT / "pages").glob("*.py")] in ([], ["__init__.py"])
    main = ROOT / "pages" / "parts"
    assert (main / "main.py").exists() and not (main / "pages").exists()


def test_what_if_follows_its_dials(make_log: Make, open_app: Open) -> None:
    log = make_log({"calm": "basic"}, {"calm": 2})
    test = open_app(log, WHAT_IF)
    test.number_input("k").set_value(50).run()
    assert test.select_slider("k_slider").value == "50"
    test.select_slider("epsilon_slider").set_value("0.01").run()
    assert test.number_input("epsilon").value == 0.01
    figures = by_theorem(test)
    assert figures.loc["Basic (plain sum)", "ε in all"] == "0.5"
    assert figures.loc["Basic (plain sum)", "More that fit"] == "150"
    test.selectbox("from").set_value("calm").run()
    figures = by_theorem(test)
    assert figures.loc["Basic (plain sum)", "ε in all"] == "0.7"
    assert figures.loc["Basic (plain sum)", "More that fit"] == "30"


def test_what_if_keeps_its_sliders_in_step_with_odd_values(make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic"}), WHAT_IF)
    test.number_input("epsilon").set_value(0.15000000000000002).run()
    assert test.select_slider("epsilon_slider").value == "0.15"
    test.number_input("delta").set_value(3.3e-7).run()
    assert test.select_slider("delta_slider").value == "3.3e-7"
    assert all("00000" not in option for option in test.select_slider("epsilon_slider").options)


def test_what_if_names_what_the_address_gets_wrong(make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic"}), WHAT_IF, mechanism="magic", k="many", from_="nowhere")
    assert all(value in said(test) for value in ("'magic'", "'many'", "'nowhere'"))


@pytest.mark.parametrize("kind", sorted(plan.KINDS))
def test_what_if_answers_for_every_mechanism(kind: str, make_log: Make, open_app: Open) -> None:
    test = open_app(make_log({"calm": "basic"}, {"calm": 1}), WHAT_IF, mechanism=kind)
    assert len(test.dataframe[0].value) >= 10
    assert test.selectbox("mechanism").value == plan.KINDS[kind].label
    assert "queries (" in said(test)


def test_every_kind_of_pool_in_the_sample_is_drawn(tmp_path: Path, open_app: Open) -> None:
    log = tmp_path / "sample.duckdb"
    dpcore.demo.build(log)
    kinds = {}
    for status in monitor(read_evidence(log)).pools:
        pool = status.pool
        finding = status.findings[0].kind if status.findings else None
        kinds.setdefault((status.state, finding, pool.window, pool.closed, pool.budget.rho is None), pool.name)
    assert len(kinds) > 15
    test = open_app(log, POOL)
    for name in kinds.values():
        test.selectbox("pool").set_value(name).run()
        assert not test.exception and not test.error, name
        assert test.header[0].value.replace("\\", "") == name
