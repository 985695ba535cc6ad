"""The privacy curve of the Gaussian mechanism, exactly, in log space."""

import math

import numpy as np
from scipy import special

from dpcore.numerics import Floats, mills_difference, up

_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


def log_delta(epsilon: Floats, mu: Floats) -> Floats:
    """ln δ(ε) of a μ-GDP mechanism, δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) (Balle and Wang 2018, theorem 8).

    Arrays of one shape, μ > 0.
    """
    return _log_delta_at(epsilon / mu - mu / 2.0, mu)


def _log_delta_at(a: Floats, mu: Floats) -> Floats:
    """The same by a = ε/μ − μ/2, in which nothing overflows: δ = φ(a)·(R(a) − R(a + μ)), R the Mills ratio."""
    near = np.maximum(a, -5.0)
    log_density = -0.5 * near * near - _LOG_ROOT_2PI
    by_ratio = log_density + np.log(mills_difference(near, mu))
    far = np.minimum(a, -5.0)
    second = np.exp(-0.5 * far * far - _LOG_ROOT_2PI) * _mills(far + mu)
    direct = np.log1p(-special.ndtr(far) - np.where(a <= -5.0, second, 0.0))
    return np.where(a > -5.0, by_ratio, direct)


def _mills(x: Floats) -> Floats:
    return math.sqrt(math.pi / 2.0) * np.asarray(special.erfcx(np.maximum(x, -5.0) / math.sqrt(2.0)))


def epsilon_at(mu: Floats, log_slack: Floats) -> Floats:
    """The smallest ε with δ(ε) ≤ slack for μ-GDP, rounded up. Arrays of one shape; μ = 0 gives 0.

    ln δ is concave and decreasing in a, so Newton's iterates from the right stay on the right of the root: every
    one of them is an upper bound, however early the iteration stops.
    """
    mu = np.asarray(mu, dtype=np.float64)
    log_slack = np.broadcast_to(np.asarray(log_slack, dtype=np.float64), mu.shape)
    usable = (mu > 0.0) & np.isfinite(mu) & (log_slack > -np.inf)
    m = np.where(usable, mu, 1.0)
    target = np.where(usable, log_slack, -1.0)
    floor = -m / 2.0
    free = _log_delta_at(floor, m) <= target
    a = np.maximum(-special.ndtri_exp(target), floor)
    for _ in range(60):
        log_d = _log_delta_at(a, m)
        density = -0.5 * a * a - _LOG_ROOT_2PI
        slope = m * np.exp(density + np.log(_mills(a + m)) - log_d)
        step = np.where(log_d < target, (target - log_d) / slope, 0.0)
        step = np.minimum(step, a - floor)
        a = a - step
        if np.all(step <= 1e-13 * (1.0 + np.abs(a))):
            break
    a = a + 2e-13 * (1.0 + np.abs(a))
    epsilon = np.where(free, 0.0, np.maximum(m * (a + m / 2.0), 0.0))
    infinite = np.where((mu > 0.0), np.inf, 0.0)
    return up(np.where(usable, epsilon, infinite))
