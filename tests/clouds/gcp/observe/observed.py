"""What is read of a program of Google Cloud: its one group, what it pays besides."""

from typing import Any

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import Group
from tests.rules.cases.gcp_program import GcpProgram

INSTANCE = "compute/instance:Instance"


def program_of(token: str, **inputs: Any) -> GcpProgram:
    program = GcpProgram()
    program.add(token, "it", **inputs)
    return program


def only(program: GcpProgram, moment: Any = "created") -> Group:
    observed = observe(program.resources(moment))
    (group,) = observed.groups
    return group


def paid(program: GcpProgram, moment: Any = "created") -> dict[str, tuple[str, bool]]:
    items = observe(program.resources(moment)).items
    return {item.item: (str(item.quantity), item.per_machine) for item in items}


def machine(**inputs: Any) -> Group:
    program = GcpProgram()
    program.add(INSTANCE, "vm", zone="us-central1-a", **inputs)
    return only(program)
