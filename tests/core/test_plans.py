"""What-if plans: answers, solving, and refusals that name the place."""

import json

import pytest

from dpcore.accountant import account
from dpcore.plans import PlanError, answer, loads
from dpcore.theorems import THEOREMS


def ask(plan: dict[str, object]) -> dict[str, object]:
    return answer(loads(json.dumps(plan)))


PLAN: dict[str, object] = {
    "delta": 1e-6,
    "adjacency": "add_remove",
    "spends": [
        {"mechanism": "laplace", "noise_scale": 20, "sensitivity": 1, "count": 300},
        {"mechanism": "gaussian", "noise_scale": 20, "sensitivity": 1, "count": 40},
        {"mechanism": "approximate", "epsilon": "0.2", "delta": "1e-7", "count": 5},
    ],
    "budget": {"epsilon": "8", "delta": "1e-6"},
    "next": {"mechanism": "laplace", "epsilon": "0.05"},
}


def test_a_mixed_plan() -> None:
    reply = ask(PLAN)
    theorems = reply["theorems"]
    assert list(theorems) == list(THEOREMS)  # type: ignore[call-overload]
    assert theorems["basic"]["epsilon"] is None  # type: ignore[index]
    assert theorems["basic"]["note"] == "40 queries state no (ε, δ)"  # type: ignore[index]
    assert theorems["rdp"]["epsilon"] == pytest.approx(5.349001087, rel=1e-5)  # type: ignore[index]
    assert theorems["rdp"]["remaining"] > 0  # type: ignore[index]
    assert reply["tightest"] == "numerical"
    json.dumps(reply, allow_nan=False)


def test_numbers_are_exact_decimals() -> None:
    plan = {"delta": 0, "spends": [{"mechanism": "pure", "epsilon": 0.1, "count": 10}]}
    assert ask(plan)["theorems"]["basic"]["epsilon"] == "1"  # type: ignore[index]
    tiny = answer(loads('{"delta": 1e-6, "spends": [{"mechanism": "pure", "epsilon": 1E-7, "count": 3}]}'))
    assert tiny["theorems"]["basic"]["epsilon"] == "3e-7"


def test_infinity_is_a_word() -> None:
    reply = ask({"delta": 0, "spends": [{"mechanism": "gaussian", "noise_scale": 1, "sensitivity": 1}]})
    assert reply["theorems"]["rdp"]["epsilon"] == "inf"  # type: ignore[index]


def test_a_count_of_zero_is_an_empty_plan() -> None:
    reply = ask({"delta": 1e-6, "spends": [{"mechanism": "pure", "epsilon": 0.1, "count": 0}]})
    assert all(float(str(one["epsilon"])) == 0 for one in reply["theorems"].values())  # type: ignore[attr-defined]


def test_schemes_in_a_plan_are_disjoint() -> None:
    spends = [
        {"mechanism": "pure", "epsilon": "0.2", "partition_scheme": "region", "partition": part}
        for part in ("north", "south", "north|south")
    ]
    assert ask({"delta": 0, "spends": spends})["theorems"]["basic"]["epsilon"] == "0.4"  # type: ignore[index]


def test_several_workloads_keep_their_ids() -> None:
    reply = ask({"workloads": [PLAN | {"id": "a"}, PLAN | {"id": "b"}]})
    assert [one["id"] for one in reply["workloads"]] == ["a", "b"]  # type: ignore[attr-defined]


def solving(goal: str, theorem: str, loss: dict[str, object], count: int = 1, epsilon: str = "1") -> object:
    return ask(
        {
            "delta": 1e-6,
            "spends": [],
            "budget": {"epsilon": epsilon, "delta": 1e-6},
            "solve": {"for": goal, "theorem": theorem, "count": count, "loss": loss},
        }
    )["solve"]


def test_largest_epsilon_is_rounded_down() -> None:
    found = solving("epsilon", "advanced", {"mechanism": "pure"}, 100)
    assert found == pytest.approx(0.018375674103, rel=1e-9)
    for value, inside in ((found, True), (float(str(found)) * (1 + 1e-9), False)):
        plan = {"delta": 1e-6, "spends": [{"mechanism": "pure", "epsilon": value, "count": 100}]}
        assert (ask(plan)["theorems"]["advanced"]["epsilon"] <= 1) is inside  # type: ignore[index]


@pytest.mark.parametrize(
    ("theorem", "value"),
    [
        ("basic", 0.000666666667),
        ("advanced", 0.00650431671),
        ("advanced_tight", 0.00671187496),
        ("zcdp_simple", 0.00671187414),
        ("zcdp", 0.00766605889),
        ("rdp", 0.00767132509),
    ],
)
def test_three_thousand_queries_within_two(theorem: str, value: float) -> None:
    found = solving("epsilon", theorem, {"mechanism": "pure"}, 3000, "2")
    assert value * (1 - 2e-6) <= float(str(found)) <= value * (1 + 1e-4)


def test_smallest_noise_is_rounded_up() -> None:
    found = ask(
        {
            "delta": 1e-5,
            "spends": [],
            "budget": {"epsilon": "10", "delta": 1e-5},
            "solve": {"for": "noise_scale", "theorem": "gdp", "loss": {"mechanism": "gaussian", "sensitivity": 1}},
        }
    )["solve"]
    assert 0.499888619709 <= float(str(found)) <= 0.499888619709 * (1 + 1e-6)
    many = solving("noise_scale", "gdp", {"mechanism": "gaussian", "sensitivity": 1}, 3000, "2")
    assert 122.16821675 <= float(str(many)) <= 122.1682168 * (1 + 1e-7)


@pytest.mark.parametrize(("count", "scale"), [(20, 13.5503), (500, 70.9619)])
def test_smallest_laplace_noise_by_the_whole_distribution(count: int, scale: float) -> None:
    plan = {
        "delta": 1e-4,
        "spends": [],
        "budget": {"epsilon": "1", "delta": 1e-4},
        "solve": {
            "for": "noise_scale",
            "theorem": "numerical",
            "count": count,
            "loss": {"mechanism": "laplace", "sensitivity": 1},
        },
    }
    assert float(str(ask(plan)["solve"])) == pytest.approx(scale, rel=2e-3)


def test_largest_count() -> None:
    assert solving("count", "rdp", {"mechanism": "pure", "epsilon": "0.0125"}) == 315
    assert solving("count", "basic", {"mechanism": "pure", "epsilon": "2"}) == 0


def test_solving_beside_what_is_spent() -> None:
    plan = {
        "delta": 1e-6,
        "spends": [{"mechanism": "pure", "epsilon": "0.9"}],
        "budget": {"epsilon": "1", "delta": "1e-6"},
        "solve": {"for": "epsilon", "theorem": "basic", "count": 3, "loss": {"mechanism": "pure"}},
    }
    assert ask(plan)["solve"] == 0.0333333333333
    assert ask(plan | {"spends": [{"mechanism": "pure", "epsilon": "2"}]})["solve"] is None


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ([], "JSON object"),
        ({}, "delta is missing"),
        ({"delta": 1}, "below 1"),
        ({"delta": -1e-6}, "negative"),
        ({"delta": "x"}, "not a plain decimal"),
        ({"delta": 0, "spends": [{}]}, "spend 1: mechanism is missing"),
        ({"delta": 0, "spends": [{"mechanism": "pure"}]}, "spend 1: epsilon"),
        ({"delta": 0, "spends": [{"mechanism": "pure", "epsilon": "0.1", "count": 1.5}]}, "spend 1: count"),
        ({"delta": 0, "spends": [{"mechanism": "pure", "epsilon": "0.1", "count": -1}]}, "spend 1: count"),
        ({"delta": 0, "spends": [{"mechanism": "pure", "epsilon": "0.1", "count": True}]}, "spend 1: count"),
        ({"delta": 0, "spends": [{"mechanism": "pure", "epsilon": "0.1", "epsilom": 1}]}, "epsilom"),
        ({"delta": 0, "spends": [{"mechanism": "pure", "epsilon": "0.1", "partition": "a"}]}, "belong together"),
        ({"delta": 0, "adjacency": "both"}, "adjacency"),
        ({"delta": 0, "group_size": 0}, "group_size"),
        ({"delta": 0, "budget": {"epsilon": "1"}}, "budget: delta is missing"),
        ({"delta": 0, "budget": {"delta": "0"}}, "either epsilon or rho"),
        ({"delta": 0, "solve": {"for": "epsilon"}}, "needs a budget"),
        ({"delta": 0, "budget": {"epsilon": 1, "delta": 0}, "solve": {"theorem": "x"}}, "'x' is none of"),
        ({"workloads": 3}, "list of plans"),
    ],
)
def test_refusals_name_the_place(plan: object, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        answer(loads(json.dumps(plan)))


@pytest.mark.parametrize("text", ["{", '{"delta": NaN}', '{"delta": Infinity}', ""])
def test_text_that_is_no_plan(text: str) -> None:
    with pytest.raises(PlanError):
        answer(loads(text))


def test_groups_multiply() -> None:
    plan = {"delta": 0, "group_size": 3, "spends": [{"mechanism": "pure", "epsilon": "0.1"}]}
    assert ask(plan)["theorems"]["basic"]["epsilon"] == "0.3"  # type: ignore[index]


def test_reading_twice_changes_nothing() -> None:
    assert ask(PLAN) == ask(PLAN)
    assert account is not None
