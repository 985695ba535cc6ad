"""The frame of the command line: finds the commands, runs one, and turns every failure into one line."""

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import NoReturn

from dpcore import cli
from dpcore.cli.arguments import UsageError

USAGE_ERROR = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
BROKEN_PIPE = 141


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise _BadArguments(f"{message}; see '{self.prog} --help'.", self.get_default("cannot_tell"))


class _BadArguments(Exception):
    def __init__(self, message: str, code: int | None) -> None:
        super().__init__(message)
        self.code = code or USAGE_ERROR


def parser() -> argparse.ArgumentParser:
    """The parser with every command of the package. A new command is one new module here."""
    top = _Parser(
        prog="python -m dpcore",
        description="Differential-privacy budgets: import query logs, see what is spent, check and plan.",
        epilog="--debug anywhere shows the traceback of an internal error.",
        allow_abbrev=False,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for found in sorted(pkgutil.iter_modules(cli.__path__), key=lambda module: module.name):
        module = importlib.import_module(f"{cli.__name__}.{found.name}")
        if hasattr(module, "add"):
            module.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in given
    given = [argument for argument in given if argument != "--debug"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that lacks a character shows its code instead of stopping the command.
            stream.reconfigure(errors="backslashreplace")
    failed: int | None = None
    try:
        arguments, extra = parser().parse_known_args(given)
        failed = getattr(arguments, "cannot_tell", None)
        if extra:
            named = " ".join(extra)
            raise _BadArguments(
                f"unrecognized arguments: {named}; see 'python -m dpcore {arguments.command} --help'.", failed
            )
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except _BadArguments as error:
        return _fail(str(error), error.code)
    except BrokenPipeError:
        # The reader has gone: nothing is left to say, also not at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if _is_input_error(error):
            return _fail(str(error), failed or USAGE_ERROR)
        if debug:
            raise
        text = " ".join(str(error).split()) or "no message"
        return _fail(
            f"Internal error, {type(error).__name__}: {text[:300]}; run it again with --debug to see where.",
            failed or INTERNAL_ERROR,
        )


def _is_input_error(error: Exception) -> bool:
    if isinstance(error, UsageError):
        return True
    # Imported only now: a command that does not touch a log should not wait for its engine.
    from dpcore.log.errors import LogError
    from dpcore.losses import LossError
    from dpcore.pools import PoolError

    return isinstance(error, LogError | PoolError | LossError)


def _fail(message: str, code: int) -> int:
    print("dpcore: " + " ".join(message.split()), file=sys.stderr)
    return code
