"""Independent figures in 60-digit arithmetic, written from the papers and not from the code under test."""

from collections.abc import Callable, Sequence

import mpmath as mp

mp.mp.dps = 80


def renyi_randomised_response(epsilon: mp.mpf, order: mp.mpf) -> mp.mpf:
    p, q = 1 / (1 + mp.e**-epsilon), 1 / (1 + mp.e**epsilon)
    return mp.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)


def renyi_laplace(x: mp.mpf, order: mp.mpf) -> mp.mpf:
    """By integrating the two densities piece by piece."""
    between = mp.quad(lambda t: mp.e ** (-t * order - (x - t) * (1 - order)), [0, x]) / 2
    left = mp.e ** (x * order - x) / 2  # t < 0, the nearer centre first: ∫ e^{αt} e^{(1−α)(t−x)}
    right = mp.e ** (-x * order) / 2
    return mp.log(left + between + right) / (order - 1)


def renyi_sampled_gaussian(z: mp.mpf, q: mp.mpf, order: int) -> mp.mpf:
    """Mironov, Talwar and Zhang's binomial sum at an integer order."""
    total = mp.fsum(
        mp.binomial(order, k) * (1 - q) ** (order - k) * q**k * mp.e ** (mp.mpf(k * k - k) / (2 * z * z))
        for k in range(order + 1)
    )
    return mp.log(total) / (order - 1)


def renyi_sampled_gaussian_integral(z: mp.mpf, q: mp.mpf, order: mp.mpf) -> mp.mpf:
    """E over the unsampled Gaussian of the density ratio to the power α, at any order."""

    def integrand(y: mp.mpf) -> mp.mpf:
        ratio = 1 - q + q * mp.e ** (y / z - 1 / (2 * z * z))
        return mp.npdf(y) * ratio**order

    top = order / z + 14
    total = mp.quad(integrand, mp.linspace(-14, top, int(2 * (top + 14)) + 2))
    return mp.log(total) / (order - 1)


def convert(curve: Callable[[mp.mpf], mp.mpf], delta: mp.mpf, classic: bool = False) -> mp.mpf:
    """min over α of the conversion, by golden section in ln(α − 1) from a scan."""

    def value(t: mp.mpf) -> mp.mpf:
        order = 1 + mp.e**t
        if classic:
            return curve(order) + mp.log(1 / delta) / (order - 1)
        return curve(order) + mp.log((order - 1) / order) - (mp.log(delta) + mp.log(order)) / (order - 1)

    points = [mp.mpf(i) / 4 for i in range(-40, 100)]
    best = min(points, key=value)
    low, high = best - mp.mpf(1) / 4, best + mp.mpf(1) / 4
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(90):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if value(a) < value(b) else (a, high)
    return max(value((low + high) / 2), mp.mpf(0))


def gaussian_epsilon(mu: mp.mpf, delta: mp.mpf) -> mp.mpf:
    """The exact inverse of the Gaussian privacy curve."""

    def curve(epsilon: mp.mpf) -> mp.mpf:
        return mp.ncdf(mu / 2 - epsilon / mu) - mp.e**epsilon * mp.ncdf(-mu / 2 - epsilon / mu) - delta

    if curve(mp.mpf(0)) <= 0:
        return mp.mpf(0)
    low, high = mp.mpf(0), mu * mu / 2 + mu * mp.sqrt(2 * mp.log(1 / delta)) + 1
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if curve(middle) > 0 else (low, middle)
    return high


def optimal_pure(parts: Sequence[tuple[mp.mpf, int]], delta: mp.mpf) -> mp.mpf:
    """The smallest ε of a composition of randomised responses at δ: no theorem may lie below it for pure losses.

    δ(ε) = Σ over losses above ε of mass·(1 − e^{ε − loss}) is inverted exactly between two neighbouring losses.
    """
    atoms = {mp.mpf(0): mp.mpf(1)}
    for each, count in parts:
        p, q = 1 / (1 + mp.e**-each), 1 / (1 + mp.e**each)
        grown: dict[mp.mpf, mp.mpf] = {}
        for ups in range(count + 1):
            weight = mp.binomial(count, ups) * p**ups * q ** (count - ups)
            for loss, mass in atoms.items():
                key = loss + (2 * ups - count) * each
                grown[key] = grown.get(key, mp.mpf(0)) + mass * weight
        atoms = grown
    mass_above, shrunk_above = mp.mpf(0), mp.mpf(0)
    for loss in sorted(atoms, reverse=True):
        if mass_above - mp.e**loss * shrunk_above > delta:
            break
        mass_above += atoms[loss]
        shrunk_above += atoms[loss] * mp.e**-loss
    return max(mp.log((mass_above - delta) / shrunk_above), mp.mpf(0)) if mass_above > delta else mp.mpf(0)
