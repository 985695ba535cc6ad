"""`demo`: build the sample log."""

import argparse
import json


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "demo",
        help="build the sample log",
        description="Build the sample log, with pools in every state. The same --as-of gives the same rows.",
    )
    parser.add_argument("--log", required=True, help="where to put it; an older sample log there is replaced")
    parser.add_argument("--as-of", metavar="T", help="the time at which the sample ends (ISO 8601 with a zone; now)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Build it; 0."""
    from dpcore.cli.arguments import parse_time

    as_of = parse_time(arguments.as_of) if arguments.as_of else None

    from dpcore.demo import build

    build(arguments.log, as_of=as_of)
    if arguments.json:
        print(json.dumps({"log": str(arguments.log)}))
    else:
        print(f"Built the sample log {arguments.log}; show it with: DPCORE_LOG={arguments.log} streamlit run app.py")
    return 0
