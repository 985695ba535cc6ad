"""Privacy-loss distributions on a lattice, composed in Fourier space.

The composition of independent losses is the convolution of their distributions. It is computed after an exponential
tilt (Esscher transform), which centres the sum on the ε that is looked for: the tail that δ depends on is then the
bulk, and keeps its relative precision down to any δ. Every approximation is charged to δ: mass at infinity, mass
above the window (by Chernoff's bound), frequencies left out, and round-off. Mass that wraps around from below is
counted twice, which is safe.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from dpcore.losses.distribution import Continuous, PrivacyLoss
from dpcore.numerics import Floats, up1

MOST_POINTS = 2**21
"""Lattice points of a window beyond which a composition is not attempted."""

_DIRECT = 4
"""Frequencies times atoms, as a multiple of the window's points, above which one transform over all frequencies is
cheaper than evaluating a characteristic function where it is needed."""

_PANELS = 96
_MOST_CELLS = 2**18
_MOST_ATOMS = 2**24
_MOST_ROUND_OFF = 1e-5
_WIDEST = 1e6
"""Width of a window, in ε, beyond which nobody needs more than the bound that the statistic gives."""
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(6)
_BELOW, _SPARE = 7.0, 512
"""Deviations of the tilted sum, and lattice points, that a window reaches below its mean: the sum of a few losses may
have next to no deviation."""

_NEGLIGIBLE = 1e-18
_MACHINE = 2.0**-52


@dataclass(frozen=True)
class Atoms:
    """One loss: logarithms of masses at integer multiples of the lattice step, and the mass at infinity."""

    places: NDArray[np.int64]
    log_masses: Floats
    at_infinity: float = 0.0


def on_grid(loss: PrivacyLoss, grid: float, log_tail: float = -math.inf) -> Atoms | None:
    """A privacy loss on the multiples of a grid, from above: connect-the-dots of Doroshenko et al. 2022, section 4.

    Every bit of mass is split between its two neighbours so that mass and E[e^−loss] are kept. The continuous part is
    integrated by Gauss and Legendre's rule between the grid points; beyond its span, mass e^log_tail goes to infinity
    above and up to the span below. None where the loss would need more than 2¹⁸ grid points.
    """
    values, logs, beyond = [], [], 0.0
    if loss.atoms:
        listed = np.array(loss.atoms)
        values.append(listed[:, 0])
        logs.append(listed[:, 1])
    if loss.continuous is not None:
        ends = loss.continuous.loss(np.array(loss.continuous.span(log_tail)))
        if not ends[1] - ends[0] <= _MOST_CELLS * grid:
            return None
        inner, inner_logs = _nodes(loss.continuous, grid, log_tail)
        values.append(inner)
        logs.append(inner_logs)
        if log_tail > -math.inf:
            beyond = math.exp(log_tail)
            values.append(inner[:1])
            logs.append(np.array([log_tail]))
    return split(np.concatenate(values), np.concatenate(logs), grid, beyond)


def split(losses: Floats, log_masses: Floats, grid: float, at_infinity: float = 0.0) -> Atoms:
    """Masses moved to the multiples of a grid: each between its two neighbours, keeping mass and E[e^−loss]."""
    floor = np.floor(losses / grid)
    rest = np.clip(losses - floor * grid, 0.0, grid)
    share = np.expm1(-rest) / math.expm1(-grid)
    both = np.concatenate([floor, floor + 1.0]).astype(np.int64)
    places, back = np.unique(both, return_inverse=True)
    top = float(log_masses.max())
    parts = np.exp(np.concatenate([log_masses, log_masses]) - top) * np.concatenate([1.0 - share, share])
    masses = np.bincount(back, parts, minlength=len(places))
    kept = masses > 0.0
    return Atoms(places[kept], np.log(masses[kept]) + top, at_infinity)


def _nodes(part: Continuous, grid: float, log_tail: float) -> tuple[Floats, Floats]:
    """Losses and ln of masses at the nodes of Gauss and Legendre's rule, panels bounded by the grid points."""
    low, high = part.span(log_tail)
    ends = part.loss(np.array([low, high]))
    points = grid * np.arange(math.floor(ends[0] / grid) + 1, math.ceil(ends[1] / grid))
    inner = part.inverse(points)
    inner = inner[(inner > low) & (inner < high)]
    edges = np.unique(np.concatenate([np.linspace(low, high, _PANELS + 1), inner]))
    middle, half = (edges[1:] + edges[:-1]) / 2.0, (edges[1:] - edges[:-1]) / 2.0
    y = (middle[:, None] + half[:, None] * _GAUSS_NODES).ravel()
    weights = (half[:, None] * _GAUSS_WEIGHTS).ravel()
    return part.loss(y), part.log_density(y) + np.log(weights)


@dataclass(frozen=True)
class Part:
    """A loss with its count."""

    atoms: Atoms
    count: float


def composed_epsilon(
    parts: Sequence[Part], step: float, offset: float, log_slack: float, theta: float | None = None
) -> float | None:
    """The smallest ε at which the composed δ(ε) is at most the slack, rounded up.

    `step` is the lattice step, `offset` is added to every sum of losses, `theta` is a tilt to start from where one is
    known: α − 1 of the best Rényi order. Infinite where the mass at infinity alone
    exceeds the slack; None where the window or the table of losses would be too large.
    """
    if len(parts) * max(len(part.atoms.places) for part in parts) > _MOST_ATOMS:
        return None
    total = _Sum.of(parts, step, offset)
    log_slack = total.slack_left(log_slack)
    if log_slack == -math.inf:
        return math.inf
    tilt = total.best_tilt(log_slack) if theta is None else total.tilt(theta)
    best = math.inf
    for _ in range(8):
        window = total.window(tilt, log_slack)
        if window is None or window.points * step > _WIDEST:
            return None if math.isinf(best) else best
        masses, noise = total.tilted_masses(tilt, window)
        losses = np.asarray(step * (window.low + np.arange(window.points)) + offset, dtype=np.float64)
        # What is subtracted here may be far larger than what is left: its round-off is charged, or is too much.
        round_off = 16.0 * _MACHINE * (tilt.magnitude + tilt.theta * float(np.abs(losses[[0, -1]]).max()))
        if round_off > _MOST_ROUND_OFF:
            return None if math.isinf(best) else best
        log_masses = np.log(masses + noise) + (tilt.log_moment + round_off) - tilt.theta * losses
        found = invert(losses, log_masses, log_slack, window.log_above, window.from_least)
        # Far below the tilted mean the error bound is blown up by e^{θ·distance}: tilt to where ε is, and look again.
        at_the_edge = not window.from_least and found <= losses[0] + step
        if found >= best * (1.0 - 1e-9) or (tilt.theta * (tilt.mean - found) < 12.0 and not at_the_edge):
            return min(best, found)
        best = found
        tilt = total.tilt_to(found, tilt.theta)
    return best


@dataclass(frozen=True)
class _Tilt:
    """The exponential tilt θ, with the cumulants of the tilted sum."""

    theta: float
    log_moment: float
    magnitude: float
    """Sum of the sizes of the terms of K(θ), on which its round-off depends."""
    mean: float
    deviation: float


@dataclass(frozen=True)
class _Window:
    """Lattice points looked at: the first, how many, whether none lies below, and ln of a bound on the mass above."""

    low: int
    points: int
    from_least: bool
    log_above: float


@dataclass(frozen=True)
class _Sum:
    """The sum of the losses of all parts; arrays of shape (parts, atoms), short parts filled up with mass 0."""

    places: NDArray[np.int64]
    log_masses: Floats
    counts: Floats
    log_finite: float
    step: float
    offset: float

    @classmethod
    def of(cls, parts: Sequence[Part], step: float, offset: float) -> "_Sum":
        width = max(len(part.atoms.places) for part in parts)
        places = np.zeros((len(parts), width), dtype=np.int64)
        log_masses = np.full((len(parts), width), -np.inf)
        for row, part in enumerate(parts):
            atoms = part.atoms
            places[row] = atoms.places[0]
            places[row, : len(atoms.places)] = atoms.places
            log_masses[row, : len(atoms.places)] = atoms.log_masses
        counts = np.array([part.count for part in parts], dtype=np.float64)
        log_finite = math.fsum(part.count * math.log1p(-part.atoms.at_infinity) for part in parts)
        return cls(places, log_masses, counts, log_finite, step, offset)

    def slack_left(self, log_slack: float) -> float:
        """ln of what the mass at infinity leaves of the slack, rounded down."""
        if self.log_finite == 0.0:
            return log_slack
        left = math.exp(log_slack) + math.expm1(self.log_finite) * (1.0 + 4.0 * _MACHINE)
        return math.log(left) if left > 0.0 else -math.inf

    def log_moment(self, theta: float) -> float:
        """K(θ) = ln E[e^{θL}] of the finite part of the sum."""
        exponents = theta * self.step * self.places + self.log_masses
        top = exponents.max(axis=1)
        own = top + np.log(np.exp(exponents - top[:, None]).sum(axis=1))
        return theta * self.offset + float(self.counts @ own)

    def magnitude(self, theta: float) -> float:
        """Sum of the sizes of the terms that K(θ) is added up from."""
        largest = np.abs(theta * self.step * self.places).max(axis=1) + 1.0
        return abs(theta * self.offset) + float(self.counts @ largest)

    def best_tilt(self, log_slack: float) -> _Tilt:
        """The θ that minimises Chernoff's ε = (K(θ) − ln s)/θ, at which the tilted mean is that ε."""

        def chernoff(log_theta: float) -> float:
            theta = math.exp(log_theta)
            return (self.log_moment(theta) - log_slack) / theta

        # Beyond 40 a step the tilted sum is its largest loss, and more tilt only loses digits.
        most = math.log(40.0 / self.step)
        grid = np.linspace(min(math.log(1e-6), most - 20.0), most, 40)
        middle = int(np.argmin([chernoff(t) for t in grid]))
        low, high = float(grid[max(middle - 1, 0)]), float(grid[min(middle + 1, len(grid) - 1)])
        ratio = (math.sqrt(5.0) - 1.0) / 2.0
        for _ in range(16):
            a, b = high - ratio * (high - low), low + ratio * (high - low)
            low, high = (low, b) if chernoff(a) < chernoff(b) else (a, high)
        return self.tilt(math.exp((low + high) / 2.0))

    def tilt_to(self, mean: float, most: float) -> _Tilt:
        """The tilt, of at most so much, under which the sum has a given mean."""
        low, high = 0.0, most
        for _ in range(40):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.tilt(middle).mean < mean else (low, middle)
        return self.tilt(high)

    def tilt(self, theta: float) -> _Tilt:
        """The tilted sum's cumulants."""
        weights = self._tilted(theta * self.step)
        x = self.step * self.places
        own = np.sum(weights * x, axis=1)
        variance = self.counts @ np.sum(weights * (x - own[:, None]) ** 2, axis=1)
        mean = float(self.counts @ own) + self.offset
        return _Tilt(theta, self.log_moment(theta), self.magnitude(theta), mean, math.sqrt(float(variance)))

    def _tilted(self, tilt: float) -> Floats:
        exponents = tilt * self.places + self.log_masses
        weights = np.exp(exponents - exponents.max(axis=1)[:, None])
        return np.asarray(weights / weights.sum(axis=1)[:, None])

    def window(self, tilt: _Tilt, log_slack: float) -> _Window | None:
        """A window around the tilted mean, wide enough that what lies above is negligible; None if it is too large."""
        counts = [int(count) for count in self.counts]
        least = sum(n * int(row.min()) for n, row in zip(counts, self.places, strict=True))
        most = sum(n * int(row.max()) for n, row in zip(counts, self.places, strict=True))
        # Too short a reach below only counts wrapped mass twice; above, the tilt leaves little.
        reach = 4.0
        while True:
            low = max(math.floor((tilt.mean - _BELOW * tilt.deviation - self.offset) / self.step) - _SPARE, least)
            high = min(math.ceil((tilt.mean + reach * tilt.deviation - self.offset) / self.step) + 1, most)
            log_above = -math.inf
            if high < most:
                edge = self.step * high + self.offset
                tilts = [tilt.theta * factor for factor in (1.0, 1.25, 1.5, 2.0, 3.0, 5.0)]
                log_above = min(self.log_moment(theta) - theta * edge for theta in tilts)
            points = high - low + 1
            if points > MOST_POINTS:
                return None
            if log_above < log_slack - 18.0:
                break
            reach *= 1.5
        whole = low == least and high == most
        return _Window(low, points if whole else fft.next_fast_len(points, real=True), low == least, log_above)

    def tilted_masses(self, tilt: _Tilt, window: _Window) -> tuple[Floats, float]:
        """Masses of the tilted sum on the window, and a bound on the error of each."""
        points = window.points
        weights = self._tilted(tilt.theta * self.step)
        base = self.places[np.arange(len(weights)), np.argmax(weights, axis=1)]
        away = self.places - base[:, None]
        spread = self.counts * np.sum(weights * away.astype(np.float64) ** 2, axis=1)
        frequencies = np.arange(points // 2 + 1)
        log_size, angle = np.zeros(len(frequencies)), np.zeros(len(frequencies))
        left_out, counted, batch = 0.0, 0, 1
        order = np.argsort(-spread)
        while counted < len(order):
            # After the losses that matter most, most frequencies have nothing left: the others are not looked at.
            batch = max(1, min(batch, 4_000_000 // (len(frequencies) * away.shape[1])))
            rows = order[counted : counted + batch]
            if len(frequencies) * away.shape[1] > _DIRECT * points:
                rows = rows[:1]
                folded = np.bincount(away[rows[0]] % points, weights[rows[0]], minlength=points)
                values = np.conj(fft.rfft(folded))[frequencies][:, None]
            else:
                # Whole turns are taken off in integers, where they are exact.
                turns = (frequencies[:, None, None] * away[rows]) % points
                values = np.sum(np.exp((2j * math.pi / points) * turns) * weights[rows], axis=2)
            with np.errstate(divide="ignore"):
                log_size += np.log(np.abs(values)) @ self.counts[rows]
            angle += np.angle(values) @ self.counts[rows]
            counted += len(rows)
            batch *= 4
            alive = log_size > math.log(_NEGLIGIBLE / points)
            left_out += float(np.sum(~alive)) * 2.0 * _NEGLIGIBLE / points
            frequencies, log_size, angle = frequencies[alive], log_size[alive], angle[alive]
            if not len(frequencies):
                break
        origin = sum(int(n) * int(b) for n, b in zip(self.counts, base, strict=True)) - window.low
        turn = 2.0 * math.pi * ((frequencies * (origin % points)) % points) / points
        spectrum = np.zeros(points // 2 + 1, dtype=np.complex128)
        spectrum[frequencies] = np.exp(log_size - 1j * (angle + turn))
        masses = fft.irfft(spectrum, points)
        weight = 2.0 * float(np.sum(np.abs(spectrum))) / points
        noise = left_out + _MACHINE * math.log2(points + 2) * len(frequencies) / points
        noise += weight * _MACHINE * (4.0 * math.log2(points + 2) + 4.0 * float(self.counts.sum()))
        return np.maximum(masses, 0.0), noise


def invert(
    losses: Floats, log_masses: Floats, log_slack: float, log_above: float = -math.inf, from_least: bool = True
) -> float:
    """The smallest ε with δ(ε) ≤ slack, rounded up and not below 0.

    `losses` ascend, `log_masses` are ln of their masses; e^log_above more lies above them. Where losses may lie below
    the listed ones too (`from_least` false), ε is not looked for there.
    """
    # Everything is relative to the slack. What exceeds it by e^600 may be cut there: it stays far above the target.
    target = 1.0 - math.exp(log_above - log_slack)
    shrunk = _discounted(np.exp(np.minimum(log_masses - log_slack, 600.0)), losses)
    # δ(a) = Σ over b > a of mass(b)·(1 − e^{a−b}) grows from the top by (1 − e^{−gap})·shrunk: only positive terms.
    delta = np.append(np.cumsum((-np.expm1(losses[:-1] - losses[1:]) * shrunk[1:])[::-1])[::-1], 0.0)
    cell = int(np.argmax(delta <= target))
    # Between two losses only e^ε moves: δ(ε) = δ(b) + (1 − e^{ε−b})·shrunk(b) for ε below b.
    used = (target - delta[cell]) / shrunk[cell] if shrunk[cell] > 0.0 else math.inf
    root = float(losses[cell]) + math.log1p(-used) if used < 1.0 else -math.inf
    floor = float(losses[cell - 1]) if cell else (-math.inf if from_least else float(losses[0]))
    return max(up1(min(max(root, floor), float(losses[cell]))), 0.0)


def _discounted(values: Floats, losses: Floats) -> Floats:
    """Σ over j ≥ i of values[j]·e^{losses[i] − losses[j]}, in blocks so short that no exponential leaves its range."""
    result = np.empty_like(values)
    carry, end = 0.0, len(values)
    while end:
        start = int(np.searchsorted(losses[:end], losses[end - 1] - 50.0))
        rise = np.exp(losses[start:end] - losses[start])
        sums = np.cumsum((values[start:end] / rise)[::-1])[::-1]
        if end < len(values):
            carry = float(result[end]) * math.exp(losses[end - 1] - losses[end]) / float(rise[-1])
        result[start:end] = rise * (sums + carry)
        end = start
    return result
