"""`make bench`: ratios against a floor measured in the same run; exits 1 over a limit.

`python -m tests.benchmarks cold checkov` runs these modules alone.
"""

import os
import sys
import tempfile

from tests.benchmarks import (
    Skipped,
    checkov,
    choosing,
    cold,
    evidence,
    fixing,
    linear,
    lookup,
    networks,
    packs,
    preview,
)

BENCHMARKS = {
    "cold": cold.commands_against_floor,
    "lookup": lookup.one_price,
    "choosing": choosing.ten_catalogs,
    "linear": linear.planning_and_rules,
    "networks": networks.machines_and_firewalls,
    "evidence": evidence.previews_of_any_size,
    "checkov": checkov.against_checkov,
    "fixing": fixing.looking_for_fixes,
    "preview": preview.components_against_raw,
    "packs": packs.all_against_empty,
}


def main(names: list[str]) -> int:
    """Run benchmarks, all of them by default, and print each ratio beside its limit."""
    failed = False
    with tempfile.TemporaryDirectory() as nothing:
        os.environ["GPUINFRA_CATALOG_HOME"] = nothing  # the shipped tables alone
        for benchmark in [BENCHMARKS[name] for name in names or BENCHMARKS]:
            try:
                failed |= shown(benchmark())
            except Skipped as why:
                print(f"skip {why}")  # noqa: T201
    return int(failed)


def shown(results) -> bool:
    """Print ratios; whether one is over its limit."""
    failed = False
    for name, ratio, limit, details in results:
        verdict = "ok" if ratio <= limit else "OVER"
        failed |= ratio > limit
        print(f"{verdict:4} {name}: {ratio:.2f} (limit {limit:g})  {details}")  # noqa: T201
    return failed


sys.exit(main(sys.argv[1:]))
