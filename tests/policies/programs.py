"""A stranger's program, registered raw with the engine, or judged without it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, Final
from zlib import crc32

from gpuinfra.model import Caps, Resource, Unknown, Usage
from gpuinfra.planning import from_resources
from gpuinfra.rules import judge
from gpuinfra.rules.waivers import short_name
from tests.policies.ground import AS_OF
from tests.rules.cases.program import Program, Ref

HIDDEN: Final = "hidden-"
"""How the name of a case begins whose fault is that something is not known."""

TOLD: Final = {"all": "advisory"}
"""The configuration of a pack under which all is judged: what refuses a resource that waits for
nothing ends a preview before the others are."""

OUTPUTS: Final = (
    "arn",
    "name",
    "selfLink",
    "instanceGroup",
    "email",
    "member",
    "principalId",
    "latestVersion",
)
"""What other resources refer to, beside the id."""

DEMANDED: Mapping[str, Mapping[str, Any]] = {
    "aws:ec2/subnet:Subnet": {"cidrBlock": "10.0.1.0/24", "vpcId": "vpc-0abc"},
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": {
        "baseInstanceName": "worker"
    },
    "azure-native:storage:BlobServiceProperties": {"blobServicesName": "default"},
    "azure-native:storage:ManagementPolicy": {"managementPolicyName": "default"},
}
"""Inputs without which the cloud takes no such resource."""

REGIONS = {"aws": "us-east-1"}
"""Where the provider of the engine's runs stands, by package."""

SHORT = {
    "gcp:serviceaccount/account:Account": "accountId",
    "azure-native:storage:StorageAccount": "accountName",
}
"""The input of a resource that takes a short name only: there it is made of the case's name."""


def named(case: str, name: str) -> str:
    return f"{case}-{name}"


def register(case: str, program: Program) -> None:
    """Register a program raw, so that no SDK class checks or adds anything."""
    import pulumi

    made: dict[str, pulumi.Resource] = {}

    def make(urn: str) -> pulumi.Resource:
        if urn not in made:
            handle = program.handles[urn]
            given = {**DEMANDED.get(handle.type, {}), **handle.inputs}
            if handle.type in SHORT:
                given[SHORT[handle.type]] = f"case{crc32(case.encode()):08x}"
            inputs = {key: value(item) for key, item in given.items()}
            outputs = {key: None for key in OUTPUTS if key not in inputs}
            made[urn] = pulumi.CustomResource(
                handle.type, named(case, handle.name), {**inputs, **outputs}
            )
        return made[urn]

    def value(given: Any) -> Any:
        if isinstance(given, Ref):
            return getattr(make(given.urn), given.key)
        if isinstance(given, Unknown):
            return not_known()
        if isinstance(given, Mapping):
            return {key: value(item) for key, item in given.items()}
        return [value(item) for item in given] if isinstance(given, list) else given

    for urn in program.handles:
        make(urn)


def not_known() -> Any:
    """A value that only an update knows."""
    import pulumi

    return pulumi.Output.from_input(pulumi.output.UNKNOWN)


def offline(cases: Mapping[str, Program], judged: set[str], usage: Usage) -> set[tuple[str, str]]:
    """What refuses, by rule and subject, in a check of all cases together without any engine."""
    resources = [
        _renamed(case, resource)
        for case, program in cases.items()
        for resource in program.resources("preview")
    ]
    plan = from_resources(resources, name="shop", caps=Caps(per_hour=Decimal(1)), usage=usage)
    verdict = judge(plan, None, {}, (), date.fromisoformat(AS_OF), only=judged)
    return {
        (finding.rule, short_name(finding.subject))
        for finding in verdict.findings
        if finding.outcome in {"violated", "not-knowable"}
    }


def _renamed(case: str, resource: Resource) -> Resource:
    """The resource as `register` names it."""

    def urn(of: str) -> str:
        kind, _, name = of.rpartition("::")
        return f"{kind}::{named(case, name)}"

    relations = {key: tuple(map(urn, urns)) for key, urns in resource.relations.items()}
    return replace(
        resource,
        urn=urn(resource.urn),
        name=named(case, resource.name),
        inputs={**DEMANDED.get(resource.type, {}), **resource.inputs},
        relations=relations,
        region=resource.region or REGIONS.get(resource.type.partition(":")[0]),
    )
