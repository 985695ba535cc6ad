"""The geometric mechanism (discrete Laplace noise)."""

from dataclasses import dataclass

from dpcore.losses.distribution import PrivacyLoss
from dpcore.losses.laplace import Laplace
from dpcore.losses.pure import pure_mu, pure_renyi, pure_rho, randomised_response
from dpcore.numerics import Floats, up1


@dataclass(frozen=True, init=False)
class Geometric(Laplace):
    """Discrete Laplace noise of scale b on integers of sensitivity Δ, by its ε = Δ/b.

    Accounted as `pure` everywhere: at Δ = 1 its privacy loss is exactly that of randomised response, and the
    continuous Laplace figures would be too low.
    """

    mechanism = "geometric"

    def rho(self) -> float:
        return pure_rho(self.x)

    def rho_textbook(self) -> float:
        """ε²/2 (Bun and Steinke 2016, proposition 1.4)."""
        return up1(self.x * self.x / 2.0)

    def renyi(self, orders: Floats) -> Floats:
        return pure_renyi(self.x, orders)

    def privacy_loss(self) -> tuple[PrivacyLoss, ...]:
        return (PrivacyLoss(randomised_response(self.x)),)

    def mu(self) -> float:
        return pure_mu(self.x)
