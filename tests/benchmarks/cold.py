"""Cold start: `gpuinfra check` against the least a YAML file with pydantic can cost."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

STACK = Path(__file__).parents[2] / "stacks" / "quickstart" / "stack.yaml"
FLOOR = f"""
import pydantic
from ruamel.yaml import YAML
class Stack(pydantic.BaseModel):
    name: str
with open({str(STACK)!r}) as file:
    Stack.model_validate(YAML().load(file))
"""
RUNS = 15


def check_against_floor() -> Iterator[tuple[str, float, float, str]]:
    """Cold `gpuinfra check` in floors, runs interleaved so that noise meets both."""
    floor: list[float] = []
    check: list[float] = []
    command = [sys.executable, "-m", "gpuinfra.cli", "check", str(STACK)]
    for _ in range(RUNS):
        floor.append(seconds([sys.executable, "-c", FLOOR]))
        check.append(seconds(command))
    low, high = min(floor), min(check)  # the least disturbed run of each
    yield "cold check / (pydantic + YAML)", high / low, 2.0, f"{high:.3f} s / {low:.3f} s"


def seconds(command: list[str]) -> float:
    """The wall-clock time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start
