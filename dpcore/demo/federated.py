"""Federated training rounds of a pure mechanism, and one run of DP-SGD."""

from datetime import datetime
from itertools import pairwise

from dpcore.demo.desk import service
from dpcore.demo.rhythm import NIGHT
from dpcore.demo.rows import Row

ROUNDS = 240
"""Rounds done: three times what the plain sum allows, three quarters of what Rényi DP allows."""

STEPS = 3516
EPOCHS = 15


def steps_per_epoch() -> list[int]:
    """Whole steps of each epoch; together STEPS."""
    edges = [round(STEPS * epoch / EPOCHS) for epoch in range(EPOCHS + 1)]
    return [high - low for low, high in pairwise(edges)]


def rows(as_of: datetime) -> list[Row]:
    """Three rounds a night up to `as_of`, and the fifteen epochs of a run some weeks before."""
    rounds = service(
        "federated-rounds",
        "round",
        [{"mechanism": "pure", "epsilon": "0.0125"}] * ROUNDS,
        as_of=as_of,
        days=ROUNDS / 3,
        analyst="training-service",
        purpose="next-word model, weekly release candidate",
        query_text="Aggregate of clipped client updates, local randomiser at epsilon 1/80",
        hours=NIGHT,
    )
    epochs = [
        {
            "mechanism": "subsampled_gaussian",
            "noise_scale": "1.1",
            "sensitivity": "1",
            "sampling_rate": repr(256 / 60000),
            "sampling": "poisson",
            "count": str(steps),
        }
        for steps in steps_per_epoch()
    ]
    run = service(
        "dp-sgd-run",
        "epoch",
        epochs,
        as_of=as_of,
        days=47,
        until=45,
        analyst="training-service",
        purpose="digit classifier, final run",
        query_text="Noisy clipped gradients, one row per epoch",
    )
    return rounds + run
