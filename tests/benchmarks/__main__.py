"""`make bench`: ratios against a floor measured in the same run; exits 1 over a limit."""

import sys

from tests.benchmarks import cold, linear, preview

BENCHMARKS = (cold.check_against_floor, linear.planning_and_rules, preview.components_against_raw)


def main() -> int:
    """Run every benchmark and print its ratio beside its limit."""
    failed = False
    for benchmark in BENCHMARKS:
        for name, ratio, limit, details in benchmark():
            verdict = "ok" if ratio <= limit else "OVER"
            failed |= ratio > limit
            print(f"{verdict:4} {name}: {ratio:.2f} (limit {limit:g})  {details}")  # noqa: T201
    return int(failed)


sys.exit(main())
