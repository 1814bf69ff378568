"""Choosing grows with the catalog, not faster."""

import json
import subprocess
import sys
from collections.abc import Iterator

SCRIPT = """
import json, sys, time
from dataclasses import replace
from gpuinfra.catalog import PriceBook, choose, request
from gpuinfra.catalog.choosing.candidate_machines import OfferedMachines
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of as provider_of
times = int(sys.argv[1])
def copied(one, copy):
    regions = one.regions or provider_of(one.cloud).regions.all()
    return replace(one, type=f"{one.type}~{copy}" if copy else one.type, regions=regions)
machines = {
    cloud: tuple(
        copied(one, copy)
        for one in provider_of(cloud).machines.all_machines()
        for copy in range(times)
    )
    for cloud in PRICED_CLOUDS
}
class Many(PriceBook):
    def rows(self, cloud, item, region, mode):
        return super().rows(cloud, item.partition("~")[0], region, mode)
stock = OfferedMachines(machines)
regions = tuple(dict.fromkeys(provider_of(cloud).regions.default for cloud in PRICED_CLOUDS))
offered = {"clouds": PRICED_CLOUDS, "regions": regions, "capacity": "on-demand"}
asked = request("80GB..:8", **offered, nvlink=True)
choose(asked)
took = 1e9
for _ in range(5):
    choose.cache_clear()
    start = time.process_time()
    choice = choose(asked, Many(), stock)
    took = min(took, time.process_time() - start)
print(json.dumps([took, len(choice.ranked), len(choice.losers)]))
"""
RUNS = 3
TIMES = 10
LIMIT = 12.0


def ten_catalogs() -> Iterator[tuple[str, float, float, str]]:
    """A choice over ten times as many machines and prices in terms of one over the shipped."""
    small, few = measure(1)
    large, many = measure(TIMES)
    if many != TIMES * few:
        raise AssertionError(f"{many} machines judged, not {TIMES} times {few}")
    details = f"{large:.3f} s over {many:,} machines / {small:.3f} s over {few:,}"
    yield f"choosing over {TIMES} catalogs / 1", large / small, LIMIT, details


def measure(times: int) -> tuple[float, int]:
    """Seconds of the processor (the least of the runs), and how many machines were judged."""
    runs = []
    for _ in range(RUNS):
        command = [sys.executable, "-c", SCRIPT, str(times)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        took, ranked, lost = json.loads(done.stdout)
        runs.append((took, ranked + lost))
    return min(run[0] for run in runs), runs[0][1]
