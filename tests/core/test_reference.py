"""Reference values at 50 digits (tests/data/reference.json; see its "about"), asked as what-if plans."""

import json
from pathlib import Path

import pytest

from dpcore.plans import answer, loads
from dpcore.theorems import THEOREMS

WORKLOADS = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text())["workloads"]

# Relative: how far above the exact value is still tight.
TIGHT = {"basic": 1e-12, "optimal": 1e-6, "zcdp": 1e-6, "gdp": 1e-6, "rdp": 1e-4, "rdp_classic": 1e-4}


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, dict[str, object]]]:
    plans = [{key: work[key] for key in ("id", "delta", "adjacency", "spends")} for work in WORKLOADS]
    reply = answer(loads(json.dumps({"workloads": plans})))
    return {one["id"]: one["theorems"] for one in reply["workloads"]}


CASES = [
    (work["id"], theorem, value)
    for work in WORKLOADS
    for theorem, value in work["epsilon"].items()
    if theorem in THEOREMS
]


@pytest.mark.parametrize(("work", "theorem", "value"), CASES, ids=lambda v: str(v)[:30])
def test_closed_form(answers: dict[str, dict[str, dict[str, object]]], work: str, theorem: str, value: object) -> None:
    got = float(str(answers[work][theorem]["epsilon"]))
    exact = float(str(value))
    assert got >= exact * (1 - 1e-9) - 1e-15
    assert got <= exact * (1 + TIGHT.get(theorem, 1e-9)) + 1e-12 or exact == float("inf")


PEERS = [(work["id"], work["epsilon"]["rdp_peers"]) for work in WORKLOADS if "rdp_peers" in work["epsilon"]]


@pytest.mark.parametrize(("work", "peers"), PEERS)
def test_subsampled_rdp_against_two_accountants(
    answers: dict[str, dict[str, dict[str, object]]], work: str, peers: dict[str, float]
) -> None:
    got = float(str(answers[work]["rdp"]["epsilon"]))
    best = min(peers.values())
    assert best * 0.99 <= got <= best * (1 + 1e-3)


def _numerical_bounds() -> list[tuple[str, float, float]]:
    """The exact value where one is known, else what two bounds of a public accountant leave."""
    bounds = []
    for work in WORKLOADS:
        figures, kinds = work["epsilon"], {loss["mechanism"] for loss in work["spends"]}
        exact = figures.get("optimal") if kinds <= {"pure", "approximate"} else None
        exact = figures.get("gdp") if kinds == {"gaussian"} else exact
        if exact is not None:
            if exact != "inf":
                bounds.append((work["id"], float(exact) * (1 - 1e-9) - 1e-15, float(exact) * (1 + 1e-3) + 1e-9))
            continue
        peers = figures.get("pld_peer", {})
        upper = sorted(float(value) for name, value in peers.items() if name.startswith("pld@"))
        lower = [float(value) for name, value in peers.items() if name.startswith("pld_lower@")]
        if upper and upper[0] < float("inf"):
            if not lower and upper[-1] <= upper[0] * (1 + 1e-3):
                lower = [upper[0] * (1 - 1e-3)]
            bounds.append((work["id"], max([*lower, 0.0]) - 1e-15, upper[0] * (1 + 1e-3) + 1e-9))
    return bounds


NUMERICAL = _numerical_bounds()


@pytest.mark.parametrize(("work", "low", "high"), NUMERICAL)
def test_numerical(answers: dict[str, dict[str, dict[str, object]]], work: str, low: float, high: float) -> None:
    assert low <= float(str(answers[work]["numerical"]["epsilon"])) <= high


def test_all_of_them_are_asked() -> None:
    assert len(CASES) + len(PEERS) + len(NUMERICAL) == 429
