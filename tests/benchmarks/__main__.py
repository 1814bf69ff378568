"""`make bench`: ratios against a floor measured in the same run; exits 1 over a limit."""

import os
import sys
import tempfile

from tests.benchmarks import choosing, cold, linear, lookup, preview

BENCHMARKS = (
    cold.commands_against_floor,
    lookup.one_price,
    choosing.ten_catalogs,
    linear.planning_and_rules,
    preview.components_against_raw,
)


def main() -> int:
    """Run every benchmark and print its ratio beside its limit."""
    failed = False
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["GPUINFRA_CATALOG_HOME"] = nothing  # the shipped tables alone
        for benchmark in BENCHMARKS:
            for name, ratio, limit, details in benchmark():
                verdict = "ok" if ratio <= limit else "OVER"
                failed |= ratio > limit
                print(f"{verdict:4} {name}: {ratio:.2f} (limit {limit:g})  {details}")  # noqa: T201
    return int(failed)


sys.exit(main())
