"""The query log in DuckDB: reading it, importing into it, and declaring its pools."""

from dpcore.log.applying import Change, apply_pools
from dpcore.log.connection import create_log, log_version
from dpcore.log.errors import LogBusy, LogError
from dpcore.log.importing import ImportResult, import_files
from dpcore.log.reading import read_evidence
from dpcore.log.rows import read_rejected, read_rows, read_shares

__all__ = [
    "Change",
    "ImportResult",
    "LogBusy",
    "LogError",
    "apply_pools",
    "create_log",
    "import_files",
    "log_version",
    "read_evidence",
    "read_rejected",
    "read_rows",
    "read_shares",
]
