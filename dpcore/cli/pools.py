"""`pools apply`: create or change the pools that a TOML file declares."""

import argparse
import json


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("pools", help="declare budget pools", description="Declare budget pools.")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    apply = actions.add_parser(
        "apply",
        help="create or change pools",
        description="Create or change the pools and data sets that a TOML file declares; others stay as they are. "
        "Applying a file again changes nothing. A log that does not exist is created.",
    )
    apply.add_argument("file", metavar="POOLS.toml", help="the declarations")
    apply.add_argument("--log", required=True, help="the DuckDB query log")
    apply.add_argument("--json", action="store_true", help="print the changes as a JSON list")
    apply.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Apply the file and print each change, before → after; 0."""
    from dpcore.log import apply_pools

    changes = apply_pools(arguments.file, arguments.log)
    if arguments.json:
        singular = {"pools": "pool", "datasets": "dataset"}
        print(
            json.dumps(
                [{singular[c.table]: c.name, "key": c.key, "before": c.before, "after": c.after} for c in changes],
                ensure_ascii=False,
            )
        )
        return 0
    if not changes:
        print("Nothing to change: the log agrees with the file.")
    for change in changes:
        kind = "data set " if change.table == "datasets" else ""
        print(f"{kind}{change.name}: {change.key}: {_shown(change.before)} → {_shown(change.after)}")
    return 0


def _shown(value: str | None) -> str:
    return "(none)" if value is None else value
