"""Budget pools and data sets: what `pools.toml` (or the `pools` table) declares."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Literal, TypeAlias, cast
from zoneinfo import ZoneInfo, available_timezones

from dpcore.decimals import LARGEST, SMALLEST_DELTA, NumberError, literal
from dpcore.losses import Loss, LossError, from_fields
from dpcore.losses.base import Adjacency

Parameters: TypeAlias = Literal["fixed", "adaptive"]
Window: TypeAlias = Literal["none", "daily", "weekly", "monthly"]

THEOREM_NAMES = (
    "basic",
    "advanced",
    "advanced_tight",
    "advanced_filter",
    "kov35",
    "optimal",
    "zcdp",
    "zcdp_simple",
    "rdp",
    "rdp_classic",
    "gdp",
    "numerical",
)
"""Names that contracts and files use, whether or not the theorem is installed."""


class PoolError(ValueError):
    """A pool or data set that cannot be: one sentence that says which, what is wrong and what to do."""


@dataclass(frozen=True)
class Budget:
    """A limit on (ε, δ), or on ρ at δ; `epsilon` is None for a pool budgeted in ρ."""

    epsilon: Decimal | None
    delta: Decimal
    rho: Decimal | None = None


@dataclass(frozen=True)
class AlertRules:
    """When a pool raises an alert, beside its state."""

    remaining_below: int = 0
    days_to_exhaustion: int = 14
    silent_days: int | None = None
    min_events: int = 20


@dataclass(frozen=True)
class Pool:
    """One budget pool as declared."""

    name: str
    dataset: str
    budget: Budget
    privacy_unit: str
    adjacency: Adjacency = "add_remove"
    parameters: Parameters = "fixed"
    delta_reserve: Decimal | None = None
    order: float | None = None
    official: str = "rdp"
    owner: str | None = None
    typical: Loss | None = None
    warn_at: float = 0.70
    critical_at: float = 0.90
    window: Window = "none"
    timezone: str = "UTC"
    priority: int = 1
    schemes: frozenset[str] = frozenset()
    closed: bool = False
    group_size: int = 1
    alerts: AlertRules = AlertRules()
    extra: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def zone(self) -> ZoneInfo:
        """The pool's time zone."""
        return ZoneInfo(self.timezone)


@dataclass(frozen=True)
class Dataset:
    """One data set: the people whose losses its pools add up."""

    name: str
    people: int | None = None
    epsilon: Decimal | None = None
    delta: Decimal | None = None
    disjoint: tuple[tuple[str, ...], ...] = ()
    collusion: bool = True


@dataclass(frozen=True)
class Catalogue:
    """All declared pools and data sets, by name."""

    pools: Mapping[str, Pool]
    datasets: Mapping[str, Dataset]

    def of_dataset(self, name: str) -> tuple[Pool, ...]:
        """The pools over one data set."""
        return tuple(pool for pool in self.pools.values() if pool.dataset == name)


_POOL_KEYS = {name for name in Pool.__dataclass_fields__ if name not in {"budget", "extra"}} | {
    "epsilon",
    "delta",
    "rho",
}
_NEEDED = ("name", "dataset", "delta", "privacy_unit")


def parse(pools: Iterable[Mapping[str, object]], datasets: Iterable[Mapping[str, object]] = ()) -> Catalogue:
    """Check declarations (tables of a TOML file, or rows of the log's tables) and return the catalogue.

    Data sets that no table names exist by being named in a pool. Raises PoolError.
    """
    by_name: dict[str, Pool] = {}
    for table in pools:
        pool = parse_pool(table)
        if pool.name in by_name:
            raise PoolError(f"Pool {pool.name!r} is declared twice; rename or remove one.")
        by_name[pool.name] = pool
    sets: dict[str, Dataset] = {}
    for table in datasets:
        dataset = _parse_dataset(table, by_name)
        if dataset.name in sets:
            raise PoolError(f"Data set {dataset.name!r} is declared twice; rename or remove one.")
        sets[dataset.name] = dataset
    for pool in by_name.values():
        sets.setdefault(pool.dataset, Dataset(pool.dataset))
    return Catalogue(MappingProxyType(by_name), MappingProxyType(sets))


def parse_pool(table: Mapping[str, object]) -> Pool:
    """One pool from its declaration. Raises PoolError."""
    given = {key: value for key, value in table.items() if value is not None and value != ""}
    label = f"Pool {given.get('name', '(without a name)')!r}"
    for key in _NEEDED:
        if key not in given:
            raise PoolError(f"{label} has no {key}; add it.")

    def text(key: str, default: str, choices: Iterable[str] | None = None) -> str:
        value = given.get(key, default)
        if not isinstance(value, str):
            raise PoolError(f"{label}: {key} must be text, not {value!r}.")
        if choices is not None and value not in choices:
            raise PoolError(f"{label}: {key} is {value!r}; use one of {', '.join(choices)}.")
        return value

    def number(key: str, *, below: Decimal) -> Decimal | None:
        if key not in given:
            return None
        try:
            value = literal(cast(str, given[key]))
        except NumberError as error:
            raise PoolError(f"{label}: {key}: {error}.") from None
        if value >= below:
            raise PoolError(f"{label}: {key} is {given[key]}; it must be below {below}.")
        return value

    def share(key: str, default: float) -> float:
        value = given.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 < value <= 1:
            raise PoolError(f"{label}: {key} is {value!r}; it must lie between 0 and 1.")
        return float(value)

    def whole(key: str, default: int) -> int:
        value = given.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise PoolError(f"{label}: {key} is {value!r}; it must be a whole number of at least 1.")
        return value

    epsilon, rho = number("epsilon", below=LARGEST), number("rho", below=LARGEST)
    delta = number("delta", below=Decimal(1))
    assert delta is not None
    if 0 < delta < SMALLEST_DELTA:
        raise PoolError(f"{label}: delta is {given['delta']}; the smallest accepted value is 1e-36.")
    if (epsilon is None) == (rho is None):
        raise PoolError(f"{label} must state either epsilon or rho as its budget.")
    reserve = number("delta_reserve", below=Decimal(1))
    if reserve is not None and reserve >= delta:
        raise PoolError(f"{label}: delta_reserve must be below delta, of which it is a part.")
    order = given.get("order")
    if order is not None and (isinstance(order, bool) or not isinstance(order, int | float | Decimal) or order <= 1):
        raise PoolError(f"{label}: order is {order!r}; a Rényi order is a number above 1.")
    timezone = text("timezone", "UTC")
    if timezone not in available_timezones():
        raise PoolError(f"{label}: timezone {timezone!r} is not known; use a name such as Europe/Zurich.")
    adjacency = cast(Adjacency, text("adjacency", "add_remove", ("add_remove", "replace_one")))
    warn_at, critical_at = share("warn_at", 0.70), share("critical_at", 0.90)
    if warn_at > critical_at:
        raise PoolError(f"{label}: warn_at {warn_at} lies above critical_at {critical_at}.")
    closed = given.get("closed", False)
    if not isinstance(closed, bool):
        raise PoolError(f"{label}: closed must be true or false.")
    return Pool(
        name=text("name", ""),
        dataset=text("dataset", ""),
        budget=Budget(epsilon, delta, rho),
        privacy_unit=text("privacy_unit", ""),
        adjacency=adjacency,
        parameters=cast(Parameters, text("parameters", "fixed", ("fixed", "adaptive"))),
        delta_reserve=reserve,
        order=None if order is None else float(order),
        official=text("official", "rdp", THEOREM_NAMES),
        owner=text("owner", "") or None,
        typical=_typical(label, given.get("typical"), adjacency),
        warn_at=warn_at,
        critical_at=critical_at,
        window=cast(Window, text("window", "none", ("none", "daily", "weekly", "monthly"))),
        timezone=timezone,
        priority=whole("priority", 1),
        schemes=_names(label, "schemes", given.get("schemes")),
        closed=closed,
        group_size=whole("group_size", 1),
        alerts=_alerts(label, given.get("alerts")),
        extra=MappingProxyType({key: str(value) for key, value in given.items() if key not in _POOL_KEYS}),
    )


def _table(label: str, key: str, value: object) -> Mapping[str, object]:
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_float=str)
        except ValueError:
            raise PoolError(f"{label}: {key} is not a table.") from None
    if not isinstance(value, Mapping):
        raise PoolError(f"{label}: {key} is not a table.")
    return {name: entry for name, entry in value.items() if entry is not None}


def _typical(label: str, value: object, adjacency: Adjacency) -> Loss | None:
    if value is None:
        return None
    table = _table(label, "typical", value)
    mechanism = table.get("mechanism")
    try:
        return from_fields(str(mechanism), cast(Mapping[str, str], table)).under(adjacency)
    except LossError as error:
        raise PoolError(f"{label}: typical: {error}.") from None


def _alerts(label: str, value: object) -> AlertRules:
    if value is None:
        return AlertRules()
    table = _table(label, "alerts", value)
    for key, entry in table.items():
        if key not in AlertRules.__dataclass_fields__:
            raise PoolError(f"{label}: alerts has no rule {key!r}; use {', '.join(AlertRules.__dataclass_fields__)}.")
        if isinstance(entry, bool) or not isinstance(entry, int) or entry < 0:
            raise PoolError(f"{label}: alerts.{key} is {entry!r}; it must be a whole number.")
    return AlertRules(**cast(dict[str, int], dict(table)))


def _names(label: str, key: str, value: object) -> frozenset[str]:
    if value is None:
        return frozenset()
    if isinstance(value, str) or not isinstance(value, Iterable) or not all(isinstance(v, str) for v in value):
        raise PoolError(f"{label}: {key} must be a list of names.")
    return frozenset(cast(Iterable[str], value))


def _parse_dataset(table: Mapping[str, object], pools: Mapping[str, Pool]) -> Dataset:
    given = {key: value for key, value in table.items() if value is not None and value != ""}
    name = given.get("name")
    if not isinstance(name, str):
        raise PoolError("A data set has no name; add it.")
    label = f"Data set {name!r}"
    people = given.get("people")
    if people is not None and (isinstance(people, bool) or not isinstance(people, int) or people < 1):
        raise PoolError(f"{label}: people is {people!r}; it must be a whole number of at least 1.")
    numbers: dict[str, Decimal | None] = {"epsilon": None, "delta": None}
    for key in numbers:
        if key in given:
            try:
                numbers[key] = literal(cast(str, given[key]))
            except NumberError as error:
                raise PoolError(f"{label}: {key}: {error}.") from None
    if (numbers["delta"] or 0) >= 1:
        raise PoolError(f"{label}: delta is {given['delta']}; it must be below 1.")
    groups = given.get("disjoint", ())
    if isinstance(groups, str):
        groups = json.loads(groups)
    if not isinstance(groups, Iterable):
        raise PoolError(f"{label}: disjoint must be a list of lists of pool names.")
    disjoint = tuple(tuple(sorted(_names(label, "disjoint", group))) for group in groups)
    for pool in (pool for group in disjoint for pool in group):
        if pool not in pools or pools[pool].dataset != name:
            raise PoolError(f"{label}: disjoint names {pool!r}, which is no pool over this data set.")
    collusion = given.get("collusion", True)
    if not isinstance(collusion, bool):
        raise PoolError(f"{label}: collusion must be true or false.")
    return Dataset(name, people, numbers["epsilon"], numbers["delta"], disjoint, collusion)
