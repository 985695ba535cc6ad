"""Views of single losses against integrals and sums in 60 digits."""

import math
from decimal import Decimal

import mpmath as mp
import numpy as np
import pytest

from dpcore import losses
from dpcore.losses import Loss, LossError, Unspoken, from_fields
from tests.core import oracle

ORDERS = [1.0001, 1.5, 2.0, 3.7, 8.0, 64.0, 1000.0]
EPSILONS = [1e-15, 1e-9, 1e-5, 0.01, 0.3, 0.9, 1.1, 2.5, 8.0, 40.0, 800.0]


def upper(got: float, exact: mp.mpf, slack: float = 1e-11) -> bool:
    """Not below the exact value, and within a relative margin above it."""
    return mp.mpf(got) >= exact * (1 - mp.mpf("1e-15")) and mp.mpf(got) <= exact * (1 + mp.mpf(slack)) + mp.mpf(
        "1e-300"
    )


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("order", ORDERS)
def test_renyi_of_pure(epsilon: float, order: float) -> None:
    got = losses.Pure(epsilon).renyi(np.array([order]))[0]
    assert upper(got, oracle.renyi_randomised_response(mp.mpf(epsilon), mp.mpf(order)))


@pytest.mark.parametrize("x", [1e-6, 0.01, 0.3, 1.1, 8.0, 40.0])
@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 3.7, 64.0])
def test_renyi_of_laplace(x: float, order: float) -> None:
    got = losses.Laplace(epsilon=x).renyi(np.array([order]))[0]
    assert upper(got, oracle.renyi_laplace(mp.mpf(x), mp.mpf(order)))


@pytest.mark.parametrize("kind", ["Pure", "Laplace", "Gaussian"])
def test_divergence_grows_with_the_order_and_ends_at_the_largest_loss(kind: str) -> None:
    loss = losses.Gaussian(noise_scale=2, sensitivity=1) if kind == "Gaussian" else getattr(losses, kind)("0.7")
    curve = loss.renyi(np.array([1.0 + 1e-9, 1.1, 2, 10, 1e6, 1e12, 1e15]))
    assert np.all(np.diff(curve) >= 0)
    assert curve[-1] <= loss.largest()
    if kind != "Gaussian":
        assert curve[-1] == pytest.approx(0.7, rel=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rho_of_pure_laplace_and_exponential(epsilon: float) -> None:
    e = mp.mpf(epsilon)
    assert upper(losses.Pure(epsilon).rho(), e * mp.tanh(e / 2))
    assert upper(losses.Laplace(epsilon=epsilon).rho(), e + mp.expm1(-e))
    r = e / mp.expm1(e)
    assert upper(losses.Exponential(epsilon).rho(), r - 1 - mp.log(r))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_mu_of_pure_and_laplace(epsilon: float) -> None:
    e = mp.mpf(epsilon)

    def quantile(log_tail: mp.mpf) -> mp.mpf:
        """−Φ⁻¹ of a small probability given by its logarithm."""
        return mp.findroot(
            lambda t: mp.log(mp.erfc(t / mp.sqrt(2)) / 2) - log_tail, mp.sqrt(-2 * log_tail) if log_tail < -1 else 0.5
        )

    assert upper(losses.Pure(epsilon).mu(), 2 * quantile(-mp.log1p(mp.e**e)), 1e-10)
    assert upper(losses.Laplace(epsilon=epsilon).mu(), 2 * quantile(-e / 2 - mp.log(2)), 1e-10)


@pytest.mark.parametrize(
    ("z", "q", "order"),
    [(1.1, 0.0042, 12), (1.1, 0.5, 2), (0.4, 0.01, 5), (4.0, 0.00033, 256), (10_000.0, 0.01, 2000), (1.0, 0.2, 40)],
)
def test_sampled_gaussian_at_integer_orders(z: float, q: float, order: int) -> None:
    loss = losses.SubsampledGaussian(noise_scale=z, sensitivity=1, sampling_rate=q)
    exact = oracle.renyi_sampled_gaussian(mp.mpf(repr(z)), mp.mpf(repr(q)), order)
    assert upper(loss.renyi(np.array([float(order)]))[0], exact, 1e-9)


@pytest.mark.parametrize(("z", "q", "order"), [(1.1, 0.01, 1.5), (0.7, 0.1, 3.3), (2.0, 0.3, 7.25)])
def test_sampled_gaussian_at_fractional_orders(z: float, q: float, order: float) -> None:
    loss = losses.SubsampledGaussian(noise_scale=z, sensitivity=1, sampling_rate=q)
    with mp.workdps(30):
        exact = oracle.renyi_sampled_gaussian_integral(mp.mpf(repr(z)), mp.mpf(repr(q)), mp.mpf(order))
    assert upper(loss.renyi(np.array([order]))[0], exact, 1e-9)


def test_sampling_everything_is_the_plain_gaussian() -> None:
    sampled = losses.SubsampledGaussian(noise_scale=2, sensitivity=1, sampling_rate=1).under("add_remove")
    assert sampled == losses.Gaussian(noise_scale=2, sensitivity=1)


@pytest.mark.parametrize(("sampling", "adjacency"), [("shuffled", "add_remove"), ("poisson", "replace_one")])
def test_amplification_is_granted_to_poisson_samples_under_add_remove_only(sampling: str, adjacency: str) -> None:
    loss = losses.SubsampledGaussian(noise_scale=2, clip_norm=1, sampling_rate=0.01, sampling=sampling)
    reach = 1 if adjacency == "add_remove" else 2
    assert loss.under(adjacency) == losses.Gaussian(noise_scale=2, sensitivity=reach)
    assert loss.refused_amplification(adjacency)


def test_clipping_norm_doubles_under_replace_one_and_a_stated_sensitivity_never_does() -> None:
    clipped, stated = losses.Gaussian(noise_scale=10, clip_norm=1), losses.Gaussian(noise_scale=10, sensitivity=1)
    assert clipped.under("add_remove").mu() == pytest.approx(0.1)
    assert clipped.under("replace_one").mu() == pytest.approx(0.2)
    assert stated.under("replace_one").mu() == pytest.approx(0.1)


@pytest.mark.parametrize("mu", [1e-7, 1e-4, 0.05, 0.19, 0.21, 1.0, 5.0, 40.0, 1000.0])
@pytest.mark.parametrize("delta", [0.4, 1e-2, 1e-6, 1e-15, 1e-30])
def test_gaussian_curve(mu: float, delta: float) -> None:
    from dpcore.gaussian import epsilon_at

    got = epsilon_at(np.array([mu]), np.array([math.log(delta)]))[0]
    exact = oracle.gaussian_epsilon(mp.mpf(mu), mp.mpf(delta))
    assert mp.mpf(got) >= exact * (1 - mp.mpf("1e-14"))
    assert mp.mpf(got) <= exact * (1 + mp.mpf("1e-10")) + mp.mpf("1e-14") * mu


def test_one_gaussian_row_with_little_noise() -> None:
    row = losses.Gaussian(noise_scale="0.01", sensitivity=1)
    assert row.exact_epsilon(Decimal("1e-5")) == pytest.approx(5425.5, abs=0.05)


def test_stated_epsilon_beside_noise() -> None:
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / 9
    stated = losses.Gaussian(noise_scale=sigma, sensitivity=1, epsilon=9, delta="1e-5")
    assert stated.understated is not None
    assert stated.pair().epsilon == stated.understated
    right = losses.Gaussian(noise_scale=sigma, sensitivity=1, epsilon="9.5", delta="1e-5")
    assert right.understated is None
    assert right.pair().epsilon == Decimal("9.5")
    low = losses.Laplace(epsilon="0.4", noise_scale=4, sensitivity=2)
    assert (low.understated, low.pair().epsilon) == (Decimal("0.5"), Decimal("0.5"))


def test_one_step_of_the_sampled_gaussian_at_its_stated_delta() -> None:
    from dp_accounting.pld import privacy_loss_distribution as pld

    loss = losses.SubsampledGaussian(noise_scale=1, sensitivity=1, sampling_rate=0.1, epsilon="0.1", delta="1e-5")
    peer = pld.from_gaussian_mechanism(1.0, sampling_prob=0.1, value_discretization_interval=1e-4)
    exact = loss.exact_epsilon(Decimal("1e-5"))
    assert peer.get_epsilon_for_delta(1e-5) * (1 - 1e-3) <= exact <= peer.get_epsilon_for_delta(1e-5) * (1 + 1e-9)


def test_discrete_gaussian_sum_is_near_the_continuous_curve_for_wide_noise() -> None:
    wide = losses.DiscreteGaussian(noise_scale=50, sensitivity=1)
    continuous = losses.Gaussian(noise_scale=50, sensitivity=1)
    got, near = wide.exact_epsilon(Decimal("1e-6")), continuous.exact_epsilon(Decimal("1e-6"))
    assert got == pytest.approx(near, rel=0.02)
    with pytest.raises(Unspoken):
        wide.mu()


GROUPABLE: list[Loss] = [
    losses.Pure("0.1"),
    losses.Laplace(noise_scale=10, sensitivity=1),
    losses.Geometric(epsilon="0.1"),
    losses.Exponential("0.1"),
    losses.RandomisedResponse("0.1"),
]


@pytest.mark.parametrize("loss", GROUPABLE, ids=lambda loss: loss.mechanism)
def test_a_group_of_three_costs_three_epsilon(loss: Loss) -> None:
    assert loss.for_group(3).pair().epsilon == Decimal("0.3")
    assert loss.for_group(1) == loss


def test_groups_of_the_other_mechanisms() -> None:
    grown = losses.Approximate("0.1", "1e-7").for_group(3).pair()
    exact = mp.mpf("1e-7") * mp.expm1(mp.mpf("0.3")) / mp.expm1(mp.mpf("0.1"))
    assert grown.epsilon == Decimal("0.3")
    assert upper(float(grown.delta), exact, 1e-12)
    assert losses.ZCDP("0.01").for_group(3).rho() == pytest.approx(0.09)
    assert losses.Gaussian(noise_scale=10, sensitivity=1).for_group(3).mu() == pytest.approx(0.3)
    assert losses.SubsampledGaussian(noise_scale=10, sensitivity=1, sampling_rate=0.1).for_group(3).mu() == (
        pytest.approx(0.3)
    )
    with pytest.raises(LossError):
        losses.Approximate(2, "0.1").for_group(9)


BAD = ["NaN", "inf", "-0.3", "0x1p-2", "1_000", "", "zero", "5e-324", "0", "1e20", "１", "0,1", True]


@pytest.mark.parametrize("value", BAD)
def test_numbers_that_are_no_epsilon_are_refused_by_name(value: object) -> None:
    with pytest.raises(LossError) as refused:
        losses.Pure(value)
    assert refused.value.field == "epsilon"


@pytest.mark.parametrize("value", ["1", "1.0", "0." + "9" * 61, "0." + "9" * 40, "1e-37", "-1e-9"])
def test_deltas_out_of_their_domain_are_refused(value: str) -> None:
    with pytest.raises(LossError, match="delta"):
        losses.Approximate("0.1", value)


@pytest.mark.parametrize(
    ("mechanism", "fields", "field"),
    [
        ("pure", {}, "epsilon"),
        ("approximate", {"epsilon": "0.1"}, "delta"),
        ("laplace", {}, "epsilon"),
        ("laplace", {"noise_scale": "1"}, "sensitivity"),
        ("laplace", {"sensitivity": "1"}, "noise_scale"),
        ("gaussian", {}, "noise_scale"),
        ("gaussian", {"epsilon": "1", "delta": "1e-5"}, "noise_scale"),
        ("gaussian", {"noise_scale": "1"}, "sensitivity"),
        ("gaussian", {"noise_scale": "-1", "sensitivity": "1"}, "noise_scale"),
        ("subsampled_gaussian", {"noise_scale": "1", "sensitivity": "1"}, "sampling_rate"),
        ("subsampled_gaussian", {"noise_scale": "1", "sensitivity": "1", "sampling_rate": "1.5"}, "sampling_rate"),
        ("zcdp", {}, "rho"),
        ("magic", {}, "mechanism"),
    ],
)
def test_missing_and_impossible_fields_are_named(mechanism: str, fields: dict[str, str], field: str) -> None:
    with pytest.raises(LossError) as refused:
        from_fields(mechanism, fields)
    assert refused.value.field == field


def test_blank_delta_means_zero_for_pure_and_laplace() -> None:
    assert from_fields("pure", {"epsilon": "0.1", "delta": " "}).pair().delta == 0
    assert from_fields("laplace", {"epsilon": "0.1", "delta": None}).pair().delta == 0


def test_digits_beyond_what_is_kept_are_rounded_up() -> None:
    assert losses.Pure("0.1" + "0" * 40 + "1").epsilon == Decimal("0.1" + "0" * 34 + "1")
