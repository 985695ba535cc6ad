"""The plan on the What-if page: which dials a mechanism has, and the sentence about the outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from dpcore import words
from dpcore.accountant import Account, curve
from dpcore.losses import Adjacency, Loss, from_fields
from dpcore.pools import Budget
from dpcore.spends import Spends
from pages.parts import dials, gauges

COUNTS = tuple(int(stop) for stop in dials.decades(0, 4, ("1", "2", "3", "5", "7")))
"""Numbers of queries at which the curve is drawn."""


@dataclass(frozen=True)
class Kind:
    """One entry of the mechanism list: its words, the mechanism, and dial → field of the loss."""

    label: str
    mechanism: str
    fields: Mapping[str, str]


_NOISE = {"noise_scale": "noise_scale", "sensitivity": "sensitivity"}

KINDS = {
    "laplace": Kind("Laplace noise, by its ε", "laplace", {"epsilon": "epsilon"}),
    "laplace_noise": Kind("Laplace noise, by its scale", "laplace", _NOISE),
    "gaussian": Kind("Gaussian noise", "gaussian", _NOISE),
    "subsampled_gaussian": Kind(
        "Gaussian noise on a random sample (DP-SGD step)",
        "subsampled_gaussian",
        {**_NOISE, "sampling_rate": "sampling_rate"},
    ),
    "pure": Kind("Any mechanism with a stated ε", "pure", {"epsilon": "epsilon"}),
    "approximate": Kind(
        "Any mechanism with a stated ε and δ", "approximate", {"epsilon": "epsilon", "query_delta": "delta"}
    ),
    "randomised_response": Kind("Randomised response", "randomised_response", {"epsilon": "epsilon"}),
    "exponential": Kind("Exponential mechanism", "exponential", {"epsilon": "epsilon"}),
    "geometric": Kind("Geometric noise (whole numbers)", "geometric", _NOISE),
    "discrete_gaussian": Kind("Discrete Gaussian noise (whole numbers)", "discrete_gaussian", _NOISE),
    "zcdp": Kind("Any mechanism with a stated ρ", "zcdp", {"rho": "rho"}),
}

LABELS = {kind.label: name for name, kind in KINDS.items()}


def loss(kind: str, values: Mapping[str, Decimal]) -> Loss:
    """The loss that the dials describe. Raises LossError."""
    chosen = KINDS[kind]
    return from_fields(chosen.mechanism, {field: values[dial] for dial, field in chosen.fields.items()})


@lru_cache(maxsize=512)
def over_count(base: Spends, one: Loss, delta: Decimal, adjacency: Adjacency) -> dict[str, list[float | None]]:
    """ε of the start and k such queries, for each k of COUNTS, under every theorem; kept for when a dial comes back."""
    return curve(base, one, COUNTS, delta=delta, adjacency=adjacency)


def verdict(count: int, one: Loss, found: Account, leading: str, budget: Budget, start: str | None) -> tuple[str, str]:
    """The outcome under one theorem: a state for its colour, and the sentence."""
    figure = found.figures[leading]
    asked = f"{words.queries(count)} ({one.describe()})"
    after = f" after what {start} has spent" if start else ""
    if figure.epsilon is None:
        return "warning", f"{gauges.title(leading)} cannot speak about this plan: {figure.note}."
    limit = f"ρ = {words.epsilon(budget.rho)}" if budget.rho is not None else f"ε = {words.epsilon(budget.epsilon)}"
    cost = f"{asked}{after} come to ε = {words.epsilon(figure.epsilon)} under {gauges.title(leading)}"
    if figure.consumed is None or figure.consumed > 1:
        return "exceeded", f"{cost}: more than the budget of {limit}."
    left = f"{words.remaining(figure)} more fit" if figure.remaining is not None or figure.unlimited else "it fits"
    return "ok", f"{cost}, {words.share(figure.consumed)} of the budget of {limit}; {left}."
