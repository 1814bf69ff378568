"""Machines of strangers as raw resources on three clouds, for rules on their end and number."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from gpuinfra.model import Resource
from tests.rules.cases import gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.program import Handle, Program

GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
FLEET = "aws:ec2/fleet:Fleet"
SPOT_FLEET = "aws:ec2/spotFleetRequest:SpotFleetRequest"


def scaling(program: Program, **inputs) -> Handle:
    template = program.add(TEMPLATE, "node", imageId="ami-1", instanceType="g6.xlarge")
    given = {"minSize": 1, "maxSize": 4, "launchTemplate": {"id": template.id}, **inputs}
    return program.add(GROUP, "workers", **given)


def fleet(program: Program, token: str = FLEET, **inputs) -> Handle:
    template = program.add(TEMPLATE, "node", imageId="ami-1", instanceType="g6.xlarge")
    target = {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 4}
    given = {
        "launchTemplateConfigs": [
            {"launchTemplateSpecification": {"launchTemplateId": template.id, "version": "1"}}
        ],
        **({"targetCapacitySpecification": target} if token == FLEET else {"targetCapacity": 4}),
        **inputs,
    }
    return program.add(token, "workers", **given)


def instance(given: Mapping[str, object] = MappingProxyType({}), **scheduling) -> GcpProgram:
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    program.add(
        "compute/instance:Instance",
        "workers",
        zone="us-central1-a",
        machineType="g2-standard-8",
        networkInterfaces=[{"subnetwork": subnet.link}],
        scheduling={"onHostMaintenance": "TERMINATE", **scheduling},
        **given,
    )
    return program


def machine(**inputs) -> AzureProgram:
    program = AzureProgram()
    program.add(
        "azure-native:compute:VirtualMachine",
        "workers",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        **inputs,
    )
    return program


def hidden(program: Program) -> list[Resource]:
    """Resources whose values are not known yet; of relations only those to templates are."""
    kept = "launchTemplate"
    return [
        replace(
            resource, relations={key: to for key, to in resource.relations.items() if key == kept}
        )
        for resource in program.resources("preview")
    ]
