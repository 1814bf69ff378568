"""Looking for fixes takes the time of its trials: the search itself may not outgrow them."""

import json
import subprocess
import sys
from collections.abc import Iterator

SCRIPT = """
import json, resource, sys, time
from datetime import date
from gpuinfra import source as sources, stackfile
from gpuinfra.api.checking import judge as judged
from gpuinfra.fixes.stack_file_fixes import propose_stack_fixes
from gpuinfra.source import Source
count = int(sys.argv[1])
work = {
    "gpu": "H100:8", "nodes": 2, "duration": "72h", "capacity": ["spot", "on-demand"],
    "max_price": 40, "checkpoints": {"bucket": "data"},
}
text = json.dumps({
    "version": 1, "name": "many", "owner": "bench",
    "budget": {"per_hour": 50 * count},
    "prices": {"accept_outdated": True},
    "where": {"cloud": "aws", "regions": ["us-east-1"]},
    "training": {f"w{i}": work for i in range(count)},
    "buckets": {"data": {}},
})
source = Source(document=stackfile.loads(text, "stack.yaml"))
spent = 0.0
def judge(one):
    global spent
    start = time.process_time()
    try:
        return judged(one, sources.plan(one, {}), {}, date(2026, 11, 21))
    finally:
        spent += time.process_time() - start
before = judge(source)
spent = 0.0
start = time.process_time()
found = propose_stack_fixes(source, judge, before, thorough=True)
took = time.process_time() - start
mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, spent, found.trial_count, mebibytes]))
"""
FEW = 10
MANY = 20
RUNS = 2
MEMORY = 256


def looking_for_fixes() -> Iterator[tuple[str, float, float, str]]:
    """`--fix` of twice as many workloads, beside its own trials, and the memory it took."""
    small, _, few, _ = measure(FEW)
    large, trials, many, mebibytes = measure(MANY)
    if few != many:
        raise AssertionError(f"{few} and {many} sets of edits were tried: nothing to compare")
    details = f"{large:.2f} s / {small:.2f} s, {many} sets tried"
    yield f"--fix, {MANY} / {FEW} workloads", large / small, 3.0, details
    details = f"{large:.2f} s / {trials:.2f} s of planning, pricing and judging"
    yield f"--fix of {MANY} workloads / its trials", large / trials, 1.3, details
    name = f"memory of --fix, {MANY} workloads / {MEMORY} MiB"
    yield name, mebibytes / MEMORY, 1.0, f"{mebibytes:.0f} MiB"


def measure(count: int) -> tuple[float, float, int, float]:
    """Seconds of the run with the least, those of its trials, how many these are, peak MiB."""
    runs: list[tuple[float, float, int, float]] = []
    for _ in range(RUNS):
        command = [sys.executable, "-c", SCRIPT, str(count)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        took, spent, tried, mebibytes = json.loads(done.stdout)
        runs.append((took, spent, tried, mebibytes))
    return min(runs)
