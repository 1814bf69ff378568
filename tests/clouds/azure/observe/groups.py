"""Why machines of Azure are not judged, at both moments of a program."""

from typing import Any

from gpuinfra.clouds.azure.observe import observe
from tests.rules.cases.azure_program import AzureProgram

T4 = "Standard_NC4as_T4_v3"
A100 = "Standard_NC24ads_A100_v4"


def reasons(program: AzureProgram) -> list[str]:
    return [row.reason for row in observe(program.resources()).not_judged]


def machine(program: AzureProgram, name: str = "one", **inputs: Any) -> Any:
    size = {"vmSize": T4}
    return program.add(
        "azure-native:compute:VirtualMachine", name, **{"hardwareProfile": size, **inputs}
    )
