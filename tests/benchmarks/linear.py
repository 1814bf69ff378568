"""Planning and rules grow with the stack, not faster, on every cloud and over all of them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

SCRIPT = """
import json, resource, sys, time
from datetime import date
from gpuinfra import cost, planning, rules
from gpuinfra.specs.schema import Stack
count, where, work = int(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
stack = Stack.model_validate({
    "version": 1, "name": "many", "owner": "bench",
    "budget": {"per_hour": 1_000_000_000},
    "prices": {"accept_outdated": True},
    "where": where,
    "training": {f"w{i}": work for i in range(count)},
    "buckets": {"data": {}},
})
start = time.process_time()
plan = planning.from_stack(stack)
quote = cost.estimate(plan, cost.PricingTerms(as_of=date(2026, 11, 21), accept_outdated=True))
plan = cost.plan_on_active_rungs(plan, quote)
verdict = rules.judge(plan, quote, settings={}, waivers=(), today=date(2026, 11, 21))
took = time.process_time() - start
mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, mebibytes, len(plan.groups)]))
"""

WORK = {
    "gpu": "H100:8",
    "nodes": 2,
    "duration": "72h",
    "capacity": ["spot", "on-demand"],
    "data": [{"bucket": "data"}],  # one for all: what ties them together must not be quadratic
}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "aws": ({"cloud": "aws", "regions": ["us-east-1"]}, {**WORK, "max_price": 40}),
    "gcp": ({"cloud": "gcp", "regions": ["us-central1"]}, WORK),
    "azure": ({"cloud": "azure", "regions": ["eastus"]}, {**WORK, "max_price": 40}),
    "any cloud": ({"cloud": "any", "regions": ["us-east-1", "us-central1", "eastus"]}, WORK),
}
SMALL, LARGE = 100, 1_000
RUNS = 2
SECONDS = 10
MEMORY = 512


def planning_and_rules() -> Iterator[tuple[str, float, float, str]]:
    """1,000 workloads in terms of 100, and their time and memory in units of 10 s and 512 MiB."""
    for kind, (where, work) in CASES.items():
        small, _ = measure(SMALL, where, work)
        large, mebibytes = measure(LARGE, where, work)
        what = f"plan + quote + rules, {kind}, {LARGE:,} workloads"
        yield f"{what} / {SMALL}", large / small, 12.0, f"{large:.2f} s / {small:.2f} s"
        yield f"{what} / {SECONDS} s", large / SECONDS, 1.0, f"{large:.2f} s"
        yield f"{what}, memory / {MEMORY} MiB", mebibytes / MEMORY, 1.0, f"{mebibytes:.0f} MiB"


def measure(count: int, where: dict[str, Any], work: dict[str, Any]) -> tuple[float, float]:
    """Seconds of the processor (the least of the runs) and peak MiB for so many workloads."""
    runs = []
    for _ in range(RUNS):
        arguments = [str(count), json.dumps(where), json.dumps(work)]
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *arguments], check=True, capture_output=True, text=True
        )
        took, mebibytes, groups = json.loads(done.stdout)
        if groups != count:
            raise AssertionError(f"planned {groups} of {count} workloads")
        runs.append((took, mebibytes))
    return min(run[0] for run in runs), max(run[1] for run in runs)
