"""Which log is shown, and its latest figures: read once for all sessions, again only when the log may have changed."""

import os
import stat
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import streamlit as st

import dpcore.demo
from dpcore.breakdown import Share
from dpcore.evidence import Evidence, PoolEvidence
from dpcore.log import LogError, log_version, read_evidence, read_rejected, read_rows, read_shares
from dpcore.monitor import monitor
from dpcore.pools import Pool
from dpcore.status import Status
from dpcore.timeline import Timeline, timeline

try:
    import fcntl
except ImportError:  # not a Unix: two servers may then build the sample twice, which costs time and nothing else
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).parents[2]
SAMPLE_AGE = timedelta(days=1)
"""A sample older than this is rebuilt, so that its forecasts stay ahead of the calendar."""

QUARTER = 900
"""Seconds. Windows begin at local midnight, which in every zone of the world is a quarter hour of UTC."""


class Unreadable(Exception):
    """No figures can be shown; the message says why and what to do."""


@dataclass(frozen=True)
class Snapshot:
    """The figures of one log as last read; `trouble` says why they may be old, where that is so."""

    path: Path
    version: tuple[object, ...]
    evidence: Evidence
    status: Status
    trouble: str | None = None


_snapshots: dict[Path, Snapshot] = {}
_reading = threading.Lock()


def is_sample() -> bool:
    """Whether the built-in sample is shown, for want of DPCORE_LOG."""
    return not os.environ.get("DPCORE_LOG")


def log_path() -> Path:
    """The file that is shown."""
    return sample_path() if is_sample() else Path(os.environ["DPCORE_LOG"]).expanduser().absolute()


def snapshot() -> Snapshot:
    """The latest figures. Raises Unreadable when there are none."""
    path = log_path()
    with _reading:
        last = _snapshots.get(path)
        try:
            version = _version(path)
            if last is None or last.version != version:
                evidence = read_evidence(path)
                last = Snapshot(path, version, evidence, monitor(evidence))
            elif last.trouble:
                last = replace(last, trouble=None)
        except LogError as error:
            if last is None:
                raise Unreadable(str(error)) from None
            last = replace(last, trouble=str(error))
        _snapshots[path] = last
        return last


def changed_since(shown: Snapshot) -> bool:
    """Whether reading again may show something else."""
    try:
        return bool(shown.trouble) or _version(shown.path) != shown.version
    except LogError:
        return not shown.trouble


def forget() -> None:
    """Read anew at the next call, whatever the file's version."""
    with _reading:
        _snapshots.clear()


def _version(path: Path) -> tuple[object, ...]:
    return (*log_version(path), int(time.time()) // QUARTER)


# One pool in detail. Each raises LogError.


def history(shown: Snapshot, pool: Pool) -> Timeline:
    """Consumption over the pool's whole life."""
    return _history(shown.path, shown.version, shown.status.as_of, pool.name, _pool=pool)


@st.cache_resource(max_entries=64, show_spinner=False)
def _history(path: Path, version: tuple[object, ...], as_of: datetime, name: str, _pool: Pool) -> Timeline:
    evidence = read_evidence(path, as_of=as_of, pool=name, history=True)
    return timeline(_pool, evidence.pools.get(name, PoolEvidence()), as_of.astimezone(_pool.zone).date())


@st.cache_resource(max_entries=64, show_spinner=False)
def _shares(path: Path, version: tuple[object, ...], as_of: datetime, pool: str) -> tuple[Share, ...]:
    return read_shares(path, pool, as_of=as_of)


def shares(shown: Snapshot, pool: Pool) -> tuple[Share, ...]:
    """Who spent what in the current window."""
    return _shares(shown.path, shown.version, shown.status.as_of, pool.name)


def rows(shown: Snapshot, pool: Pool, queries: tuple[str, ...] | None = None, limit: int = 200) -> pa.Table:
    """The pool's newest rows, or those with the given ids."""
    return _rows(shown.path, shown.version, shown.status.as_of, pool.name, queries, limit)


@st.cache_resource(max_entries=128, show_spinner=False)
def _rows(
    path: Path, version: tuple[object, ...], as_of: datetime, pool: str, queries: tuple[str, ...] | None, limit: int
) -> pa.Table:
    return read_rows(path, pool, as_of=as_of, query_ids=queries, limit=limit)


def refused(shown: Snapshot, pool: Pool | None, limit: int = 200) -> pa.Table:
    """Refused rows that name the pool; without one, those that name no known pool."""
    return read_rejected(shown.path, pool.name if pool else None, limit=limit)


# The sample log


class SampleBuild:
    """One build of the sample, in a thread of its own, which every waiting session can watch."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fraction = 0.0
        self.text = "Building the sample log"
        self.error: str | None = None
        self.done = threading.Event()
        threading.Thread(target=self._run, name="sample", daemon=True).start()

    def _run(self) -> None:
        try:
            with open(self.path.with_suffix(".lock"), "w") as lock:
                if fcntl:
                    self.text = "Waiting for another server that is building the sample log"
                    fcntl.flock(lock, fcntl.LOCK_EX)
                if not sample_is_fresh(self.path):
                    dpcore.demo.build(self.path, progress=self._report)
        except Exception as error:
            self.error = (
                f"The sample log could not be built in {self.path.parent}: {error}. "
                "Free some space or make the folder writable, or set DPCORE_LOG to a log of your own."
            )
        finally:
            self.done.set()

    def _report(self, fraction: float, text: str) -> None:
        self.fraction, self.text = min(max(fraction, 0.0), 1.0), text


_builds: dict[Path, SampleBuild] = {}
_starting = threading.Lock()


def sample_path() -> Path:
    """Where the sample log is kept: under data/, or in the temporary folder where that is read-only."""
    folder = ROOT / "data" / "cache"
    try:
        folder.mkdir(exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder / "sample.duckdb"
    except OSError:
        pass
    return _private_folder() / "sample.duckdb"


def _private_folder() -> Path:
    # A predictable name in a folder that everybody may write to: use it only if it is ours alone.
    folder = Path(tempfile.gettempdir()) / f"dp-budget-monitor-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise Unreadable(f"{folder} belongs to somebody else. Remove it, or set DPCORE_LOG to a log of your own.")
    return folder


def sample_is_fresh(path: Path) -> bool:
    """Whether the sample exists, is less than a day old, and is younger than what it is made from."""
    try:
        built = path.stat().st_mtime
    except OSError:
        return False
    core = [file for folder in ("demo", "log") for file in (ROOT / "dpcore" / folder).rglob("*.*")]
    made_from = [file for file in [*core, *(ROOT / "data").glob("*.*")] if file.suffix != ".pyc"]
    newest = max((file.stat().st_mtime for file in made_from), default=0.0)
    return built > newest and datetime.now(UTC) - datetime.fromtimestamp(built, UTC) < SAMPLE_AGE


def sample_build() -> SampleBuild | None:
    """The build that has to finish before the sample can be shown, started if need be; None when it is fresh."""
    path = sample_path()
    with _starting:
        running = _builds.get(path)
        if running and not running.done.is_set():
            return running
        if sample_is_fresh(path):
            return None
        _builds[path] = SampleBuild(path)
        return _builds[path]
