"""Composition theorems, one module each.

Every module of this package is loaded and one instance of every concrete `Theorem` in it is registered under its
name. A new theorem is one new module.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from dpcore.theorems.base import Statistic, Target, Theorem

_FOUND: dict[str, Theorem] = {}

THEOREMS: Mapping[str, Theorem] = MappingProxyType(_FOUND)
"""Registered theorems by name, in display order."""


def register(theorem: Theorem) -> Theorem:
    """Add a theorem to the registry, or replace the one of that name; the registry stays in display order."""
    _FOUND[theorem.name] = theorem
    ordered = sorted(_FOUND.values(), key=lambda known: (known.position, known.name))
    _FOUND.clear()
    _FOUND.update((known.name, known) for known in ordered)
    return theorem


def unregister(name: str) -> Theorem:
    """Remove a theorem from the registry and return it. Raises KeyError."""
    return _FOUND.pop(name)


for _module in sorted(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)):
    for _kind in vars(importlib.import_module(_module)).values():
        _ours = inspect.isclass(_kind) and issubclass(_kind, Theorem) and _kind.__module__ == _module
        if _ours and not inspect.isabstract(_kind):
            register(_kind())

__all__ = ["THEOREMS", "Statistic", "Target", "Theorem", "register", "unregister"]
