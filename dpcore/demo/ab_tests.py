"""An A/B-test platform: five teams, each with its own pool, over the same users."""

from datetime import datetime

from dpcore.demo.desk import Desk, Topic
from dpcore.demo.rows import Row

BUCKETS = tuple(f"bucket-{number}" for number in range(10))

_RATE = "SELECT COUNT(*) FROM events WHERE experiment = '{name}' AND variant = {{code}} AND converted"
_TIME = "SELECT SUM(LEAST(seconds, 600)) FROM sessions WHERE experiment = '{name}' AND variant = {{code}}"


def _topics(*names: str) -> tuple[Topic, ...]:
    return tuple(Topic(f"experiment {name}", (_RATE.format(name=name), _TIME.format(name=name))) for name in names)


CHECKOUT = Desk(
    pool="ab-checkout",
    prefix="checkout",
    answers=26 * 24,
    days=26 * 7,
    analysts=("checkout-analyst-1", "checkout-analyst-2"),
    topics=_topics("one-page-checkout", "saved-cards", "express-pay"),
    losses=(
        (3, {"mechanism": "laplace", "epsilon": "0.02"}),
        (1, {"mechanism": "laplace", "epsilon": "0.01", "count": "2"}),
    ),
    scheme="hash_bucket",
    parts=BUCKETS,
    partitioned=0.3,
    session=3,
    denied=0.01,
    failed_before_release=0.01,
)

SEARCH = Desk(
    pool="ab-search",
    prefix="search",
    answers=26 * 16,
    days=26 * 7,
    analysts=("search-analyst-1", "search-analyst-2", "search-analyst-3"),
    topics=_topics("ranking-v7", "spelling-hints"),
    losses=(
        (2, {"mechanism": "laplace", "epsilon": "0.02"}),
        (1, {"mechanism": "approximate", "epsilon": "0.02", "delta": "1e-10"}),
    ),
    session=3,
    failed=0.01,
)

ONBOARDING = Desk(
    pool="ab-onboarding",
    prefix="onboarding",
    answers=6 * 30,
    days=6 * 30.4,
    analysts=("onboarding-analyst-1",),
    topics=_topics("short-tour", "later-signup"),
    losses=((1, {"mechanism": "laplace", "epsilon": "0.02"}),),
    session=3,
)

NOTIFICATIONS = Desk(
    pool="ab-notifications",
    prefix="notify",
    answers=6 * 20,
    days=6 * 30.4,
    analysts=("notifications-analyst-1", "notifications-analyst-2"),
    topics=_topics("quiet-hours", "digest-mail"),
    losses=(
        (
            1,
            {
                "mechanism": "gaussian",
                "noise_scale": "60",
                "sensitivity": "1",
                "epsilon": "0.1",
                "delta": "1e-9",
            },
        ),
    ),
    session=3,
)

_PRICING_LOSS = {"mechanism": "laplace", "epsilon": "0.03"}

PRICING = Desk(
    pool="ab-pricing",
    prefix="pricing",
    answers=58,
    days=75,
    until=6,
    growth=3.0,
    analysts=("pricing-analyst-1", "pricing-analyst-2"),
    topics=_topics("price-display", "bundle-discount"),
    losses=((1, _PRICING_LOSS),),
    session=3,
)

REFUSED_SINCE = Desk(
    pool="ab-pricing",
    prefix="pricing-refused",
    answers=0,
    days=5.9,
    analysts=PRICING.analysts,
    topics=PRICING.topics,
    losses=PRICING.losses,
    refusals=17,
    session=3,
)
"""The team in trouble goes on asking after its budget is spent."""


def rows(as_of: datetime) -> list[Row]:
    """The rows of the five teams up to `as_of`."""
    desks = (CHECKOUT, SEARCH, ONBOARDING, NOTIFICATIONS, PRICING, REFUSED_SINCE)
    return [row for desk in desks for row in desk.rows(as_of)]
