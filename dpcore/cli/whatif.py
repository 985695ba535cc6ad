"""`whatif PLAN.json`: account a plan without a log."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

SUMMARY = "account a plan of queries under every theorem, without a log"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("whatif", help=SUMMARY, description=SUMMARY)
    parser.add_argument("plan", metavar="PLAN.json", help="the plan, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 0. Raises UsageError for a plan that cannot be read."""
    from dpcore.cli.arguments import UsageError
    from dpcore.plans import PlanError, answer, loads

    try:
        text = sys.stdin.read() if arguments.plan == "-" else Path(arguments.plan).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"Cannot read the plan {arguments.plan}: {reason}.") from None
    try:
        reply = answer(loads(text))
    except PlanError as error:
        raise UsageError(str(error)) from None
    if arguments.json:
        print(json.dumps(reply, ensure_ascii=False))
    else:
        for one in reply.get("workloads", [reply]):
            _print(one)
    return 0


def _print(reply: dict[str, Any]) -> None:
    if "id" in reply:
        print(f"{reply['id']}:")
    for name, figure in reply["theorems"].items():
        epsilon = "–" if figure["epsilon"] is None else figure["epsilon"]
        parts = [f"{name:<16} ε = {epsilon}"]
        if figure.get("remaining") is not None:
            parts.append(f"{figure['remaining']} remaining")
        if name == reply["tightest"]:
            parts.append("tightest")
        if figure["note"]:
            parts.append(figure["note"])
        print("  ".join(parts))
    if "solve" in reply:
        print(f"{'solve':<16} {'nothing fits' if reply['solve'] is None else reply['solve']}")
