"""The SQL rules against dpcore.losses: both must accept and refuse the same rows."""

import itertools

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpcore.decimals import literal
from dpcore.log.connection import script
from dpcore.losses import MECHANISMS, LossError, from_fields

NUMBERS = ("epsilon", "rho", "delta", "noise_scale", "sensitivity", "clip_norm", "sampling_rate")


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET VARIABLE zone = NULL")
        connection.execute(script("rules.sql"))
        connection.execute("CREATE TABLE known_pools AS SELECT 'p' AS name")
        connection.execute("CREATE TABLE known_mechanisms(name VARCHAR, reads VARCHAR[])")
        for name, kind in MECHANISMS.items():
            connection.execute("INSERT INTO known_mechanisms VALUES (?, ?)", [name, list(kind.field_names())])
        yield connection


def problems(engine, rows):
    """The problem of each row, by the SQL rules."""
    engine.execute(
        "CREATE OR REPLACE TABLE given (place INTEGER, mechanism VARCHAR, "
        + ", ".join(f"{name} VARCHAR" for name in NUMBERS)
        + ', "count" VARCHAR, partition_scheme VARCHAR, partition VARCHAR, status VARCHAR, pool VARCHAR, '
        "defect VARCHAR, id_blank BOOLEAN, ts_problem VARCHAR, parents_blank BOOLEAN)"
    )
    for place, row in enumerate(rows):
        values = [place, row.get("mechanism", "pure"), *(row.get(name) for name in NUMBERS), row.get("count")]
        values += [
            row.get("partition_scheme"),
            row.get("partition"),
            row.get("status", "released"),
            row.get("pool", "p"),
        ]
        marks = ", ".join("?" for _ in values)
        engine.execute(f"INSERT INTO given VALUES ({marks}, NULL, false, NULL, false)", values)
    return [row[0] for row in engine.execute("SELECT problem FROM judge('given') ORDER BY place").fetchall()]


def refused_by_losses(row):
    try:
        from_fields(row["mechanism"], {name: row.get(name) for name in NUMBERS})
    except LossError as error:
        return str(error)
    return None


VALUES = {
    "epsilon": [
        "0.1",
        "1e-15",
        "9e-16",
        "0",
        "0.0e5",
        "1e20",
        "99999999999999999999",
        "-1",
        "5e-324",
        "1E-7",
        ".5",
        "5.",
        "+2",
    ],
    "rho": ["0.5", "1e-16", "0", "inf", "1e-15"],
    "delta": ["1e-6", "0", "1", "1.0", "0.999", "1e-36", "1e-37", "9.99e-37", "-1e-9", "0e-40"],
    "noise_scale": ["1", "0", "-1", "1e-150", "1e-151", "1e150", "1e151", "1e400", "5e-324", "nan"],
    "sensitivity": ["1", "2.5", "0"],
    "clip_norm": ["1", "1e999"],
    "sampling_rate": ["0.01", "1", "1.0000001", "0", "-0.1"],
}
TEXTS = [
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    "0x1p-2",
    "1_000",
    "1,5",
    "1e",
    "e5",
    ".",
    "1.2.3",
    "one",
    "--1",
    "1e+5 x",
    "²",
]


def corpus():
    for mechanism, kind in MECHANISMS.items():
        read = [name for name in NUMBERS if name in kind.field_names()]
        good = {name: VALUES[name][0] for name in read}
        # Which columns are stated at all.
        for size in range(len(read) + 1):
            for chosen in itertools.combinations(read, size):
                yield {"mechanism": mechanism, **{name: good[name] for name in chosen}}
        # Each column with every value that lies at an edge, or is no number.
        for name in read:
            for value in VALUES[name] + TEXTS:
                yield {"mechanism": mechanism, **good, name: value}


def test_rules_and_losses_agree(engine):
    rows = list(corpus())
    assert len(rows) > 900
    disagreeing = [
        (row, problem, other)
        for row, problem in zip(rows, problems(engine, rows), strict=True)
        if (problem is None) != ((other := refused_by_losses(row)) is None)
    ]
    assert disagreeing == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"pool": None, "epsilon": "1"}, "pool is blank"),
        ({"pool": "x", "epsilon": "1"}, "unknown pool"),
        ({"status": "ok", "epsilon": "1"}, "unknown status"),
        ({"status": "failed_after_release", "epsilon": "1"}, "unknown status"),
        ({"mechanism": "magic", "epsilon": "1"}, "unknown mechanism"),
        ({"mechanism": "pure"}, "epsilon is blank"),
        ({"mechanism": "approximate", "epsilon": "1"}, "delta is blank, which is not 0 for approximate"),
        ({"epsilon": "5e-324"}, "epsilon is below the smallest accepted value, 1e-15"),
        ({"epsilon": "-1"}, "epsilon is negative"),
        ({"epsilon": "nan"}, "epsilon is not a finite number"),
        ({"epsilon": "1_000"}, "epsilon is not a plain decimal number"),
        ({"epsilon": "0,100"}, "epsilon has a comma in it; say which character is the decimal mark (--decimal ,)"),
        ({"epsilon": "1", "delta": "1"}, "delta is not below 1"),
        ({"epsilon": "1", "delta": "0." + "9" * 37}, "delta is not below 1"),
        ({"epsilon": "1", "count": "0"}, "count is not a whole number of at least 1"),
        ({"epsilon": "1", "count": "1.5"}, "count is not a whole number of at least 1"),
        ({"epsilon": "1", "count": "-2"}, "count is not a whole number of at least 1"),
        ({"epsilon": "1", "count": "1" + "0" * 18}, "count is not below 1e18"),
        ({"epsilon": "1", "partition": "a"}, "partition without partition_scheme"),
        ({"epsilon": "1", "partition_scheme": "a"}, "partition_scheme without partition"),
        ({"epsilon": "1", "partition_scheme": "a", "partition": "x||y"}, "partition names an empty part"),
        # A column that the mechanism does not read may say 0, and nothing else that is no number of its kind.
        ({"epsilon": "1", "noise_scale": "0", "rho": "0"}, None),
        ({"epsilon": "1", "noise_scale": "-1"}, "noise_scale is negative"),
        ({"epsilon": "1", "rho": "nan"}, "rho is not a finite number"),
        ({"epsilon": "1", "count": "3.0"}, None),
    ],
)
def test_reasons_are_plain_phrases(engine, row, reason):
    assert problems(engine, [row]) == [reason]


@st.composite
def literals(draw):
    whole = draw(st.text("0123456789", max_size=22))
    part = draw(st.text("0123456789", max_size=45))
    exponent = draw(st.one_of(st.just(""), st.integers(-60, 25).map(lambda e: f"e{e}")))
    text = whole + ("." + part if part else "")
    return (text or "0") + exponent


@settings(max_examples=300, deadline=None)
@given(literals())
@example("0.1234567890123456781")
@example("9.9999999999999999999999")
@example("1e-19")
@example("0." + "0" * 40 + "1")
@example("000.10e2")
def test_numbers_become_decimals_without_loss_and_rounded_up(engine, text):
    epsilon, delta, same = engine.execute(
        "SELECT epsilon_value($t), delta_value($t), canonical($t) = canonical($u)", {"t": text, "u": "0" + text.upper()}
    ).fetchone()
    if literal(text, places=18) < 10**20:
        assert epsilon == literal(text, places=18)
    if literal(text) < 100:
        assert delta == literal(text)
    assert same or text.startswith(".")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-30T10:00:00Z", "2026-11-30 10:00:00+00"),
        ("2026-11-30 10:00Z", "2026-11-30 10:00:00+00"),
        ("2026-11-30t10:00:00.5z", "2026-11-30 10:00:00.5+00"),
        ("2026-11-30 10:00:00 UTC", "2026-11-30 10:00:00+00"),
        ("2026-11-30T10:00:00+01", "2026-11-30 09:00:00+00"),
        ("2026-11-30T10:00:00 +0530", "2026-11-30 04:30:00+00"),
        ("2026-11-30T10:00:00-05:30", "2026-11-30 15:30:00+00"),
    ],
)
def test_times_with_a_zone(engine, text, instant):
    found = engine.execute(
        "SELECT instant_of($t) = $i::TIMESTAMPTZ, time_problem($t, instant_of($t))", {"t": text, "i": instant}
    ).fetchone()
    assert found == (True, None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "ts is blank"),
        ("2026-11-30T10:00:00", "ts has no time zone"),
        ("2026-11-30 10:00", "ts has no time zone"),
        *((text, "ts is not a date and time with a zone, such as 2026-11-30T10:00:00Z") for text in (
            "2026-11-30", "30.11.2026 10:00Z", "yesterday", "1764496800", "infinity", "2026-02-30T10:00:00Z",
            "2026-11-30T25:00:00Z",
            "2026-11-30T10:00:00 Europe/Zurich", "2026-11-30T10:00:00ZZ", "2026-11-30T10:00:00+1",
        )),
        ("0001-01-01T00:00:00Z", "ts lies outside the years 1900 to 2999"),
    ],
)  # fmt: skip
def test_times_that_are_refused(engine, text, problem):
    assert engine.execute("SELECT time_problem($t, instant_of($t))", {"t": text}).fetchone() == (problem,)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a|b", ["a", "b"]),
        ("b;a", ["a", "b"]),
        ('["b", "a|c"]', ["a|c", "b"]),
        ("[a]", ["a"]),
        ("['a']", ["a"]),
        (" a | a ", ["a"]),
        ("|", []),
        ("[]", []),
        (None, []),
    ],
)
def test_lists_of_names(engine, text, names):
    assert engine.execute("SELECT names_in($t)", {"t": text}).fetchone() == (names,)
