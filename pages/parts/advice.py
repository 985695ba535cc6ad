"""What to do about a pool, by its state: sentences for the person in charge."""

from dpcore import words
from dpcore.status import PoolStatus


def advice(status: PoolStatus) -> list[str]:
    """The steps that help, most effective first; none where nothing needs doing."""
    pool = status.pool
    if pool.closed:
        return []
    if status.state in ("exhausted", "exceeded"):
        return [step for step in (_stop(status), _wait(status), _elsewhere(status), _reuse(), _grant()) if step]
    if status.state in ("warning", "critical"):
        return [step for step in (_slower(), _wait(status), _reuse(), _grant()) if step]
    return []


def _stop(status: PoolStatus) -> str:
    return "Stop: refuse further queries to this pool. A reset without a cause would only hide the loss."


def _wait(status: PoolStatus) -> str | None:
    if status.window_end is None:
        return None
    return f"Wait: the pool refreshes on {words.moment(status.window_end, status.pool.timezone)}."


def _elsewhere(status: PoolStatus) -> str | None:
    if not status.pool.schemes:
        return None
    names = ", ".join(sorted(status.pool.schemes))
    return f"Move: ask about a part of the people that has been asked less ({names}); disjoint parts do not add up."


def _reuse() -> str:
    return "Reuse: anything computed from answers that are already published costs nothing more."


def _grant() -> str:
    return "Ask for a grant: a larger budget needs a reason and somebody who approves it."


def _slower() -> str:
    return "Spend less: ask fewer queries or add more noise; the What-if page shows what still fits."
