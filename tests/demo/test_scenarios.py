"""What the sample data claims, recomputed from its rows without dpcore's theorems."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from mpmath import binomial, exp, log, mp, mpf

from dpcore.demo import DATA, ab_tests, census, federated, findings, hospital, kinds, states
from dpcore.demo.rows import Row

AS_OF = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)

MOMENTS = (
    AS_OF,
    datetime(2026, 11, 30, 23, 0, 30, tzinfo=UTC),  # half a minute into the month in Zurich
    datetime(2027, 1, 3, 23, 1, tzinfo=UTC),  # a minute into the week
    datetime(2027, 3, 28, 1, 30, tzinfo=UTC),  # the clock has just changed
    datetime(2027, 5, 16, 21, 59, tzinfo=UTC),  # the last minute of a week
)

GENERATED = (hospital, federated, ab_tests, kinds, states, findings)


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def charged(rows: list[Row], pool: str) -> list[Row]:
    return [
        row
        for row in rows
        if row.pool == pool and row.status in {"released", "failed"} and row.mechanism != "post_processing"
    ]


def number(text: str) -> mpf:
    return mpf(text)


def pure_renyi(epsilon: mpf, order: mpf) -> mpf:
    p = 1 / (1 + exp(-epsilon))
    return log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / (order - 1)


def laplace_renyi(x: mpf, order: mpf) -> mpf:
    first = order / (2 * order - 1) * exp((order - 1) * x)
    return log(first + (order - 1) / (2 * order - 1) * exp(-order * x)) / (order - 1)


def exponential_renyi(epsilon: mpf, order: mpf) -> mpf:
    ratio = epsilon / (exp(epsilon) - 1)
    return min(order * (ratio - 1 - log(ratio)), pure_renyi(epsilon, order))


def row_renyi(row: Row, order: mpf) -> mpf:
    size = number(row.epsilon) if row.epsilon else number(row.sensitivity) / number(row.noise_scale)
    curve = {
        "laplace": laplace_renyi,
        "pure": pure_renyi,
        "geometric": pure_renyi,
        "exponential": exponential_renyi,
    }[row.mechanism]
    return curve(size, order) * int(row.count)


def converted(curve, delta: str, low="1.001", high="2000") -> mpf:
    """The least of ε(α) + ln((α−1)/α) − (ln δ + ln α)/(α−1), by golden section in ln(α−1)."""
    target = mpf(delta)

    def at(t: mpf) -> mpf:
        order = 1 + exp(t)
        return curve(order) + log((order - 1) / order) - (log(target) + log(order)) / (order - 1)

    left, right = log(mpf(low) - 1), log(mpf(high) - 1)
    for _ in range(60):
        first, second = left + (right - left) * mpf("0.382"), left + (right - left) * mpf("0.618")
        left, right = (left, second) if at(first) < at(second) else (first, right)
    return at((left + right) / 2)


def total_renyi(rows: list[Row], order: mpf) -> mpf:
    distinct = Counter((row.mechanism, row.epsilon, row.noise_scale, row.sensitivity, row.count) for row in rows)
    return sum(
        row_renyi(Row("", "", "", "", mechanism=m, epsilon=e, noise_scale=b, sensitivity=s, count=c), order) * n
        for (m, e, b, s, c), n in distinct.items()
    )


def test_cardiology_answers_more_than_three_thousand_queries_within_its_budget():
    rows = charged(hospital.rows(AS_OF), "cardiology")
    everywhere = [row for row in rows if not row.partition]
    released = [row for row in everywhere if row.status == "released"]
    assert len(released) > 3000
    assert all(number(row.epsilon or "0") <= mpf("0.0076") for row in rows)
    worst = max(
        converted(lambda order, d=decade: total_renyi([r for r in rows if r.partition in ("", d)], order), "1e-6")
        for decade in hospital.DECADES
    )
    assert mpf("1.9") < worst < 2
    plain = sum(
        Fraction(row.epsilon) if row.epsilon else Fraction(row.sensitivity) / Fraction(row.noise_scale)
        for row in everywhere
    )
    assert plain > 20


def test_hospital_rows_are_those_of_people_at_work():
    rows = [row for row in hospital.rows(AS_OF) if row.pool == "cardiology"]
    statuses = Counter(row.status for row in rows)
    assert all(statuses[name] > 20 for name in ("denied", "failed", "failed_before_release"))
    times = [datetime.fromisoformat(row.ts) for row in rows]
    assert times == sorted(times)
    assert times[-1] <= AS_OF
    assert timedelta(days=3 * 365) <= times[-1] - times[0] + timedelta(days=14)
    local = [time.astimezone(ZoneInfo("Europe/Zurich")) for time in times]
    weekend = sum(time.weekday() >= 5 for time in local)
    assert weekend < len(local) / 20
    assert sum(8 <= time.hour < 18 for time in local) > 0.8 * len(local)
    halves = Counter(time > AS_OF - timedelta(days=548) for time in times)
    assert halves[True] > 2 * halves[False]


def test_post_processing_in_the_hospital_names_released_answers():
    rows = {row.query_id: row for row in hospital.rows(AS_OF)}
    charts = [row for row in rows.values() if row.mechanism == "post_processing"]
    assert len(charts) > 20
    for chart in charts:
        parent = rows[chart.parents]
        assert parent.status == "released"
        assert parent.mechanism != "post_processing"
        assert parent.ts <= chart.ts


def test_federated_rounds_pass_the_plain_sum_and_not_renyi():
    rows = charged(federated.rows(AS_OF), "federated-rounds")
    assert len(rows) == federated.ROUNDS == 240
    assert {Fraction(row.epsilon) for row in rows} == {Fraction(1, 80)}
    assert {row.mechanism for row in rows} == {"pure"}

    def spent(rounds: int) -> mpf:
        return converted(lambda order: rounds * pure_renyi(mpf(1) / 80, order), "1e-6")

    assert spent(315) <= 1 < spent(316)


def test_dp_sgd_run_costs_what_is_published_for_it():
    rows = charged(federated.rows(AS_OF), "dp-sgd-run")
    assert sum(int(row.count) for row in rows) == 3516
    assert len(rows) == 15
    assert {Fraction(row.noise_scale) for row in rows} == {Fraction(11, 10)}
    rate, sigma = mpf(256) / 60000, mpf("1.1")
    assert all(0 <= number(row.sampling_rate) - rate < mpf("1e-15") for row in rows)

    def step(order: int) -> mpf:
        terms = (
            binomial(order, k) * (1 - rate) ** (order - k) * rate**k * exp(mpf(k * (k - 1)) / (2 * sigma**2))
            for k in range(order + 1)
        )
        return log(sum(terms)) / (order - 1)

    figures = [
        3516 * step(order) + log(mpf(order - 1) / order) - (log(mpf("1e-5")) + log(mpf(order))) / (order - 1)
        for order in range(2, 40)
    ]
    # At whole orders; between them the minimum is lower by less than 1e-3.
    assert mpf("1.2813") - mpf("1e-4") < min(figures) < mpf("1.2823")


def test_ab_teams_share_their_users_and_pricing_goes_on_asking():
    rows = ab_tests.rows(AS_OF)
    assert len({row.pool for row in rows}) == 5
    pricing = [row for row in rows if row.pool == "ab-pricing"]
    spent = charged(pricing, "ab-pricing")

    def at(extra: int) -> mpf:
        return converted(lambda order: (len(spent) + extra) * laplace_renyi(mpf("0.03"), order), "1e-6", "1.01", "2000")

    assert {row.epsilon for row in spent} == {"0.03"}
    assert at(0) <= 1 < at(1)
    refused = [row.ts for row in pricing if row.status == "denied"]
    assert len(refused) > 10
    assert min(refused) > max(row.ts for row in spent)


@pytest.mark.parametrize(
    ("release", "total", "rows_expected", "epsilon"),
    [
        ("persons", Fraction(293764, 114921), 65, "17.1435507436"),
        ("units", Fraction(11417641, 152349649), 6, "2.4746710650"),
    ],
)
def test_census_rows_add_up_to_the_published_total(release, total, rows_expected, epsilon):
    rows = [row for row in census.rows(DATA / "census_2020.csv") if row.pool == census.POOLS[release]]
    assert len(rows) == rows_expected
    assert {row.mechanism for row in rows} == {"zcdp"}
    assert {row.ts[:10] for row in rows} == {"2021-08-12"}
    spent = sum(Fraction(row.rho) for row in rows)
    assert total <= spent < total + Fraction(rows_expected, 10**18)
    figure = converted(lambda order: order * mpf(spent.numerator) / spent.denominator, "1e-10")
    assert abs(figure - mpf(epsilon)) < mpf("1e-9")


def test_census_shares_add_up_exactly():
    lines = (DATA / "census_2020.csv").read_text(encoding="utf-8").splitlines()[1:]
    levels: dict[tuple[str, str], Fraction] = {}
    queries: dict[tuple[str, str], Fraction] = {}
    for release, level, _, _, level_share, query_share in (line.split(",") for line in lines):
        levels[release, level] = Fraction(level_share)
        queries[release, level] = queries.get((release, level), Fraction(0)) + Fraction(query_share)
    assert set(queries.values()) == {Fraction(1)}
    for release in ("persons", "units"):
        assert sum(share for (name, _), share in levels.items() if name == release) == 1


@pytest.mark.parametrize("module", GENERATED, ids=lambda module: module.__name__.rsplit(".", 1)[-1])
@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_rows_are_the_same_every_time_and_not_in_the_future(module, moment):
    rows = module.rows(moment)
    assert rows == module.rows(moment)
    ahead = {row.pool for row in rows if datetime.fromisoformat(row.ts) > moment}
    assert ahead == ({"finding-future-rows"} if module is findings else set())


def test_ids_are_unique():
    rows = [row for module in GENERATED for row in module.rows(AS_OF)] + census.rows(DATA / "census_2020.csv")
    assert max(Counter(row.query_id for row in rows).values()) == 1


def test_what_a_pool_without_a_window_has_spent_does_not_depend_on_the_moment():
    def content(moment: datetime) -> Counter[tuple[str, ...]]:
        return Counter(
            (row.pool, row.status, row.mechanism, row.epsilon, row.noise_scale, row.count, row.partition)
            for module in GENERATED
            for row in module.rows(moment)
        )

    assert content(MOMENTS[0]) == content(MOMENTS[1]) == content(MOMENTS[3])


def test_analysts_are_roles():
    rows = [row for module in GENERATED for row in module.rows(AS_OF)]
    assert all("-" in row.analyst and row.analyst == row.analyst.lower() for row in rows)
