"""Fields that the noise-adding mechanisms share: noise scale and sensitivity."""

from decimal import Decimal
from fractions import Fraction

from dpcore.decimals import Number, literal
from dpcore.losses.base import Adjacency, LossError, scale_field


def optional_scale(value: Number | None, name: str) -> float | None:
    """A positive finite scale, or None where it is not stated. Raises LossError."""
    return None if value is None else scale_field(value, name)


def resolved_sensitivity(sensitivity: float | None, clip_norm: float | None, adjacency: Adjacency) -> float | None:
    """Sensitivity in the given relation: as stated, else C under add/remove and 2C under replace-one."""
    if sensitivity is not None or clip_norm is None:
        return sensitivity
    return clip_norm if adjacency == "add_remove" else 2.0 * clip_norm


def ratio_up(sensitivity: float, noise_scale: float) -> Decimal:
    """Sensitivity over noise scale from their shortest decimal texts, rounded up at digit 36."""
    return literal(Fraction(literal(sensitivity, places=400)) / Fraction(literal(noise_scale, places=400)))


def require_both(noise_scale: float | None, sensitivity: float | None, *, field: str = "sensitivity") -> None:
    """Noise without sensitivity, or the reverse, says nothing. Raises LossError."""
    if noise_scale is not None and sensitivity is None:
        raise LossError(field, "a noise scale needs a sensitivity to be a privacy loss")
    if sensitivity is not None and noise_scale is None:
        raise LossError("noise_scale", "a sensitivity needs a noise scale to be a privacy loss")
