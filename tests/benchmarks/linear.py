"""Planning and rules grow with the stack, not faster."""

import json
import subprocess
import sys
from collections.abc import Iterator

SCRIPT = """
import json, resource, sys, time
from datetime import date
from gpuinfra import cost, planning, rules
from gpuinfra.stackfile.schema import Stack
count = int(sys.argv[1])
stack = Stack.model_validate({
    "version": 1, "name": "many", "owner": "bench",
    "budget": {"per_hour": 1_000_000_000},
    "prices": {"accept_outdated": True},
    "where": {"cloud": "aws", "regions": ["us-east-1"]},
    "training": {f"w{i}": {"gpu": "H100:8", "nodes": 2, "duration": "72h",
                           "capacity": ["spot", "on-demand"], "max_price": 40}
                 for i in range(count)},
})
start = time.perf_counter()
plan = planning.from_stack(stack)
quote = cost.estimate(plan, as_of=date(2026, 11, 21), accept_outdated=True)
plan = cost.standing(plan, quote)
verdict = rules.judge(plan, quote, settings={}, waivers=(), today=date(2026, 11, 21))
took = time.perf_counter() - start
mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, mebibytes, len(plan.groups)]))
"""


def planning_and_rules() -> Iterator[tuple[str, float, float, str]]:
    """10,000 workloads in terms of 1,000, and the memory they took in units of 512 MiB."""
    small, _ = measure(1_000)
    large, mebibytes = measure(10_000)
    yield "plan + rules, 10,000 / 1,000", large / small, 12.0, f"{large:.2f} s / {small:.2f} s"
    yield "memory of 10,000 / 512 MiB", mebibytes / 512, 1.0, f"{mebibytes:.0f} MiB"


def measure(count: int) -> tuple[float, float]:
    """Seconds (best of three) and peak MiB for so many workloads."""
    runs = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(count)], check=True, capture_output=True, text=True
        )
        took, mebibytes, groups = json.loads(done.stdout)
        if groups != count:
            raise AssertionError(f"planned {groups} of {count} workloads")
        runs.append((took, mebibytes))
    return min(one[0] for one in runs), max(one[1] for one in runs)
