"""Time and memory of `status` on a log of so many rows, beside the engine's own share of it.

Run: .venv/bin/python -m tests.benchmarks.log [--rows 1000000]. Prints figures; asserts nothing.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).parents[2]
POOLS = 14

POOLS_TOML = "".join(
    f'[[pool]]\nname = "pool-{i}"\ndataset = "set-{i % 4}"\nepsilon = "500"\ndelta = "1e-6"\nprivacy_unit = "user"\n'
    f'official = "rdp"\nwindow = "{"monthly" if i % 3 == 0 else "none"}"\nschemes = ["region"]\n'
    for i in range(POOLS)
)


def write_csv(path: Path, rows: int) -> None:
    """Rows over three years, a dozen kinds of query in each pool, a fifth of them on parts of a scheme."""
    duckdb.execute(f"""
        COPY (
            SELECT
                'q' || i AS query_id,
                strftime(TIMESTAMP '2023-12-01' + INTERVAL 1 SECOND * (i * 90 % 94000000), '%Y-%m-%dT%H:%M:%SZ') AS ts,
                'pool-' || (i % {POOLS}) AS pool,
                'analyst-' || (i % 40) AS analyst,
                CASE WHEN i % 50 = 0 THEN 'denied' WHEN i % 211 = 0 THEN 'failed' ELSE 'released' END AS status,
                CASE i % 3 WHEN 0 THEN 'pure' WHEN 1 THEN 'laplace' ELSE 'gaussian' END AS mechanism,
                CASE WHEN i % 3 < 2 THEN '0.00' || (1 + i % 4) END AS epsilon,
                CASE WHEN i % 3 = 2 THEN 400 + 100 * (i % 4) END AS noise_scale,
                CASE WHEN i % 3 = 2 THEN 1 END AS sensitivity,
                CASE WHEN i % 5 = 0 THEN 'region' END AS partition_scheme,
                CASE WHEN i % 5 = 0 THEN 'r' || (i % 9) END AS "partition"
            FROM range({rows}) AS t (i)
        ) TO '{path}' (HEADER)
    """)


def run(*arguments: str) -> tuple[float, float]:
    """Wall seconds and peak memory in MB of one command in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "dpcore", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, code, usage = os.wait4(process.pid, 0)
    if code:
        sys.exit(f"{arguments[0]} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--runs", type=int, default=3)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        csv, log, pools = Path(folder) / "rows.csv", Path(folder) / "log.duckdb", Path(folder) / "pools.toml"
        pools.write_text(POOLS_TOML)
        write_csv(csv, options.rows)
        run("pools", "apply", str(pools), "--log", str(log))
        seconds, memory = run("import", str(csv), "--log", str(log))
        print(f"import  {options.rows:>12,} rows  {seconds:6.2f} s  {memory:6.0f} MB")
        timed = [run("status", "--log", str(log), "--json") for _ in range(options.runs)]
        seconds, memory = statistics.median(s for s, _ in timed), max(m for _, m in timed)
        print(f"status  {options.rows:>12,} rows  {seconds:6.2f} s  {memory:6.0f} MB")
        start = time.perf_counter()
        with duckdb.connect(str(log), read_only=True) as connection:
            connection.execute("SELECT pool, mechanism, epsilon, noise_scale, count(*) FROM query_log GROUP BY ALL")
            connection.fetchall()
        plain = time.perf_counter() - start
        print(f"one plain GROUP BY of the same rows  {plain:.2f} s; status takes {seconds / plain:.1f} times that")
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
