"""Differential-privacy accounting: what a log of queries has spent, under every composition theorem.

The core is pure: `losses` say what one query costs, `Spends` collects them, `theorems` compose them, `account` does
so under every theorem at once. `dpcore.log` reads a DuckDB query log, `dpcore.monitor` judges it.
"""

from dpcore import losses, theorems
from dpcore.accountant import Account, account
from dpcore.spends import Place, Spend, Spends

__version__ = "0.1.0"

__all__ = ["Account", "Place", "Spend", "Spends", "account", "losses", "theorems"]
