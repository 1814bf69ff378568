"""Cold start: `check` and `choose` against the least a YAML file with pydantic can cost."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

STACKS = Path(__file__).parents[2] / "stacks"
CHECKED = {
    "aws": ("startup-aws", 2.0),
    "gcp": ("startup-gcp", 2.0),
    "azure": ("startup-azure", 2.0),
    "any cloud": ("anywhere", 2.5),  # it reads the tables of three clouds
}
FLOOR = """
import sys
import pydantic
from ruamel.yaml import YAML
class Stack(pydantic.BaseModel):
    name: str
with open(sys.argv[1]) as file:
    Stack.model_validate(YAML().load(file))
"""
CHOOSING = 2.5
RUNS = 12


def commands_against_floor() -> Iterator[tuple[str, float, float, str]]:
    """Cold `check`, and `choose` over all clouds, in floors, in processor time.

    Noisy neighbours disturb that least. The runs are interleaved, and the least of each counts.
    Compiled bytecode is kept from run to run, as it is on a user's machine, also where the
    environment forbids to write it.
    """
    files = {kind: str(STACKS / name / "stack.yaml") for kind, (name, _) in CHECKED.items()}
    commands = {
        "floor": [sys.executable, "-c", FLOOR, files["aws"]],
        **{
            kind: [sys.executable, "-m", "gpuinfra.cli", "check", file]
            for kind, file in files.items()
        },
        "choose": [sys.executable, "-m", "gpuinfra.cli", "choose", "H100:8"],
    }
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for command in commands.values():
            seconds(command, environment)
        taken: dict[str, list[float]] = {kind: [] for kind in commands}
        for _ in range(RUNS):
            for kind, command in commands.items():
                taken[kind].append(seconds(command, environment))
    low = min(taken["floor"])
    for kind, (_, limit) in CHECKED.items():
        high = min(taken[kind])
        name = f"cold check, {kind} / (pydantic + YAML)"
        yield name, high / low, limit, f"{high:.3f} s / {low:.3f} s"
    high = min(taken["choose"])
    name = "cold choose, six clouds / (pydantic + YAML)"
    yield name, high / low, CHOOSING, f"{high:.3f} s / {low:.3f} s"


def seconds(command: list[str], environment: Mapping[str, str], code: int = 0) -> float:
    """The processor time of one run that ends with a code, the kernel's part included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, env=environment)
    if done.returncode != code:
        raise AssertionError(f"{command[:4]} ended with {done.returncode}: {done.stderr[-500:]!r}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
