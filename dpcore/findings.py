"""Findings: what in a log makes a figure wrong or doubtful, in sentences that say what to do."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal

from dpcore import words
from dpcore.evidence import Fact
from dpcore.pools import Dataset, Pool
from dpcore.status import Figure, Finding, Severity
from dpcore.theorems import THEOREMS, Target


@dataclass(frozen=True)
class Kind:
    """How a fact of the log is judged: severity, whether spending may be understated, and the sentence."""

    severity: Severity
    unverified: bool
    text: Callable[[Fact], str]


def _are(fact: Fact, singular: str, plural: str) -> str:
    return f"{words.rows(fact.rows)} {singular if fact.rows == 1 else plural}"


def _because(fact: Fact) -> str:
    return f" ({fact.detail})" if fact.detail else ""


KINDS: dict[str, Kind] = {
    "rejected_rows": Kind(
        "critical",
        True,
        lambda f: (
            f"{_are(f, 'was', 'were')} refused{_because(f)}, so spending may be higher than shown: "
            "correct them at the source and import them again."
        ),
    ),
    "conflicting_id": Kind(
        "critical",
        True,
        lambda f: (
            f"{words.queries(f.rows)} came more than once with different contents; the dearer version is "
            "charged: find out which one is right."
        ),
    ),
    "undeclared_scheme": Kind(
        "critical",
        False,
        lambda f: (
            f"{_are(f, 'claims', 'claim')} to touch separate people under a scheme that is not declared "
            f"disjoint{_because(f)}, so costs are added up: declare the scheme if each person lies in one part only."
        ),
    ),
    "post_processing_without_release": Kind(
        "critical",
        True,
        lambda f: (
            f"{_are(f, 'is', 'are')} logged as post-processing of answers that are not released under "
            "differential privacy; the cost is unknown: log what was really computed."
        ),
    ),
    "exact_release": Kind(
        "critical",
        False,
        lambda f: (
            f"{_are(f, 'releases', 'release')} exact values without noise; no privacy guarantee is left: "
            "treat it as a leak."
        ),
    ),
    "understated_epsilon": Kind(
        "critical",
        False,
        lambda f: (
            f"{_are(f, 'states', 'state')} a smaller ε than the noise gives{_because(f)}; the larger is charged: "
            "correct the source."
        ),
    ),
    "unfit_amplification": Kind(
        "warning",
        False,
        lambda f: (
            f"{_are(f, 'claims', 'claim')} a discount for sampling that does not apply{_because(f)}; "
            f"{'it is' if f.rows == 1 else 'they are'} charged in full."
        ),
    ),
    "future_rows": Kind(
        "warning",
        False,
        lambda f: (
            f"{_are(f, 'is', 'are')} dated after the time shown and "
            f"{'counts' if f.rows == 1 else 'count'} in the lifetime figure: check the clock of the source."
        ),
    ),
    "release_after_close": Kind(
        "critical",
        False,
        lambda f: f"{_are(f, 'was', 'were')} charged after the pool was closed: stop the source or reopen the pool.",
    ),
}


def judge(facts: Iterable[Fact]) -> tuple[Finding, ...]:
    """The findings that the facts of a log make."""
    found = []
    for fact in facts:
        kind = KINDS[fact.kind]
        found.append(Finding(fact.kind, kind.severity, fact.queries, kind.text(fact)))
    return tuple(found)


def makes_unverified(finding: Finding) -> bool:
    """Whether spending may be understated because of the finding."""
    return finding.kind == "official_cannot_speak" or (finding.kind in KINDS and KINDS[finding.kind].unverified)


def official_cannot_speak(pool: Pool, official: Figure | None, leading: str | None) -> Finding | None:
    """The official theorem has no figure for this log."""
    if official is not None and official.epsilon is not None:
        return None
    why = "this version does not offer it" if official is None else (official.note or "it cannot speak")
    if leading:
        instead = f"the state follows {THEOREMS[leading].title} instead"
    else:
        instead = "no theorem covers every row, so the pool counts as over budget"
    return Finding(
        "official_cannot_speak",
        "critical",
        (),
        f"The official theorem {pool.official} gives no figure ({why}); {instead}: log what the theorem needs, or "
        "choose another official theorem.",
    )


def not_adaptive(pool: Pool, target: Target) -> Finding | None:
    """The pool's budgets are chosen as one goes, for which its official theorem is not valid."""
    theorem = THEOREMS.get(pool.official)
    if pool.parameters != "adaptive" or theorem is None or theorem.ready_for(target):
        return None
    if theorem.adaptive == "filter":
        lacking = "delta_reserve" if pool.delta_reserve is None else "order"
        what = f"needs {lacking} fixed beforehand: declare it"
    else:
        what = "is not established there: use basic, advanced_filter, zcdp, gdp, or rdp at a fixed order"
    return Finding(
        "not_adaptive",
        "critical",
        (),
        f"Budgets of this pool are chosen as answers come in; its official theorem {pool.official} {what}.",
    )


def weak_delta(pool: Pool, dataset: Dataset) -> Finding | None:
    """δ is so wide that the guarantee is weak."""
    delta = pool.budget.delta
    if dataset.people is not None and delta * dataset.people > 1:
        than = f"1 in {dataset.people:,} people of the data set"
    elif delta > Decimal("1e-3"):
        than = "0.001"
    else:
        return None
    return Finding(
        "weak_delta",
        "warning",
        (),
        f"δ = {words.delta(delta)} is above {than}: with that chance the guarantee may fail altogether; lower it.",
    )
