"""`import`: read files, check every row, append the accepted ones to the log."""

import argparse
import json

REFUSED = 3


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "import",
        help="import query logs from files",
        description="Read files, check every row and append the accepted ones to the log in one transaction. Refused "
        "rows are kept with the reason; importing a file again is harmless.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="CSV, JSON lines or Parquet in the log's column names")
    parser.add_argument("--log", required=True, help="the DuckDB query log; 'pools apply' creates one")
    parser.add_argument("--format", default="auto", help="auto (by the file's suffix), csv, jsonl or parquet")
    parser.add_argument("--decimal", default=".", metavar=",", help="the decimal mark of numbers, . or , (default .)")
    parser.add_argument("--timezone", metavar="Z", help="zone of times that name none, such as Europe/Zurich")
    parser.add_argument("--dry-run", action="store_true", help="say what would be accepted and refused, write nothing")
    parser.add_argument("--strict", action="store_true", help=f"exit {REFUSED} if any row was refused")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Import and print what happened; 0, or 3 with --strict if any row was refused."""
    from dpcore.log import import_files

    result = import_files(
        arguments.files,
        arguments.log,
        format=arguments.format,
        decimal=arguments.decimal,
        timezone=arguments.timezone,
        dry_run=arguments.dry_run,
    )
    if arguments.json:
        answer = {
            "rows": result.rows,
            "accepted": result.accepted,
            "rejected": result.rejected,
            "duplicates": result.duplicates,
            "conflicts": list(result.conflicts),
            "reasons": dict(result.reasons),
            "ignored": list(result.ignored),
            "dry_run": result.dry_run,
        }
        print(json.dumps(answer, ensure_ascii=False))
    else:
        would = "would be " if result.dry_run else ""
        print(
            f"{result.rows:,} rows: {result.accepted:,} {would}accepted, {result.rejected:,} refused, "
            f"{result.duplicates:,} duplicates."
        )
        for reason, count in result.reasons.items():
            print(f"  refused {count:,}: {reason}")
        if result.conflicts:
            shown = ", ".join(result.conflicts[:5]) + (", …" if len(result.conflicts) > 5 else "")
            print(f"  {len(result.conflicts):,} ids have several contents, the dearer is charged: {shown}")
        if result.ignored:
            print(f"  columns that the log does not have, ignored: {', '.join(result.ignored)}")
    return REFUSED if arguments.strict and result.rejected else 0
