"""Importing files: what goes in, what is refused, and that it can be done again."""

import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.log import LogError, apply_pools, import_files, read_evidence, read_rejected
from tests.log.logs import POOL, write_csv, write_pools

HEADER = "query_id,ts,pool,status,mechanism,epsilon,delta\n"
TIME = "2026-03-01T10:00:00Z"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "log.duckdb"
    apply_pools(write_pools(tmp_path / "pools.toml", [POOL]), file)
    return file


@pytest.fixture
def write(tmp_path: Path):
    def written(content: str | bytes, name: str = "rows.csv") -> Path:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return written


def line(query_id="q1", epsilon="0.1", delta="", mechanism="pure", status="released", pool="p", ts=TIME):
    return f"{query_id},{ts},{pool},{status},{mechanism},{epsilon},{delta}\n"


def stored(log, columns="query_id, epsilon"):
    with duckdb.connect(str(log), read_only=True) as connection:
        return connection.execute(f"SELECT {columns} FROM query_log ORDER BY query_id, epsilon").fetchall()


def epsilon(log):
    found = read_evidence(log).pools["p"].lifetime
    return sum((spend.loss.pair().epsilon * spend.count for spend in found), Decimal(0))


# Text


def test_numbers_are_not_guessed_from_the_first_rows(log, write):
    """A74: 1E-7 in a column of whole numbers."""
    import_files([write(HEADER + line("q1", "1") + line("q2", "2") + line("q3", "1E-7"))], log)
    assert epsilon(log) == Decimal("3.0000001")


@pytest.mark.parametrize(
    ("epsilon_text", "kept"),
    [("0.1", "0.1"), ("0.1234567890123456781", "0.123456789012345679"), ("1e-15", "1e-15"), ("+0.5", "0.5")],
)
def test_digits_beyond_the_column_round_up(log, write, epsilon_text, kept):
    import_files([write(HEADER + line(epsilon=epsilon_text))], log)
    assert stored(log) == [("q1", Decimal(kept))]


def test_delta_beyond_the_column_rounds_up_and_never_to_0(log, write):
    import_files([write(HEADER + line("a", delta="1.23e-36") + line("b", delta="0"))], log)
    assert stored(log, "delta") == [(Decimal("2e-36"),), (Decimal(0),)]


def test_a_decimal_mark_is_never_guessed(log, write):
    """A76: 0,100 is not 100, nor 0.1 unless that was said."""
    file = write(
        HEADER.replace(",", ";")
        + line("q1", "@").replace(",", ";").replace("@", "0,100")
        + line("q2", "@").replace(",", ";").replace("@", "1,000.5")
    )
    result = import_files([file], log)
    assert (result.accepted, result.rejected) == (0, 2)
    assert any("decimal mark" in reason for reason in result.reasons)
    told = import_files([file], log, decimal=",")
    assert (told.accepted, told.rejected) == (1, 1)
    assert stored(log) == [("q1", Decimal("0.1"))]


def test_with_a_decimal_comma_a_point_is_not_read(log, write):
    file = write((HEADER + line("q1", "1.000") + line("q2", '"0,5"')).encode())
    assert import_files([file], log, decimal=",").rejected == 1
    assert stored(log) == [("q2", Decimal("0.5"))]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_found(log, write, delimiter):
    import_files([write((HEADER + line()).replace(",", delimiter))], log)
    assert stored(log) == [("q1", Decimal("0.1"))]


def test_a_byte_order_mark_is_no_part_of_a_name(log, write):
    """A77."""
    result = import_files(
        [write(b"\xef\xbb\xbf" + (HEADER + line(delta="1e-6", mechanism="approximate")).encode())], log
    )
    assert (result.rows, result.accepted, result.ignored) == (1, 1, ())


def test_lines_are_counted_as_an_editor_counts_them(log, write):
    text = HEADER.replace("delta", "purpose") + "\r\n".join(
        [
            'q1,2026-03-01T10:00:00Z,p,released,pure,0.1,"two\nlines"',
            "",
            "q2,2026-03-01T10:00:00Z,p,released,pure,-1,x",
            "q3,short",
            "",
        ]
    )
    result = import_files([write(text)], log)
    assert (result.rows, result.accepted) == (3, 1)
    refused = read_rejected(log, "p").to_pylist() + read_rejected(log, None).to_pylist()
    assert [(row["source_row"], row["raw"]) for row in refused] == [
        ("5", "q2,2026-03-01T10:00:00Z,p,released,pure,-1,x"),
        ("6", "q3,short"),
    ]


def test_shifted_or_broken_lines_are_refused_alone(log, write):
    content = (
        HEADER + line("q1") + "q2,x,y,z,a,b,c,d,e\n" + line("q3")
    ).encode() + b"q4,\xff\xfe,p,released,pure,0.1,\n"
    result = import_files([write(content)], log)
    assert (result.accepted, result.rejected) == (2, 2)
    assert set(result.reasons) == {
        "the line has another number of fields than the header",
        "the line is not UTF-8 text",
    }


def test_free_text_is_kept_as_it_is(log, write):
    text = '=HYPERLINK("http://x") \'; DROP TABLE query_log; -- <b>'
    row = {"query_id": "q", "ts": TIME, "pool": "p", "status": "released", "mechanism": "pure", "epsilon": "1"}
    import_files([write_csv(log.with_suffix(".csv"), [row | {"query_text": text, "analyst": " a "}])], log)
    assert stored(log, "query_text, analyst") == [(text, " a ")]


def test_unknown_columns_are_named(log, write):
    result = import_files([write(HEADER[:-1] + ",cost_centre\n" + line()[:-1] + ",42\n")], log)
    assert (result.accepted, result.ignored) == (1, ("cost_centre",))


def test_times_without_a_zone_need_one(log, write):
    file = write(HEADER + line("a", ts="2026-07-01T12:00:00") + line("b", ts="2026-01-01 12:00"))
    assert import_files([file], log, dry_run=True).reasons == {"ts has no time zone": 2}
    import_files([file], log, timezone="Europe/Zurich")
    assert stored(log, "strftime(timezone('UTC', ts), '%m-%d %H:%M')") == [("07-01 10:00",), ("01-01 11:00",)]


# JSON lines and Parquet


def test_json_numbers_keep_their_digits(log, write):
    base = f'"ts": "{TIME}", "pool": "p", "status": "released", "mechanism": "pure"'
    lines = [
        f'{{"query_id": "a", {base}, "epsilon": 0.1000000000000000055511151231257827}}',
        f'{{"query_id": "b", {base}, "epsilon": 1e-7, "count": 2, "parents": null}}',
        f'{{"query_id": "c", {base}, "epsilon": NaN}}',
        f'{{"query_id": "d", {base}, "epsilon": 5, "epsilon": 0.1}}',
        f'{{"query_id": "e", {base}, "epsilon": true}}',
        "[1]",
        "{",
        "",
    ]
    result = import_files([write("\n".join(lines), "rows.jsonl")], log)
    assert (result.rows, result.accepted, result.rejected) == (7, 2, 5)
    assert stored(log) == [("a", Decimal("0.100000000000000006")), ("b", Decimal("1e-7"))]


def test_json_lists_of_parents(log, write):
    base = {"ts": TIME, "pool": "p", "status": "released"}
    rows = [
        base | {"query_id": "a", "mechanism": "pure", "epsilon": "0.1"},
        base | {"query_id": "b", "mechanism": "post_processing", "parents": ["a", "a"]},
        base | {"query_id": "c", "mechanism": "post_processing", "parents": []},
    ]
    result = import_files([write("\n".join(map(json.dumps, rows)), "rows.jsonl")], log)
    assert result.reasons == {"parents are blank": 1}
    assert stored(log, "parents") == [(None,), (["a"],)] or stored(log, "parents") == [(["a"],), (None,)]


def test_parquet_doubles_are_taken_by_their_shortest_text(log, tmp_path):
    table = pa.table(
        {
            "query_id": ["a", "b", "c"],
            "ts": pa.array([0, 1, 2], pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us", tz="UTC")),
            "pool": ["p"] * 3,
            "status": ["released"] * 3,
            "mechanism": ["pure", "pure", "laplace"],
            "epsilon": pa.array([1e-7, float("nan"), None], pa.float64()),
            "noise_scale": pa.array([None, None, 20.0]),
            "sensitivity": pa.array([None, None, 1.0]),
            "count": pa.array([1, None, 3], pa.int32()),
        }
    )
    file = tmp_path / "it's [odd]*.parquet"
    pq.write_table(table, file)
    result = import_files([file], log)
    assert (result.accepted, result.rejected) == (2, 1)
    assert stored(log, 'epsilon, noise_scale, "count", source_row') == [
        (Decimal("1e-7"), None, 1, 1),
        (None, 20.0, 3, 3),
    ]


# Again and again


def test_importing_again_changes_nothing(log, write):
    """A69 across imports: the same id with the same content is the same query."""
    file = write(HEADER + line("q1") + line("q1") + line("q2", "-1") + line("q3", "0.2"))
    first = import_files([file], log)
    assert (first.rows, first.accepted, first.rejected, first.duplicates) == (4, 2, 1, 1)
    before = read_evidence(log).pools["p"]
    second = import_files([file], log)
    assert (second.rows, second.accepted, second.rejected, second.duplicates) == (4, 0, 1, 3)
    after = read_evidence(log).pools["p"]
    assert (after.lifetime, after.facts, after.rows.rejected) == (before.lifetime, before.facts, 1)
    assert (before.rows.duplicates, after.rows.duplicates) == (1, 4)


def test_a_grown_export_adds_only_what_is_new(log, write):
    import_files([write(HEADER + line("q1") + line("bad", "-1"), "a.csv")], log)
    grown = import_files([write(HEADER + line("q0") + line("q1") + line("bad", "-1") + line("q2"), "b.csv")], log)
    assert (grown.accepted, grown.duplicates, grown.rejected) == (2, 1, 1)
    assert read_evidence(log).pools["p"].rows.rejected == 1
    assert epsilon(log) == Decimal("0.3")


def test_two_files_at_once(log, write):
    first, second = write(HEADER + line("q1"), "a.csv"), write(HEADER + line("q1") + line("q1", "0.5"), "b.csv")
    result = import_files([second, first], log)
    assert (result.accepted, result.duplicates, result.conflicts) == (2, 1, ("q1",))
    assert epsilon(log) == Decimal("0.5")


def test_conflicts_are_kept_whichever_came_first(log, write):
    import_files([write(HEADER + line("q", "0.4"), "a.csv")], log)
    result = import_files([write(HEADER + line("q", "0.1"), "b.csv")], log)
    assert (result.accepted, result.conflicts) == (1, ("q",))
    assert len(stored(log)) == 2 and epsilon(log) == Decimal("0.4")
    assert import_files([write(HEADER + line("q", "0.10") + line("q", "0.4"), "c.csv")], log).duplicates == 2


def test_a_refused_row_is_resolved_by_an_accepted_one(log, write):
    import_files([write(HEADER + line("q", "1_0"), "a.csv")], log)
    assert read_evidence(log).pools["p"].rows.rejected == 1
    import_files([write(HEADER + line("q", "0.1"), "b.csv")], log)
    assert read_evidence(log).pools["p"].facts == ()
    assert read_rejected(log, "p").num_rows == 0
    import_files([write(HEADER + line("q", "1_0"), "a.csv")], log)
    assert read_evidence(log).pools["p"].facts == ()


def test_a_refused_row_moves_to_its_pool_once_that_is_declared(log, write, tmp_path):
    import_files([write(HEADER + line(pool="later"))], log)
    assert read_evidence(log).facts[0].rows == 1 and read_rejected(log, None).num_rows == 1
    apply_pools(write_pools(tmp_path / "more.toml", [POOL | {"name": "later"}]), log)
    found = read_evidence(log)
    assert (found.facts, found.pools["later"].rows.rejected) == ((), 1)


def test_a_dry_run_writes_nothing(log, write):
    before = log.read_bytes()
    result = import_files([write(HEADER + line() + line("q2", "-1"))], log, dry_run=True)
    assert (result.accepted, result.rejected, result.dry_run) == (1, 1, True)
    assert stored(log) == [] and log.read_bytes() == before


# What cannot be imported


@pytest.mark.parametrize(
    ("content", "name", "options", "says"),
    [
        ("", "rows.csv", {}, "is empty"),
        ("\n\n", "rows.csv", {}, "no header"),
        ("a,b\n1,2\n", "rows.csv", {}, "no column query_id and no ts"),
        (HEADER[:-1] + ",epsilon\n", "rows.csv", {}, "column epsilon twice"),
        ("[{}]", "rows.json", {}, "one object a line"),
        ('{"query_id": 1}', "rows.jsonl", {}, "no column ts"),
        ("PAR1", "rows.parquet", {}, "not a Parquet file"),
        (HEADER, "rows.xlsx", {}, "--format"),
        (HEADER, "rows.csv", {"format": "xml"}, "no format 'xml'"),
        (HEADER, "rows.csv", {"decimal": ";"}, "decimal mark ';'"),
        (HEADER, "rows.csv", {"timezone": "Mars/Base"}, "time zone 'Mars/Base'"),
    ],
)
def test_what_cannot_be_imported_is_said_in_one_sentence(log, write, content, name, options, says):
    before = log.read_bytes()
    with pytest.raises(LogError) as failed:
        import_files([write(content, name)], log, **options)
    assert says in str(failed.value) and "\n" not in str(failed.value)
    assert log.read_bytes() == before


def test_a_file_named_twice(log, write):
    file = write(HEADER + line())
    with pytest.raises(LogError, match="same content"):
        import_files([file, file], log)
    assert stored(log) == []


def test_a_file_with_a_header_alone_has_no_rows(log, write):
    assert import_files([write(HEADER)], log).rows == 0


def test_a_log_without_pools_takes_no_rows(tmp_path, write):
    from dpcore.log import create_log

    create_log(tmp_path / "new.duckdb")
    with pytest.raises(LogError, match="declares no pools yet"):
        import_files([write(HEADER + line())], tmp_path / "new.duckdb")
