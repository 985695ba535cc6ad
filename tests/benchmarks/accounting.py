"""The accountant beside dp-accounting 0.6.0, both measured in one run. Prints seconds and ratios; asserts nothing.

Run: .venv/bin/python -m tests.benchmarks.accounting [--quick]. The other side's slow rows take about two minutes;
--quick leaves them out.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import dp_accounting as dp
import numpy as np
from dp_accounting import pld, rdp
from dp_accounting.pld import privacy_loss_distribution as pld_of
from dp_accounting.pld.common import DifferentialPrivacyParameters

from dpcore import Spend, Spends, account, losses
from dpcore.accountant import curve, remaining_queries
from dpcore.evidence import Day, PoolEvidence
from dpcore.losses import Loss
from dpcore.parallel import Composition, People
from dpcore.pools import Budget, parse_pool
from dpcore.theorems import THEOREMS, Target
from dpcore.theorems import numerical as numerical_module
from dpcore.theorems import optimal as optimal_module
from dpcore.theorems import rdp as rdp_module
from dpcore.timeline import timeline

DELTA = 1e-6
TARGET = Target(Decimal("1e-6"))


def forget() -> None:
    """Empty every cache of the accountant."""
    for cached in (
        optimal_module._epsilon,
        numerical_module._atoms,
        rdp_module._embedded,
        rdp_module._fine_curve,
    ):
        cached.cache_clear()


def timed(work: Callable[[], object], runs: int = 3, cold: bool = True) -> tuple[float, object]:
    """Median seconds and the last result."""
    seconds, result = [], None
    for _ in range(runs):
        if cold:
            forget()
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def show(name: str, ours: tuple[float, object], theirs: tuple[float, object] | None, goal: str) -> None:
    """One row."""
    other = f"{theirs[0]:9.3f} s" if theirs else "        –  "
    ratio = f"{theirs[0] / ours[0]:7.0f}×" if theirs else "       –"
    figures = f"{ours[1]:.6g}" if isinstance(ours[1], float | int) else ""
    peer = f" against {theirs[1]:.6g}" if theirs and isinstance(theirs[1], float | int) else ""
    print(f"{name:<52} {ours[0]:8.4f} s  {other} {ratio}  goal {goal:<9} {figures}{peer}", flush=True)


def epsilon(theorem: str, spends: Spends) -> float:
    """ε of spends under one theorem."""
    return Composition(THEOREMS[theorem], People.of(spends, "add_remove"), TARGET).epsilon()


def kinds() -> list[tuple[Loss, dp.DpEvent]]:
    """Ten kinds of query, Laplace and Gaussian."""
    found: list[tuple[Loss, dp.DpEvent]] = []
    for i in range(5):
        scale = 150 + 30 * i
        found.append((losses.Laplace(noise_scale=scale, sensitivity=1), dp.LaplaceDpEvent(scale)))
        found.append((losses.Gaussian(noise_scale=scale, sensitivity=1), dp.GaussianDpEvent(scale)))
    return found


def points(theorem: str) -> object:
    """200 points over 10,000 queries of ten kinds."""
    pool = parse_pool({"name": "p", "dataset": "d", "epsilon": "9", "delta": "1e-6", "privacy_unit": "user"})
    first = date(2026, 1, 1)
    spends = Spends(Spend(loss, 5) for loss, _ in kinds())
    days = tuple(Day(first + timedelta(days=i), spends) for i in range(200))
    return timeline(pool, PoolEvidence(days=days), only=(theorem,)).epsilon[theorem][-1]


def peer_points(accountant: Callable[[], dp.PrivacyAccountant]) -> object:
    """The same with one accountant that grows."""
    running, last = accountant(), 0.0
    for _ in range(200):
        for _, event in kinds():
            running.compose(event, 5)
        last = running.get_epsilon(DELTA)
    return last


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="leave out what takes the other side long")
    quick = options.parse_args().quick

    def slow(work: Callable[[], object]) -> tuple[float, object] | None:
        return None if quick else timed(work, 1)

    show("200 points, 10,000 queries of 10 kinds, RDP", timed(lambda: points("rdp")),
         timed(lambda: peer_points(rdp.RdpAccountant), 1), "0.020 s")  # fmt: skip
    show("the same, numerical", timed(lambda: points("numerical"), 1),
         slow(lambda: peer_points(pld.PLDAccountant)), "1 s")  # fmt: skip

    draw = np.random.default_rng(0)
    values, counts = draw.uniform(0.001, 0.02, 1000), draw.integers(1, 21, 1000)
    thousand = Spends(Spend(losses.Pure(float(e)), int(n)) for e, n in zip(values, counts, strict=True))

    def peer_pure(parts: list[tuple[float, int]]) -> float:
        composed = None
        for e, n in parts:
            one = pld_of.from_privacy_parameters(DifferentialPrivacyParameters(e, 0.0)).self_compose(n)
            composed = one if composed is None else composed.compose(one)
        assert composed is not None
        return float(composed.get_epsilon_for_delta(DELTA))

    def peer_thousand() -> float:
        return peer_pure([(float(e), int(n)) for e, n in zip(values, counts, strict=True)])

    show("1,000 distinct pure losses, optimal (exact 6.32134)", timed(lambda: epsilon("optimal", thousand)),
         slow(peer_thousand), "0.2 s")  # fmt: skip
    same = Spends([Spend(losses.Pure("0.01"), 10_000)])

    def peer_same() -> float:
        return peer_pure([(0.01, 10_000)])

    show("10,000 identical pure, optimal (exact 4.885515601)", timed(lambda: epsilon("optimal", same)),
         timed(peer_same, 1), "0.010 s")  # fmt: skip

    runs = [(0.8 + 0.012 * i, 0.001 + 0.0001 * i, 100 + 7 * i) for i in range(100)]
    sgd = Spends(Spend(losses.SubsampledGaussian(noise_scale=z, sensitivity=1, sampling_rate=q), n) for z, q, n in runs)

    def peer_sgd(accountant: dp.PrivacyAccountant) -> float:
        for z, q, n in runs:
            accountant.compose(dp.PoissonSampledDpEvent(q, dp.GaussianDpEvent(z)), n)
        return float(accountant.get_epsilon(DELTA))

    show("100 distinct (σ, q, steps), RDP", timed(lambda: epsilon("rdp", sgd), 1),
         timed(lambda: peer_sgd(rdp.RdpAccountant()), 1), "0.045 s")  # fmt: skip
    show("the same, numerical, cold", timed(lambda: epsilon("numerical", sgd), 1),
         slow(lambda: peer_sgd(pld.PLDAccountant())), "1.5 s")  # fmt: skip
    show("the same, numerical, warm", timed(lambda: epsilon("numerical", sgd), 1, cold=False), None, "0.2 s")

    mixed = Spends(
        [
            Spend(losses.Gaussian(noise_scale=20, sensitivity=1), 40),
            Spend(losses.Laplace(noise_scale=20, sensitivity=1), 100),
        ]
    )
    following = losses.Laplace(noise_scale=100, sensitivity=1)
    limit = Budget(Decimal(5), Decimal("1e-6"))

    def remaining() -> int:
        composition = Composition(THEOREMS["numerical"], People.of(mixed, "add_remove"), TARGET)
        return remaining_queries(composition, limit, following)

    show("remaining Laplace(100) under ε = 5, numerical (6,999)", timed(remaining), None, "0.2 s")

    position = iter(range(1000))

    def slider() -> None:
        one = losses.Laplace(epsilon=f"0.{100 + next(position)}")
        spends = Spends([Spend(one, 300)])
        account(spends, delta="1e-6", budget=limit, next_loss=one)
        curve(Spends(), one, [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000], delta="1e-6")

    show("a new slider position, all theorems, with the curve", timed(slider, 5, cold=False), None, "0.050 s")


if __name__ == "__main__":
    main()
