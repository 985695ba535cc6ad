"""`check`: one line per alert, for cron and monitoring."""

import argparse
import json

SUMMARY = "print one line per alert; exit 0 nothing, 1 warning, 2 critical, 3 could not tell"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("check", help="print alerts, for cron and monitoring", description=SUMMARY)
    parser.add_argument("--log", required=True, help="the DuckDB query log")
    parser.add_argument("--pool", help="only this pool")
    parser.add_argument("--as-of", metavar="T", help="check the log as of this time (ISO 8601 with a zone)")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    parser.set_defaults(run=run, cannot_tell=3)


def run(arguments: argparse.Namespace) -> int:
    """Print the alerts; 0, 1 or 2 by the worst of them."""
    from dpcore.cli.arguments import read_status
    from dpcore.contract import alert_json

    alerts = read_status(arguments).alerts
    if arguments.json:
        print(json.dumps([alert_json(alert) for alert in alerts], ensure_ascii=False))
    else:
        for alert in alerts:
            print(f"{alert.severity}: {alert.text}")
    if not alerts:
        return 0
    return 2 if any(alert.severity == "critical" for alert in alerts) else 1
