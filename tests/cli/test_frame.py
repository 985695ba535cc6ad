"""The frame of the command line: every failure is one line with the right exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.cli.main import main, parser
from tests.log.logs import POOL, imported_log

ROOT = Path(__file__).parents[2]
ROW = {
    "query_id": "q1",
    "ts": "2026-03-01T10:00:00Z",
    "pool": "p",
    "status": "released",
    "mechanism": "pure",
    "epsilon": "0.1",
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return imported_log(tmp_path / "log.duckdb", [ROW], [POOL])


def started(*arguments: object, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "dpcore", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        **options,  # type: ignore[call-overload]
    )


def commands() -> list[str]:
    choices = next(action.choices for action in parser()._actions if action.dest == "command")
    assert choices is not None
    return list(choices)


def test_every_command_has_help_and_json(capsys):
    assert {"import", "pools", "status", "check", "whatif", "demo"} <= set(commands())
    for command in commands():
        asked = [command, "apply"] if command == "pools" else [command]
        with pytest.raises(SystemExit) as left:
            main([*asked, "--help"])
        shown = capsys.readouterr().out
        assert left.value.code == 0 and "--json" in shown and len(shown) > 200


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "required"),
        (["frobnicate"], 2, "frobnicate"),
        (["status"], 2, "--log"),
        (["check"], 3, "--log"),
        (["status", "--log", "missing.duckdb"], 2, "no file missing.duckdb"),
        (["check", "--log", "missing.duckdb"], 3, "no file missing.duckdb"),
        (["status", "--log", "LOG", "--pool", "x"], 2, "its pools are: p"),
        (["check", "--log", "LOG", "--pool", "x"], 3, "its pools are: p"),
        (["status", "--log", "LOG", "--as-of", "yesterday"], 2, "is not a time"),
        (["status", "--log", "LOG", "--as-of", "2026-03-01"], 2, "has no zone"),
        (["status", "--log", "LOG", "--as-of", "0001-01-01T00:00:00Z"], 2, "years"),
        (["check", "--log", "LOG", "--as-of", "9999-12-31T23:59:59Z"], 3, "years"),
        (["status", "--log", "LOG", "--colour", "red"], 2, "--colour red"),
        (["check", "--log", "LOG", "extra"], 3, "extra"),
        (["import", "missing.csv", "--log", "LOG"], 2, "no file missing.csv"),
        (["import", "--log", "LOG"], 2, "FILE"),
        (["import", "LOG", "--log", "LOG"], 2, "--format"),
        (["pools"], 2, "ACTION"),
        (["pools", "apply", "missing.toml", "--log", "LOG"], 2, "no file missing.toml"),
        (["demo", "--log", "LOG"], 2, "not a sample log"),
        (["demo", "--log", "LOG", "--as-of", "now"], 2, "is not a time"),
        (["whatif", "missing.json"], 2, "missing.json"),
    ],
)
def test_wrong_input_is_one_line_and_changes_nothing(log, capsys, arguments, code, says):
    before = log.read_bytes()
    assert main([str(log) if argument == "LOG" else argument for argument in arguments]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1 and says in shown.err and "Traceback" not in shown.err
    assert log.read_bytes() == before


@pytest.mark.parametrize(("command", "code"), [("status", 70), ("check", 3)])
def test_an_internal_error_is_one_line_and_a_traceback_only_with_debug(log, capsys, monkeypatch, command, code):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr("dpcore.log.read_evidence", broken)
    assert main([command, "--log", str(log)]) == code
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and "ZeroDivisionError: two lines" in shown and "--debug" in shown
    with pytest.raises(ZeroDivisionError):
        main([command, "--debug", "--log", str(log)])


def test_a_reader_that_goes_away_is_no_error(log):
    process = started("status", "--log", log)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 141


def test_an_interrupt_is_quiet(log, capsys, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpcore.log.read_evidence", interrupted)
    assert main(["status", "--log", str(log)]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_terminal_without_greek_letters(log):
    process = started("status", "--log", log, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "") and "\\u03b5" in out


def test_import_pools_and_status_work_together(tmp_path, capsys):
    log, pools, rows = tmp_path / "log.duckdb", tmp_path / "pools.toml", tmp_path / "rows.csv"
    pools.write_text('[[pool]]\nname = "p"\ndataset = "d"\nepsilon = "1.0"\ndelta = "1e-6"\nprivacy_unit = "u"\n')
    rows.write_text(
        "query_id,ts,pool,status,mechanism,epsilon,who\n"
        "q1,2026-03-01T10:00:00Z,p,released,pure,0.1,x\nq2,2026-03-01T10:00:00Z,p,released,pure,abc,x\n"
    )
    assert main(["pools", "apply", str(pools), "--log", str(log)]) == 0
    assert "p: epsilon: (none) → 1.0" in capsys.readouterr().out
    assert main(["pools", "apply", str(pools), "--log", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["import", str(rows), "--log", str(log), "--dry-run", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {
        "rows": 2, "accepted": 1, "rejected": 1, "duplicates": 0, "conflicts": [], "ignored": ["who"], "dry_run": True,
        "reasons": {"epsilon is not a plain decimal number": 1},
    }  # fmt: skip
    assert main(["import", str(rows), "--log", str(log), "--strict"]) == 3
    shown = capsys.readouterr().out
    assert "2 rows: 1 accepted, 1 refused" in shown and "not a plain decimal number" in shown and "who" in shown
    assert main(["status", "--log", str(log), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)["pools"][0]
    assert (status["pool"], status["rows"]["rejected"], status["unverified"]) == ("p", 1, True)
    assert main(["check", "--log", str(log), "--json"]) == 2
    assert "rejected_rows" in {alert["kind"] for alert in json.loads(capsys.readouterr().out)}


def test_a_command_is_one_new_module(tmp_path, monkeypatch, capsys):
    (tmp_path / "hello.py").write_text(
        "def add(commands):\n    commands.add_parser('hello').set_defaults(run=lambda arguments: print('hi') or 0)\n"
    )
    from dpcore import cli

    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    assert main(["hello"]) == 0
    assert capsys.readouterr().out == "hi\n"
