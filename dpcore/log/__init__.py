"""The query log in DuckDB: reading it, importing into it, and declaring its pools."""

from dpcore.log.connection import create_log, log_version
from dpcore.log.errors import LogBusy, LogError
from dpcore.log.reading import read_evidence

__all__ = ["LogBusy", "LogError", "create_log", "log_version", "read_evidence"]
