"""Losses: what one query costs, one module per mechanism.

Every module of this package is loaded and every concrete `Loss` in it is offered here under its class name; those
with a `mechanism` name can be read from a log or a plan. A new mechanism is one new module.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping

from dpcore.decimals import Number
from dpcore.losses.base import Adjacency, Loss, LossError, Pair, Unspoken

MECHANISMS: dict[str, type[Loss]] = {}
"""Mechanism name of the log → loss class."""

_CLASSES: dict[str, type[Loss]] = {}


def register(kind: type[Loss]) -> type[Loss]:
    """Offer a loss class by its class name and, if it has one, by its mechanism name."""
    _CLASSES[kind.__name__] = kind
    if kind.mechanism:
        MECHANISMS[kind.mechanism] = kind
    return kind


for _module in sorted(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)):
    for _kind in vars(importlib.import_module(_module)).values():
        _ours = inspect.isclass(_kind) and issubclass(_kind, Loss) and _kind.__module__ == _module
        if _ours and not inspect.isabstract(_kind):
            register(_kind)


def __getattr__(name: str) -> type[Loss]:
    try:
        return _CLASSES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted([*globals(), *_CLASSES])


def from_fields(mechanism: str, values: Mapping[str, Number | None]) -> Loss:
    """The loss that log columns or plan keys describe; blank and missing values are the same.

    Columns that the mechanism does not read are ignored. Raises LossError with the name of the field.
    """
    kind = MECHANISMS.get(mechanism)
    if kind is None:
        raise LossError("mechanism", f"{mechanism!r} is none of {', '.join(sorted(MECHANISMS))}")
    given = {
        name: value
        for name in kind.field_names()
        if (value := values.get(name)) is not None and not (isinstance(value, str) and not value.strip())
    }
    try:
        return kind(**given)
    except TypeError:
        needed = [
            name
            for name, parameter in inspect.signature(kind.__init__).parameters.items()
            if parameter.default is parameter.empty and name != "self" and name not in given
        ]
        raise LossError(needed[0], f"a {mechanism} query states {' and '.join(needed)}; it is blank") from None


__all__ = ["MECHANISMS", "Adjacency", "Loss", "LossError", "Pair", "Unspoken", "from_fields", "register"]
