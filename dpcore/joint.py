"""Joint loss of a data set over all its pools, all rows ever."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from dpcore import words
from dpcore.accountant import Account, account
from dpcore.decimals import TOLERANCE
from dpcore.evidence import PoolEvidence
from dpcore.pools import Dataset, Pool
from dpcore.spends import Spends
from dpcore.status import DatasetStatus, Finding

MOST_GROUPS = 256
"""Sets of pools that one person may be in; beyond, disjointness is left out of account, which is safe."""


def joint(dataset: Dataset, pools: tuple[Pool, ...], evidence: Mapping[str, PoolEvidence]) -> DatasetStatus:
    """The loss of the person worst off over all pools of the data set.

    Pools over the same people add up, whatever their owners; of pools declared disjoint the dearest counts (under
    replace-one a person may move, so two of them count). The default δ is the sum of the pools' δ.
    """
    names = tuple(pool.name for pool in pools)
    if not pools:
        return DatasetStatus(dataset, names, None, None, None, "the data set has no pools")
    for what, values in (
        ("privacy units", {pool.privacy_unit for pool in pools}),
        ("neighbouring relations", {pool.adjacency for pool in pools}),
    ):
        if len(values) > 1:
            note = f"its pools have different {what} ({', '.join(sorted(values))}), whose losses must not be added"
            return DatasetStatus(dataset, names, None, None, None, note)
    crowds = list(_crowds(pools, dataset))
    delta = max(sum((pool.budget.delta for pool in crowd), Decimal(0)) for crowd in crowds)
    if delta >= 1:
        return DatasetStatus(dataset, names, None, None, delta, "the δ of its pools add up to 1 or more")
    officials = {pool.official for pool in pools}
    theorem = officials.pop() if len(officials) == 1 else None
    accounts = [_account(crowd, evidence, delta, theorem) for crowd in crowds]
    if theorem is None or any(_epsilon(one, theorem) is None for one in accounts):
        accounts = [_account(crowd, evidence, delta) for crowd in crowds]
        theorem = _best(accounts, delta)
    if theorem is None:
        return DatasetStatus(dataset, names, None, None, delta, "no theorem covers every row")
    epsilon = max(_epsilon(one, theorem) or 0.0 for one in accounts)
    findings = _findings(dataset, pools, crowds, evidence, theorem, epsilon, delta)
    return DatasetStatus(dataset, names, theorem, epsilon, delta, None, findings)


def _account(
    crowd: tuple[Pool, ...], evidence: Mapping[str, PoolEvidence], delta: Decimal, only: str | None = None
) -> Account:
    spends = Spends(
        spend for pool in crowd for spend in evidence.get(pool.name, PoolEvidence()).lifetime.renamed(pool.name)
    )
    return account(spends, delta=delta, adjacency=crowd[0].adjacency, resolved=True, only=only, quick=True)


def _epsilon(one: Account, theorem: str) -> float | None:
    return one.figures[theorem].epsilon if theorem in one.figures else None


def _best(accounts: list[Account], delta: Decimal) -> str | None:
    """The theorem whose worst figure over the crowds is the smallest."""
    candidates = []
    for name in accounts[0].figures:
        figures = [one.figures[name] for one in accounts]
        if all(f.epsilon is not None and f.delta is not None and f.delta <= delta * (1 + TOLERANCE) for f in figures):
            candidates.append((max(f.epsilon or 0.0 for f in figures), name))
    return min(candidates)[1] if candidates else None


def _crowds(pools: tuple[Pool, ...], dataset: Dataset) -> Iterator[tuple[Pool, ...]]:
    """The largest sets of pools that one person may be in; under replace-one, that one moving person may touch."""
    apart = {frozenset((a, b)) for group in dataset.disjoint for a in group for b in group if a != b}
    by_name = {pool.name: pool for pool in pools}

    def together(name: str) -> set[str]:
        return {other for other in by_name if other != name and frozenset((name, other)) not in apart}

    found: list[frozenset[str]] = []

    def extend(chosen: frozenset[str], open_names: set[str], done: set[str]) -> None:
        # Bron and Kerbosch's enumeration of maximal cliques, of pools that may share a person.
        if len(found) > MOST_GROUPS:
            return
        if not open_names and not done:
            found.append(chosen)
        for name in sorted(open_names):
            extend(chosen | {name}, open_names & together(name), done & together(name))
            open_names = open_names - {name}
            done = done | {name}

    extend(frozenset(), set(by_name), set())
    if pools[0].adjacency == "replace_one":
        found = [a | b for i, a in enumerate(found) for b in found[i:]]
        found = [a for a in set(found) if not any(a < b for b in found)]
    if len(found) > MOST_GROUPS:
        found = [frozenset(by_name)]
    for names in sorted(found, key=sorted):
        yield tuple(by_name[name] for name in sorted(names))


def _findings(
    dataset: Dataset,
    pools: tuple[Pool, ...],
    crowds: list[tuple[Pool, ...]],
    evidence: Mapping[str, PoolEvidence],
    theorem: str,
    epsilon: float,
    delta: Decimal,
) -> tuple[Finding, ...]:
    shared = max(len(crowd) for crowd in crowds) > 1
    if dataset.epsilon is None:
        if not shared:
            return ()
        text = (
            f"{len(pools)} pools share the people of {dataset.name} and no cap limits their joint loss, now "
            f"ε = {words.epsilon(epsilon)} at δ = {words.delta(delta)}: set a cap for the data set."
        )
        return (Finding("joint_over_cap", "warning", (), text),)
    at = delta
    if dataset.delta is not None and delta > dataset.delta:
        at = dataset.delta
        figures = [_account(crowd, evidence, at, theorem).figures[theorem] for crowd in crowds]
        epsilon = max(figure.epsilon or 0.0 for figure in figures)
        if any(figure.delta is not None and figure.delta > at * (1 + TOLERANCE) for figure in figures):
            epsilon = float("inf")
    if epsilon <= float(dataset.epsilon * (1 + TOLERANCE)):
        return ()
    text = (
        f"The pools of {dataset.name} together have reached ε = {words.epsilon(epsilon)} at δ = {words.delta(at)}, "
        f"above the cap of {words.epsilon(dataset.epsilon)}: stop or shrink its pools."
    )
    return (Finding("joint_over_cap", "critical", (), text),)
