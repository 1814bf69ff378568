"""What is read of a program of Azure: what it pays, and what of it is not judged."""

from typing import Any

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import Safety, Usage
from tests.rules.cases.azure_program import AzureProgram


def program_of(token: str, **inputs: Any) -> AzureProgram:
    program = AzureProgram()
    program.add(f"azure-native:{token}", "it", **inputs)
    return program


def items(program: AzureProgram, usage: Usage = Usage()) -> list[tuple[Any, ...]]:  # noqa: B008
    rows = observe(program.resources(), usage).items
    return [(row.item, row.unit, row.quantity, row.region) for row in rows]


def reasons(program: AzureProgram) -> list[str]:
    return [missing.reason for missing in observe(program.resources()).not_judged]


def safety(program: AzureProgram, moment: Any = "created") -> Safety:
    return observe(program.resources(moment)).groups[0].safety
