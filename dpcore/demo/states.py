"""One pool in each state, each over its own people and under another official theorem."""

from datetime import datetime

from dpcore.demo.desk import service
from dpcore.demo.rhythm import WORKING_WEEK
from dpcore.demo.rows import Row

STATES = {
    "state-ok": "ok",
    "state-warning": "warning",
    "state-critical": "critical",
    "state-exhausted": "exhausted",
    "state-exceeded": "exceeded",
}
"""Pool → the state that it shows."""

_LOSSES = {
    # Σε = 0.3 of 1.0 by the plain sum.
    "state-ok": [{"mechanism": "laplace", "epsilon": "0.025"}] * 12,
    # 60 × 0.05 of ε = 2.5 under zCDP.
    "state-warning": [{"mechanism": "laplace", "epsilon": "0.05"}] * 60,
    # 220 × 0.02 of ε = 1.75 under advanced composition.
    "state-critical": [{"mechanism": "pure", "epsilon": "0.02"}] * 220,
    # Ten times 0.1 of 1.0: spent to the last digit, not exceeded.
    "state-exhausted": [{"mechanism": "laplace", "epsilon": "0.1"}] * 10,
    # 23 Gaussians with μ = 1/20 against ε = 1.
    "state-exceeded": [{"mechanism": "gaussian", "noise_scale": "20", "sensitivity": "1"}] * 23,
}


def rows(as_of: datetime) -> list[Row]:
    """The rows of the five pools up to `as_of`."""
    return [
        row
        for pool, losses in _LOSSES.items()
        for row in service(
            pool,
            pool,
            losses,
            as_of=as_of,
            days=200,
            analyst="example-analyst",
            purpose=f"shows a pool whose state is {STATES[pool]}",
            query_text="SELECT COUNT(*) FROM example",
            week=WORKING_WEEK,
        )
    ]
