"""No figure lies below dp-accounting's lower bounds, and bounded work never gives a smaller figure."""

import logging
import random
from typing import Any

import pytest
from dp_accounting.pld import privacy_loss_distribution as peer

from dpcore import Place, Spend, Spends, account, losses
from dpcore.losses import Loss

OPTIMISTIC: dict[str, Any] = {"pessimistic_estimate": False, "value_discretization_interval": 1e-3}


def kind(draw: random.Random) -> tuple[Loss, Any]:
    """One mechanism with the peer's optimistic distribution of it."""
    noise = round(draw.uniform(2, 60), 2)
    which = draw.randint(0, 2)
    if which == 0:
        loss = losses.Laplace(noise_scale=noise, sensitivity=1)
        return loss, peer.from_laplace_mechanism(noise, **OPTIMISTIC)
    if which == 1:
        loss = losses.Gaussian(noise_scale=noise, sensitivity=1)
        return loss, peer.from_gaussian_mechanism(noise, **OPTIMISTIC)
    noise, rate = round(draw.uniform(0.7, 4), 2), round(draw.uniform(0.002, 0.2), 4)
    loss = losses.SubsampledGaussian(noise_scale=noise, sensitivity=1, sampling_rate=rate)
    return loss, peer.from_gaussian_mechanism(noise, sampling_prob=rate, **OPTIMISTIC)


@pytest.mark.parametrize("seed", range(24))
def test_mixes_of_known_mechanisms(seed: int) -> None:
    logging.disable(logging.WARNING)  # the peer says for each distribution that it takes the optimistic way
    try:
        draw = random.Random(seed)
        spends, composed = [], None
        for _ in range(draw.randint(1, 3)):
            (loss, theirs), count = kind(draw), draw.choice([1, 5, 40, 200])
            spends.append(Spend(loss, count))
            theirs = theirs.self_compose(count)
            composed = theirs if composed is None else composed.compose(theirs)
        delta = draw.choice(["1e-3", "1e-6", "1e-8"])
        assert composed is not None
        lowest = composed.get_epsilon_for_delta(float(delta))
    finally:
        logging.disable(logging.NOTSET)
    full = account(Spends(spends), delta=delta).figures
    for name in ("zcdp", "zcdp_simple", "rdp", "rdp_classic", "gdp", "numerical"):
        assert (full[name].epsilon or 0.0) >= lowest * (1 - 1e-9) - 1e-12, name


def test_bounded_work_is_an_upper_bound_and_says_so() -> None:
    spends = Spends(
        Spend(losses.Laplace(noise_scale=20 + i, sensitivity=1), 1 + i % 7, Place("region", (f"r{i % 23}",)))
        for i in range(230)
    )
    full = account(spends, delta="1e-6").figures
    quick = account(spends, delta="1e-6", quick=True).figures
    for name, figure in full.items():
        assert (quick[name].epsilon or 0.0) >= (figure.epsilon or 0.0) * (1 - 1e-12), name
    assert "upper bound" in (quick["numerical"].note or "")
    assert full["numerical"].note is None
    assert (quick["numerical"].epsilon or 0.0) <= (quick["rdp"].epsilon or 0.0) * 1.002
