"""What-if plans: a JSON document that is accounted without a log."""

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from dpcore.accountant import account
from dpcore.decimals import NumberError, literal, plain
from dpcore.losses import MECHANISMS, Adjacency, Loss, LossError, from_fields
from dpcore.pools import Budget
from dpcore.solve import solve
from dpcore.spends import Place, Spend, Spends
from dpcore.status import Figure


class PlanError(ValueError):
    """A plan that cannot be accounted: one sentence that names the place and says what is wrong."""


_PLAN_KEYS = {"id", "delta", "adjacency", "group_size", "spends", "budget", "next", "solve", "name"}
_SPEND_KEYS = {
    "mechanism", "epsilon", "delta", "rho", "noise_scale", "sensitivity", "clip_norm", "sampling_rate", "sampling",
    "count", "partition_scheme", "partition", "parents",
}  # fmt: skip


def loads(text: str) -> Any:
    """JSON with exact decimals. Raises PlanError."""

    def refuse(name: str) -> None:
        raise PlanError(f"The plan holds {name}, which is not a number; write a decimal such as 0.1.")

    try:
        return json.loads(text, parse_float=Decimal, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise PlanError(f"The plan is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None


def answer(document: object) -> dict[str, Any]:
    """The answer to a plan, or to {"workloads": [plan, …]}. Raises PlanError."""
    if isinstance(document, Mapping) and "workloads" in document:
        workloads = document["workloads"]
        if not isinstance(workloads, Sequence) or isinstance(workloads, str):
            raise PlanError('"workloads" must be a list of plans.')
        return {"workloads": [_answer(plan, f"workload {i + 1}: ") for i, plan in enumerate(workloads)]}
    return _answer(document, "")


def _answer(plan: object, where: str) -> dict[str, Any]:
    if not isinstance(plan, Mapping):
        raise PlanError(f"{where}a plan is a JSON object with delta and spends.")
    unknown = sorted(set(plan) - _PLAN_KEYS)
    if unknown:
        raise PlanError(f"{where}unknown key {unknown[0]!r}; use {', '.join(sorted(_PLAN_KEYS))}.")
    delta = _number(plan.get("delta"), f"{where}delta", below=Decimal(1))
    adjacency = plan.get("adjacency", "add_remove")
    if adjacency not in ("add_remove", "replace_one"):
        raise PlanError(f"{where}adjacency is {adjacency!r}; use add_remove or replace_one.")
    adjacency = cast(Adjacency, adjacency)
    group = plan.get("group_size", 1)
    if isinstance(group, bool) or not isinstance(group, int) or group < 1:
        raise PlanError(f"{where}group_size is {group!r}; it must be a whole number of at least 1.")
    listed = plan.get("spends", [])
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise PlanError(f"{where}spends must be a list.")
    spends = Spends(spend_from(spend, f"{where}spend {i + 1}: ") for i, spend in enumerate(listed))
    budget = _budget(plan["budget"], f"{where}budget: ") if plan.get("budget") is not None else None
    following = loss_from(plan["next"], f"{where}next: ") if plan.get("next") is not None else None
    try:
        found = account(spends, delta=delta, adjacency=adjacency, group_size=group, budget=budget, next_loss=following)
        reply: dict[str, Any] = {"id": plan["id"]} if "id" in plan else {}
        reply |= {
            "delta": float(delta),
            "theorems": {name: figure_json(figure, budget is not None) for name, figure in found.figures.items()},
            "tightest": found.tightest,
        }
        if plan.get("solve") is not None:
            wanted = plan["solve"]
            if not isinstance(wanted, Mapping):
                raise PlanError(f"{where}solve is an object with for, theorem and loss.")
            if budget is None:
                raise PlanError(f"{where}solve needs a budget.")
            reply["solve"] = solve(spends, budget, wanted, delta=delta, adjacency=adjacency, group_size=group)
    except LossError as error:
        raise PlanError(f"{where}{error}.") from None
    return reply


def figure_json(figure: Figure, with_budget: bool) -> dict[str, Any]:
    """One theorem's figure as contracts print it."""
    shown: dict[str, Any] = {"epsilon": epsilon_json(figure)}
    if figure.delta is not None and figure.exact is not None:
        shown["delta"] = plain(figure.delta)
    if with_budget and figure.epsilon is not None:
        shown["consumed"] = number_json(figure.consumed)
        shown["remaining"] = "unlimited" if figure.unlimited else figure.remaining
    shown["adaptive"] = figure.adaptive
    shown["note"] = figure.note
    return shown


def epsilon_json(figure: Figure) -> str | float | None:
    """ε of a figure: exact decimals as text, other figures as numbers, infinity as "inf"."""
    if figure.exact is not None:
        return plain(figure.exact)
    return number_json(figure.epsilon)


def number_json(value: float | None) -> float | str | None:
    """A number for JSON, which has no infinity."""
    return "inf" if value is not None and math.isinf(value) else value


def spend_from(table: object, where: str) -> Spend:
    """One spend of a plan. Raises PlanError."""
    if not isinstance(table, Mapping):
        raise PlanError(f"{where}it must be an object with a mechanism.")
    unknown = sorted(set(table) - _SPEND_KEYS)
    if unknown:
        raise PlanError(f"{where}unknown key {unknown[0]!r}; use {', '.join(sorted(_SPEND_KEYS))}.")
    scheme, part = table.get("partition_scheme"), table.get("partition")
    if (scheme is None) != (part is None):
        raise PlanError(f"{where}partition_scheme and partition belong together; one is missing.")
    place = None if scheme is None else Place(str(scheme), tuple(str(part).split("|")))
    count = table.get("count", 1)
    try:
        return Spend(loss_from(table, where), count, place)
    except LossError as error:
        raise PlanError(f"{where}{error}.") from None


def loss_from(table: object, where: str) -> Loss:
    """The loss that a plan's object describes. Raises PlanError."""
    if not isinstance(table, Mapping) or "mechanism" not in table:
        raise PlanError(f"{where}mechanism is missing; use {', '.join(sorted(MECHANISMS))}.")
    try:
        return from_fields(str(table["mechanism"]), table)
    except LossError as error:
        raise PlanError(f"{where}{error}.") from None


def _budget(table: object, where: str) -> Budget:
    if not isinstance(table, Mapping):
        raise PlanError(f"{where}it must be an object with epsilon (or rho) and delta.")
    if (table.get("epsilon") is None) == (table.get("rho") is None):
        raise PlanError(f"{where}state either epsilon or rho.")
    delta = _number(table.get("delta"), f"{where}delta", below=Decimal(1))
    largest = Decimal("1e20")
    if table.get("rho") is not None:
        return Budget(None, delta, _number(table["rho"], f"{where}rho", below=largest))
    return Budget(_number(table["epsilon"], f"{where}epsilon", below=largest), delta)


def _number(value: object, where: str, *, below: Decimal) -> Decimal:
    if value is None:
        raise PlanError(f"{where} is missing; state it.")
    try:
        number = literal(cast(str, value))
    except NumberError as error:
        raise PlanError(f"{where}: {error}.") from None
    if number >= below:
        raise PlanError(f"{where} is {value}; it must be below {below}.")
    return number
