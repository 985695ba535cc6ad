"""`status`: everything the screens show, per pool and per data set."""

import argparse
import json

SUMMARY = "consumption, remaining queries, findings and alerts of every pool"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser("status", help=SUMMARY, description=SUMMARY)
    parser.add_argument("--log", required=True, help="the DuckDB query log")
    parser.add_argument("--pool", help="only this pool")
    parser.add_argument("--as-of", metavar="T", help="show the log as of this time (ISO 8601 with a zone)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the status; 0."""
    from dpcore.cli.arguments import read_status
    from dpcore.contract import status_json

    status = read_status(arguments)
    if arguments.json:
        print(json.dumps(status_json(status), ensure_ascii=False))
        return 0

    from dpcore import words

    print(f"As of {status.as_of:%Y-%m-%d %H:%M %Z}")
    for pool in status.pools:
        lead = pool.lead
        doubt = ", unverified" if pool.unverified else ""
        print(f"\n{pool.pool.name}  {words.STATE_WORDS[pool.state]}{doubt}")
        if lead is not None:
            limit = pool.pool.budget.epsilon
            of = f" of {words.epsilon(limit)}" if limit is not None else ""
            print(
                f"  {words.share(lead.consumed)} used (ε = {words.epsilon(lead.epsilon)}{of} under {lead.theorem}),"
                f" {words.remaining(lead)} typical queries left"
            )
        for name, figure in pool.figures.items():
            told = f"ε = {words.epsilon(figure.epsilon)}, {words.remaining(figure)} left"
            print(f"  {name:<16} {told if figure.epsilon is not None else f'– ({figure.note})'}")
        runs_out = pool.exhaustion
        print(f"  runs out         {words.day(runs_out.on) if runs_out.on else runs_out.note or '–'}")
    for dataset in status.datasets:
        joint = dataset.note or f"ε = {words.epsilon(dataset.epsilon)} at δ = {words.delta(dataset.delta)}"
        print(f"\ndata set {dataset.dataset.name}: joint loss {joint}")
    if status.alerts:
        print()
    for alert in status.alerts:
        print(f"{alert.severity}: {alert.text}")
    return 0
