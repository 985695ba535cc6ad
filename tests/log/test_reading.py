"""What evidence says about a log, in each form the log may have. Case numbers are those of public bug reports."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from dpcore.evidence import Fact
from dpcore.losses import from_fields
from dpcore.losses.dearer_of import DearerOf
from dpcore.losses.pure import Pure
from dpcore.spends import Place, Spend, Spends
from tests.log.logs import POOL


def total(spends):
    """Plain sums of ε and δ, places ignored."""
    pairs = [(spend.loss.pair(), spend.count) for spend in spends]
    return sum((p.epsilon * n for p, n in pairs), Decimal(0)), sum((p.delta * n for p, n in pairs), Decimal(0))


def epsilon(spends):
    return total(spends)[0]


def facts(evidence):
    return {fact.kind: fact for fact in evidence.facts}


def at(text):
    return datetime.fromisoformat(text)


# What costs


def test_only_released_and_failed_rows_cost(read, rows):
    """A63: failed runs may have been seen; only what failed before release is free."""
    statuses = ["released", "failed", "failed", "failed_before_release", "denied"]
    found = read([row for status in statuses for row in rows("0.3", status=status)])
    assert epsilon(found.lifetime) == Decimal("0.9")
    assert (found.rows.released, found.rows.failed, found.rows.failed_before_release, found.rows.denied) == (1, 2, 1, 1)


def test_two_queries_at_one_instant_both_cost(read, rows):
    """A55."""
    assert epsilon(read(rows("0.75", repeat=2)).lifetime) == Decimal("1.5")


def test_delta_adds_up(read, rows):
    """A19."""
    found = read(rows("0.5", repeat=12, mechanism="approximate", delta="0.000001"))
    assert total(found.lifetime) == (Decimal(6), Decimal("1.2e-5"))


def test_count_is_steps_and_not_rows(read, rows):
    """A43, A44: an average is a sum and a count, a variance three aggregates."""
    found = read(rows("0.5", count=2) + rows("0.5", count=3) + rows("0.5"))
    assert epsilon(found.lifetime) == Decimal("3.0")
    assert found.rows.released == 3


def test_decimals_stay_exact(read, rows):
    found = read(rows("0.1", repeat=10) + rows("0.000000000000001"))
    assert epsilon(found.lifetime) == Decimal("1.000000000000001")


def test_losses_are_in_the_pools_relation_and_unit(read, rows):
    row = rows(mechanism="gaussian", noise_scale="10", clip_norm="1")
    alone = read(row, POOL | {"adjacency": "replace_one"})
    assert [spend.loss for spend in alone.lifetime] == [from_fields("gaussian", {"noise_scale": 10, "sensitivity": 2})]


def test_a_person_may_contribute_several_rows(read, rows):
    found = read(rows("0.25", repeat=3), POOL | {"group_size": 2})
    assert epsilon(found.lifetime) == Decimal("1.5")


def test_a_group_without_any_guarantee_is_charged_as_exact_and_never_dropped(read, rows):
    found = read(rows("300", mechanism="approximate", delta="0.001"), POOL | {"group_size": 4})
    assert epsilon(found.lifetime) == Decimal("Infinity")


def test_an_empty_pool_has_nothing(read):
    found = read([])
    assert (found.lifetime, found.window, found.recent, found.days, found.facts) == (Spends(), Spends(), (), (), ())
    assert found.first is None and found.last is None


# Places


def test_each_part_is_charged_alone(read, rows):
    """A35: every client holds its own records."""
    listed = [
        row
        for client in range(10)
        for row in rows(
            "0.1",
            repeat=5,
            mechanism="approximate",
            delta="0.000001",
            partition_scheme="client",
            partition=f"c{client}",
        )
    ]
    found = read(listed, POOL | {"schemes": ["client"]})
    assert len(found.lifetime) == 10
    for spend in found.lifetime:
        assert spend.count == 5 and spend.place is not None and len(spend.place.parts) == 1


def test_a_row_over_several_parts_touches_each(read, rows):
    """A34: charge every part that intersects."""
    found = read(rows("0.3", partition_scheme="s", partition=" b|a | b"), POOL | {"schemes": ["s"]})
    assert [spend.place for spend in found.lifetime] == [Place("s", ("a", "b"))]


def test_a_scheme_that_is_not_declared_adds_up_and_is_a_fact(read, rows):
    found = read(rows("0.3", repeat=2, partition_scheme="ward", partition="n"), POOL | {"schemes": ["s"]})
    assert [spend.place for spend in found.lifetime] == [None]
    assert facts(found)["undeclared_scheme"] == Fact("undeclared_scheme", 2, ("q1", "q2"), "ward")


# Repeats and conflicts


def test_repeats_are_counted_once_and_conflicts_charge_the_dearer(read, rows):
    """A69, with times and numbers written in other ways."""
    listed = (
        rows("0.3", query_id="q1")
        + rows("0.3", query_id="q1")
        + rows("0.1", query_id="q2")
        + rows("0.4", query_id="q2")
    )
    for order in (listed, listed[::-1]):
        found = read(order)
        assert epsilon(found.lifetime) == Decimal("0.7")
        assert found.rows.duplicates == 1
        assert facts(found)["conflicting_id"] == Fact("conflicting_id", 1, ("q2",))


def test_a_repeat_may_be_written_differently(read, rows):
    listed = rows("0.30", query_id="q1", ts="2026-03-01T11:00:00+01:00") + rows("0.3", query_id="q1", count="1")
    found = read(listed)
    assert epsilon(found.lifetime) == Decimal("0.3")
    assert (found.rows.released, found.rows.duplicates, found.facts) == (1, 1, ())


def test_versions_in_other_pools_or_parts_are_each_charged_there(read_all, rows):
    pools = [POOL | {"schemes": ["s"]}, POOL | {"name": "other"}]
    listed = (
        rows("0.1", query_id="q", partition_scheme="s", partition="a")
        + rows("0.2", query_id="q", partition_scheme="s", partition="b")
        + rows("0.4", query_id="q", pool="other")
    )
    found = read_all(listed, pools).pools
    assert {(spend.place and spend.place.parts, epsilon([spend])) for spend in found["p"].lifetime} == {
        (("a",), Decimal("0.1")),
        (("b",), Decimal("0.2")),
    }
    assert epsilon(found["other"].lifetime) == Decimal("0.4")
    assert all(facts(evidence)["conflicting_id"].queries == ("q",) for evidence in found.values())


def test_a_conflict_with_a_denied_version_charges_the_charged_one(read, rows):
    found = read(rows("0.4", query_id="q") + rows("0.9", query_id="q", status="denied"))
    assert epsilon(found.lifetime) == Decimal("0.4")
    assert "conflicting_id" in facts(found)


def test_versions_that_differ_in_count_charge_the_dearer_product(read, rows):
    found = read(rows("0.4", query_id="q") + rows("0.1", query_id="q", count=5))
    assert list(found.lifetime) == [Spend(DearerOf(((Pure("0.1"), 5), (Pure("0.4"), 1))))]
    assert epsilon(found.lifetime) == Decimal("0.5")


def test_versions_that_cost_the_same_are_one_spend_and_still_a_conflict(read, rows):
    found = read(rows("0.4", query_id="q", analyst="a") + rows("0.4", query_id="q", analyst="b"))
    assert list(found.lifetime) == [Spend(Pure("0.4"))]
    assert "conflicting_id" in facts(found)


# Refused rows


def test_what_is_no_number_is_refused_and_never_credits(read, rows):
    """A10."""
    found = read(rows("0.2") + rows("NaN") + rows("-0.3") + rows("0"))
    assert epsilon(found.lifetime) == Decimal("0.2")
    assert found.rows.rejected == 3
    assert facts(found)["rejected_rows"].rows == 3
    assert facts(found)["rejected_rows"].queries == ("q2", "q3", "q4")


def test_a_tiny_epsilon_is_not_absorbed(read, rows):
    """A09: 5e-324 is refused, not added as nothing."""
    found = read(rows("1.0") + rows("5e-324"))
    assert epsilon(found.lifetime) == 1 and found.rows.rejected == 1


def test_a_refused_row_counts_until_a_row_with_its_id_is_accepted(read, rows):
    bad, good = rows("-1", query_id="q"), rows("0.2", query_id="q")
    assert read(bad).rows.rejected == 1
    for order in (bad + good, good + bad):
        found = read(order)
        assert (found.rows.rejected, found.facts, epsilon(found.lifetime)) == (0, (), Decimal("0.2"))


def test_rows_of_an_unknown_pool_are_facts_of_the_log(read_all, rows):
    found = read_all(rows("0.2", pool="nowhere") + rows("0.1"), [POOL])
    assert [(fact.kind, fact.rows, fact.queries) for fact in found.facts] == [("rejected_rows", 1, ("q1",))]
    assert found.pools["p"].facts == ()


# Particular mechanisms


def test_post_processing_is_free_on_released_answers_only(read, rows):
    listed = (
        rows("0.1", query_id="a")
        + rows(query_id="b", mechanism="exact", status="denied")
        + rows("0.1", query_id="c", status="denied")
        + rows("-1", query_id="bad-one")
        + [
            row
            for number, parents in enumerate(["a", "a|b", "c", "missing", "bad-one", "d0", "d1", "d7", "d8"])
            for row in rows(query_id=f"d{number}", mechanism="post_processing", parents=parents)
        ]
        + rows(query_id="e", mechanism="post_processing", parents="e")
    )
    found = read(listed)
    # d0 and, through it, d5 are free; d6 hangs on a bad parent, d7 and d8 on each other, e on itself.
    assert facts(found)["post_processing_without_release"].queries == ("d1", "d2", "d3", "d4", "d6", "d7", "d8", "e")
    assert {(spend.loss.mechanism, spend.count) for spend in found.lifetime} == {("pure", 1), ("post_processing", 2)}


def test_post_processing_without_parents_is_refused(read, rows):
    assert read(rows(mechanism="post_processing")).rows.rejected == 1


def test_post_processing_of_an_exact_release(read, rows):
    found = read(rows(query_id="x", mechanism="exact") + rows(query_id="y", mechanism="post_processing", parents="x"))
    assert facts(found)["exact_release"].queries == ("x",)
    assert facts(found)["post_processing_without_release"].queries == ("y",)
    assert epsilon(found.lifetime) == Decimal("Infinity")


def test_stated_epsilon_below_the_noise(read, rows):
    found = read(rows("0.1", mechanism="laplace", noise_scale="2", sensitivity="1"))
    assert facts(found)["understated_epsilon"].queries == ("q1",)
    assert "0.1" in facts(found)["understated_epsilon"].detail
    assert epsilon(found.lifetime) == Decimal("0.5")


def test_sampling_that_is_not_poisson_gets_no_discount(read, rows):
    step = {"mechanism": "subsampled_gaussian", "noise_scale": "1.0", "clip_norm": "1.0", "sampling_rate": "0.01"}
    found = read(rows(**step, sampling="shuffled", count=5) + rows(**step) + rows(**step, sampling="poisson"))
    fact = facts(found)["unfit_amplification"]
    assert fact.queries == ("q1",) and "shuffled" in fact.detail
    assert {(spend.loss.mechanism, spend.count) for spend in found.lifetime} == {
        ("gaussian", 5),
        ("subsampled_gaussian", 2),
    }
    replaced = read(rows(**step), POOL | {"adjacency": "replace_one"})
    assert facts(replaced)["unfit_amplification"].rows == 1


def test_releases_after_the_close(read, rows):
    listed = [row for day in (1, 2, 3) for row in rows("0.1", ts=f"2026-03-0{day}T10:00:00Z")]
    closed = POOL | {"closed": True, "closed_at": "2026-03-02T10:00:00Z"}
    assert facts(read(listed, closed))["release_after_close"].queries == ("q3",)
    assert facts(read(listed[:2], closed)) == {}


# Windows and times


@pytest.mark.parametrize(
    ("zone", "window", "spent", "expected"),
    [
        # A57: the offset of the window edge.
        (
            "Asia/Shanghai",
            "daily",
            [("2026-08-19T15:59:59Z", "0.9"), ("2026-08-19T16:00:00Z", "0.3")],
            {"2026-08-19T15:59:59Z": "0.9", "2026-08-20T12:00:00Z": "0.3"},
        ),
        # A58: clock-change days.
        (
            "Europe/Amsterdam",
            "daily",
            [
                ("2026-10-24T21:59:59Z", "0.2"),
                ("2026-10-24T22:00:00Z", "0.3"),
                ("2026-10-25T22:30:00Z", "0.3"),
                ("2026-10-25T23:00:00Z", "0.1"),
                ("2026-03-29T21:59:59Z", "0.5"),
                ("2026-03-29T22:00:00Z", "0.6"),
            ],
            {
                "2026-10-24T21:59:59Z": "0.2",
                "2026-10-25T22:59:59Z": "0.6",
                "2026-10-26T10:00:00Z": "0.1",
                "2026-03-29T21:59:59Z": "0.5",
                "2026-03-30T10:00:00Z": "0.6",
            },
        ),
        # A60: an offset is not forgotten.
        (
            "Asia/Shanghai",
            "daily",
            [("2025-01-01T08:00:00+08", "0.5"), ("2025-01-01T00:30:00+08", "0.4")],
            {"2025-01-01T15:59:59Z": "0.9", "2024-12-31T15:59:59Z": "0"},
        ),
        # A71: weeks start on Monday.
        (
            "UTC",
            "weekly",
            [("2026-03-02T00:00:00Z", "1.0"), ("2026-03-09T10:00:00Z", "1.0"), ("2026-03-16T10:00:00Z", "1.0")],
            {"2026-03-08T23:59:59Z": "1.0", "2026-03-15T23:59:59Z": "1.0", "2026-03-17T00:00:00Z": "1.0"},
        ),
        (
            "Europe/Zurich",
            "monthly",
            [("2026-02-28T22:59:59Z", "0.1"), ("2026-02-28T23:00:00Z", "0.2"), ("2026-03-31T21:59:59Z", "0.4")],
            {"2026-02-28T22:59:59Z": "0.1", "2026-03-31T21:59:59Z": "0.6", "2026-03-31T22:00:00Z": "0"},
        ),
    ],
)
def test_windows_are_calendar_spans_of_the_pools_zone(make_log, rows, zone, window, spent, expected):
    from dpcore.log import read_evidence

    log = make_log(
        [row for ts, cost in spent for row in rows(cost, ts=ts)], [POOL | {"window": window, "timezone": zone}]
    )
    for as_of, cost in expected.items():
        found = read_evidence(log, as_of=at(as_of)).pools["p"]
        assert epsilon(found.window) == Decimal(cost), as_of
        assert epsilon(found.lifetime) == sum(Decimal(each) for _, each in spent)
        assert found.window_start <= at(as_of) < found.window_end


def test_there_is_nothing_that_resets_a_window(read, rows):
    """A56: windows come from times, so a stale reset event has no place to act; rows at the edge belong after it."""
    pool = POOL | {"window": "daily", "timezone": "UTC"}
    found = read(rows("0.4", ts="2026-03-02T00:00:00Z"), pool, as_of=at("2026-03-02T23:59:59Z"))
    assert epsilon(found.window) == Decimal("0.4")


def test_out_of_order_and_future_rows(make_log, rows):
    """A70."""
    from dpcore.log import read_evidence

    spent = [
        ("2026-03-10T09:00:00Z", "0.2"),
        ("2026-03-09T23:59:59.999Z", "0.1"),
        ("2026-03-10T00:00:00Z", "0.3"),
        ("2026-03-11T01:00:00Z", "0.4"),
    ]
    log = make_log([row for ts, cost in spent for row in rows(cost, ts=ts)], [POOL | {"window": "daily"}])
    today = read_evidence(log, as_of=at("2026-03-10T12:00:00Z")).pools["p"]
    assert (epsilon(today.window), epsilon(today.lifetime)) == (Decimal("0.5"), Decimal("1.0"))
    assert facts(today)["future_rows"] == Fact("future_rows", 1, ("q4",))
    yesterday = read_evidence(log, as_of=at("2026-03-09T23:59:59.999Z")).pools["p"]
    assert epsilon(yesterday.window) == Decimal("0.1")
    assert facts(yesterday)["future_rows"].rows == 3


def test_without_windows_future_rows_count_now_and_not_at_a_stated_time(make_log, rows):
    from dpcore.log import read_evidence

    log = make_log(rows("0.2") + rows("0.4", ts="2999-01-01T00:00:00Z"))
    now = read_evidence(log).pools["p"]
    assert epsilon(now.window) == epsilon(now.lifetime) == Decimal("0.6")
    stated = read_evidence(log, as_of=at("2026-04-01T00:00:00Z")).pools["p"]
    assert (epsilon(stated.window), epsilon(stated.lifetime)) == (Decimal("0.2"), Decimal("0.6"))
    assert facts(now)["future_rows"].queries == facts(stated)["future_rows"].queries == ("q2",)


def test_first_and_last_are_charged_rows(read, rows):
    found = read(
        rows("0.1", ts="2026-03-03T10:00:00+02:00")
        + rows("0.1", ts="2026-03-01T00:00:00Z", status="denied")
        + rows("0.1", ts="2026-03-02T00:00:00.5Z")
    )
    assert found.first == datetime(2026, 3, 2, 0, 0, 0, 500_000, UTC)
    assert found.last == datetime(2026, 3, 3, 8, tzinfo=UTC)


def test_days_are_local(make_log, rows):
    from dpcore.log import read_evidence

    spent = [("2026-10-24T21:59:59Z", "0.1"), ("2026-10-24T22:00:00Z", "0.2"), ("2026-10-25T22:59:59Z", "0.3")]
    spent += [("2026-01-01T12:00:00Z", "0.4")]
    log = make_log(
        [row for ts, cost in spent for row in rows(cost, ts=ts)]
        + rows("0.9", status="denied", ts="2026-10-20T10:00:00Z"),
        [POOL | {"timezone": "Europe/Amsterdam"}],
    )
    recent = {date(2026, 10, 24): Decimal("0.1"), date(2026, 10, 25): Decimal("0.5")}
    found = read_evidence(log, as_of=at("2026-10-26T10:00:00Z")).pools["p"]
    assert {day.day: epsilon(day.spends) for day in found.days} == recent
    whole = read_evidence(log, as_of=at("2026-10-26T10:00:00Z"), history=True).pools["p"]
    assert {day.day: epsilon(day.spends) for day in whole.days} == recent | {date(2026, 1, 1): Decimal("0.4")}
    assert [day.day for day in whole.days] == sorted(day.day for day in whole.days)


def test_recent_holds_the_last_hundred_released_rows_newest_first(read, rows):
    listed = [
        row
        for second in range(130)
        for row in rows(f"0.{second + 100}", ts=f"2026-03-01T10:{second // 60:02}:{second % 60:02}Z")
    ]
    listed += rows("0.9", ts="2026-03-01T12:00:00Z", status="failed") + rows("-1", ts="2026-03-01T12:00:00Z")
    found = read(listed[::-1])
    assert [loss.epsilon for loss in found.recent] == [Decimal(f"0.{second + 100}") for second in range(129, 29, -1)]


def test_one_pool_alone_reads_as_among_the_others(make_log, rows):
    from dpcore.log import read_evidence

    pools = [POOL, POOL | {"name": "other"}]
    log = make_log(
        rows("0.1") + rows("0.2", pool="other") + rows("0.1", query_id="x") + rows("0.3", query_id="x", pool="other"),
        pools,
    )
    as_of = at("2026-04-01T00:00:00Z")
    assert read_evidence(log, as_of=as_of, pool="p").pools["p"] == read_evidence(log, as_of=as_of).pools["p"]
    assert set(read_evidence(log, as_of=as_of, pool="p").pools) == {"p"}
