"""Where the sample log comes from: built once, kept a day, and never by two at once."""

import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import dpcore.demo
from pages.parts import source
from tests.app.conftest import ROOT


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder of its own."""
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(source, "ROOT", tmp_path)
    monkeypatch.delenv("DPCORE_LOG", raising=False)
    return tmp_path


def finished(build: source.SampleBuild | None) -> source.SampleBuild:
    """The build, once it is done."""
    assert build is not None and build.done.wait(60)
    return build


def test_the_sample_is_built_once_and_again_after_a_day(home: Path) -> None:
    assert source.is_sample() and source.sample_path() == home / "data" / "cache" / "sample.duckdb"
    first = finished(source.sample_build())
    assert first.error is None and first.fraction == 1.0
    assert source.sample_build() is None
    old = time.time() - 25 * 3600
    os.utime(first.path, (old, old))
    inode = first.path.stat().st_ino
    finished(source.sample_build())
    assert first.path.stat().st_ino != inode and source.sample_build() is None


def test_sessions_that_come_meanwhile_watch_the_same_build(home: Path) -> None:
    one, other = source.sample_build(), source.sample_build()
    assert one is other
    finished(one)


def test_two_servers_that_start_at_once_build_one_after_the_other(home: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pages.parts import source; source.ROOT = Path(sys.argv[1]); "
        "import dpcore.demo; build = dpcore.demo.build; calls = []\n"
        "def counted(*args, **more): calls.append(1); build(*args, **more)\n"
        "dpcore.demo.build = counted; found = source.sample_build(); found.done.wait(60)\n"
        "print(len(calls), found.error)"
    )
    command = [sys.executable, "-c", code, str(home)]
    servers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(server.communicate(timeout=120)[0].strip() for server in servers)
    assert said == ["0 None", "1 None"]


def test_a_folder_that_cannot_be_written_gives_way_to_a_private_one(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "data" / "cache").write_text("in the way")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = source.sample_path()
    assert path.parent.parent == tmp_path and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.parent.chmod(0o777)
    with pytest.raises(source.Unreadable, match="belongs to somebody else"):
        source.sample_path()


def test_a_build_that_fails_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **more: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(dpcore.demo, "build", fail)
    error = finished(source.sample_build()).error
    assert error is not None and "No space left on device" in error and "DPCORE_LOG" in error
