"""Each witness complains about a graph that is broken in one place."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.graph import Ref, Resource, ResourceGraph
from tests.witnesses import (
    azure,
    calls,
    complaints,
    discovery,
    documented,
    formats,
    graphs,
    sdk,
    tables,
)

Path = tuple[str | int, ...]
Witness = Callable[[ResourceGraph, Resource], Iterator[str]]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
FUNCTION = "aws:lambda/function:Function"
SCHEDULE = "aws:scheduler/schedule:Schedule"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
ROLE = "aws:iam/role:Role"
GROUP = "aws:autoscaling/group:Group"
GOOGLE = "gcp:compute/instanceTemplate:InstanceTemplate"
FIREWALL = "gcp:compute/firewall:Firewall"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
ACCOUNT = "azure-native:storage:StorageAccount"
SET = "azure-native:compute:VirtualMachineScaleSet"
SECURITY = "azure-native:network:NetworkSecurityGroup"
LOAD = "azure-native:network:LoadBalancer"
GRANT = "azure-native:authorization:RoleAssignment"
CONTAINER = "azure-native:storage:BlobContainer"
WITHIN = "azure-native:network:Subnet"
SERVICE = "azure-native:storage:BlobServiceProperties"
FILTER = ("policy", "rules", 0, "definition", "filters", "blobTypes", 0)
LIFECYCLE = "azure-native:storage:ManagementPolicy"
BALANCER = "aws:lb/loadBalancer:LoadBalancer"
PROFILE = "virtualMachineProfile"
GONE = object()
"""In place of a value: the input is dropped."""


def broken(stack: str, kind: str, path: Path, value: Any) -> tuple[ResourceGraph, Resource]:
    """A graph with one input of the first resource of a type that has it changed."""
    graph = graphs.graph(stack)
    for resource in graph.resources.values():
        inputs = deepcopy(dict(resource.inputs))
        holder = held(inputs, path[:-1])
        if resource.type == kind and holder is not None:
            change(holder, path[-1], value)
            changed = replace(resource, inputs=inputs)
            graph.resources[resource.key] = changed
            return graph, changed
    raise AssertionError(f"no {kind} with {path}")


def held(inputs: Any, path: Path) -> Any:
    for step in path:
        try:
            inputs = inputs[step]
        except (KeyError, IndexError, TypeError):
            return None
    return inputs


def change(holder: Any, name: str | int, value: Any) -> None:
    if value is GONE:
        del holder[name]
    elif isinstance(value, dict) and value.keys() == {"renamed"}:
        holder[value["renamed"]] = holder.pop(name)
    else:
        holder[name] = value


def of_tables(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    return tables.complaints(resource)


def of_calls(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    return calls.complaints(resource)


def of_documentation(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    return documented.complaints(resource)


def of_formats(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    return formats.complaints(resource)


def of_azure(graph: ResourceGraph, resource: Resource) -> Iterator[str]:
    return (f"{resource.key}: {complaint}" for complaint in azure.complaints(graph, resource))


def of_discovery(_: ResourceGraph, resource: Resource) -> Iterator[str]:
    return discovery.complaints(resource)


BROKEN = [
    (sdk.complaints, TEMPLATE, ("metadataOptions",), {"renamed": "metadataOption"}, "no such"),
    (
        sdk.complaints,
        TEMPLATE,
        ("metadataOptions", "httpTokens"),
        {"renamed": "tokens"},
        "no such",
    ),
    (sdk.complaints, TEMPLATE, ("blockDeviceMappings",), "gp3", "no "),
    (sdk.complaints, TEMPLATE, ("updateDefaultVersion",), "yes", "is no bool"),
    (sdk.complaints, ROLE, ("assumeRolePolicy",), GONE, "required"),
    (sdk.complaints, GROUP, ("maxSize",), GONE, "required"),
    (sdk.complaints, GOOGLE, ("disks", 0, "diskSizeGb"), {"renamed": "diskSizeGB"}, "diskSizeGb"),
    (sdk.complaints, GOOGLE, ("machineType",), GONE, "required"),
    (sdk.complaints, FIREWALL, ("allows", 0, "protocol"), GONE, "required"),
    (sdk.complaints, ACCOUNT, ("sku",), GONE, "required"),
    (sdk.complaints, ACCOUNT, ("minimumTlsVersion",), "TLS12", "TLS1_2"),
    (sdk.complaints, SET, (PROFILE, "priority"), "Spott", "did you mean Spot?"),
    (sdk.complaints, SET, ("sku", "capacity"), "two", "is no float"),
    (of_tables, TEMPLATE, ("metadataOptions", "httpTokens"), {"renamed": "tokens"}, "unknown"),
    (of_tables, FIREWALL, ("direction",), "INGRES", "INGRESS"),
    (
        of_tables,
        ACCOUNT,
        ("accountName",),
        "Too-Long-And-Capital-Letters",
        "is not a valid name",
    ),
    (of_tables, ROLE, ("name",), "r" * 65, "is not a valid name"),
    (of_calls, TEMPLATE, ("metadataOptions", "httpTokens"), "require", "not one of"),
    (of_calls, TEMPLATE, ("instanceType",), "g6.extralarge", "not one of"),
    (of_calls, FUNCTION, ("timeout",), 0, "outside"),
    (of_calls, FUNCTION, ("handler",), "stop handler", "does not match"),
    (of_calls, SCHEDULE, ("name",), "n" * 65, "65 characters"),
    (of_calls, SCHEDULE, ("state",), "ON", "not one of"),
    (of_calls, ALARM, ("comparisonOperator",), "MoreThan", "not one of"),
    (of_calls, ALARM, ("evaluationPeriods",), 0, "outside"),
    (of_calls, ROLE, ("maxSessionDuration",), 60, "outside"),
    (of_documentation, FUNCTION, ("timeout",), 901, "within"),
    (of_documentation, BALANCER, ("loadBalancerType",), "classic", "documented"),
    (of_documentation, SECURITY, ("securityRules", 0, "priority"), 99, "within"),
    (of_documentation, "gcp:storage/bucket:Bucket", ("storageClass",), "WARM", "documented"),
    (of_documentation, FIREWALL, ("allows", 0, "protocol"), "tcq", "documented"),
    (of_documentation, FIREWALL, ("allows", 0, "protocol"), "256", "documented"),
    (of_formats, "aws:ec2/subnet:Subnet", ("cidrBlock",), "10.0.0.0/33", "CIDR"),
    (of_formats, SUBNET, ("ipCidrRange",), "10.0.0.1/24", "CIDR"),
    (of_formats, "aws:ec2/vpc:Vpc", ("region",), "us-east-11", "region"),
    (of_formats, "aws:iam/rolePolicy:RolePolicy", ("policy",), '{"Statement": []}', "policy"),
    (of_formats, "aws:iam/rolePolicy:RolePolicy", ("policy",), "{", "policy"),
    (of_azure, SET, ("automaticRepairsPolicy", "gracePeriod"), "PT1q", "ISO 8601"),
    (of_azure, SET, ("location",), "eastut", "no region"),
    (of_azure, SET, ("upgradePolicy",), GONE, "follow its model"),
    (of_azure, SET, (PROFILE, "networkProfile"), GONE, "has an interface"),
    (of_azure, SET, (PROFILE, "storageProfile", "imageReference", "offer"), "ubuntu", "no image"),
    (of_azure, SECURITY, ("securityRules", 0, "sourceAddressPrefix"), "AzureLoad", "no tag"),
    (of_azure, LOAD, ("loadBalancerName",), "other", "no part of this balancer"),
    (of_azure, ACCOUNT, ("accountName",), GONE, "stash"),
    (of_azure, GRANT, ("principalType",), GONE, "ServicePrincipal"),
    (of_azure, GRANT, ("condition",), "@Resource", "conditionVersion"),
    (of_azure, CONTAINER, ("containerName",), GONE, "left to Pulumi"),
    (of_azure, LIFECYCLE, ("managementPolicyName",), GONE, "'default'"),
    (of_azure, "azure-native:network:VirtualNetwork", ("addressSpace",), GONE, "addresses"),
    (of_azure, SECURITY, ("securityRules", 0, "priority"), GONE, "a rule has one"),
    (of_azure, "azure-native:resources:ResourceGroup", ("location",), GONE, "has one"),
    (of_azure, WITHIN, ("serviceEndpoints", 0, "service"), "Microsoft.Storagx", "no service"),
    (of_azure, SERVICE, ("containerDeleteRetentionPolicy", "days"), GONE, "within 1 to 365"),
    (of_azure, LIFECYCLE, FILTER, "blockBloq", "no type of blob"),
    (of_tables, SET, (PROFILE, "osProfile", "adminUsername"), GONE, "adminUsername"),
    (of_documentation, SET, ("sku", "tier"), "Standarq", "documented"),
    (of_discovery, FIREWALL, ("direction",), "INGRES", "not one of"),
    (of_discovery, FIREWALL, ("name",), "Capital", "does not match"),
    (of_discovery, FIREWALL, ("name",), "n" * 64, "does not match"),
    (of_discovery, FIREWALL, ("priority",), 2**40, "is no whole number"),
    (of_discovery, FIREWALL, ("sourceRanges",), {"renamed": "sourceCidrs"}, "no such field"),
    (of_discovery, GOOGLE, ("scheduling", "onHostMaintenance"), "STOP", "not one of"),
    (of_discovery, GOOGLE, ("networkInterfaces", 0, "nicType"), "GVNICS", "not one of"),
    (of_discovery, SUBNET, ("privateIpGoogleAccess",), "yes", "wants boolean"),
]
STACKS = {"aws": "guarded", "gcp": "more-gcp", "azure-native": "more-azure"}


@pytest.mark.slow
@pytest.mark.parametrize(("witness", "kind", "path", "value", "says"), BROKEN)
def test_a_broken_input_is_seen(
    witness: Witness, kind: str, path: Path, value: Any, says: str
) -> None:
    stack = STACKS[kind.partition(":")[0]]
    graph, resource = broken(stack, kind, path, value)
    messages = list(witness(graph, resource))

    assert [message for message in messages if says in message], messages
    assert any(complaint.startswith(f"{resource.key}: ") for complaint in complaints(graph))


def test_an_output_that_is_not_there_is_seen() -> None:
    graph, _ = broken("guarded", GROUP, ("launchTemplate", "id"), None)
    template = next(resource for resource in graph.resources.values() if resource.type == TEMPLATE)
    graph, resource = broken(
        "guarded", GROUP, ("launchTemplate", "id"), Ref(template.key, "templateId")
    )

    assert any(
        "has no output templateId" in complaint for complaint in sdk.complaints(graph, resource)
    )


def test_an_output_of_another_type_is_seen() -> None:
    graph = graphs.graph("guarded")
    template = next(resource for resource in graph.resources.values() if resource.type == TEMPLATE)
    graph, resource = broken("guarded", GROUP, ("maxSize",), Ref(template.key, "id"))

    assert any(
        "is str, which is not taken" in complaint for complaint in sdk.complaints(graph, resource)
    )


def test_a_missing_parameter_of_a_call_is_seen() -> None:
    _, resource = broken("guarded", FUNCTION, ("role",), GONE)

    assert any(
        "Missing required parameter" in complaint for complaint in calls.complaints(resource)
    )


def test_a_bucket_name_that_s3_refuses_is_seen() -> None:
    _, resource = broken("storage", "aws:s3/bucket:Bucket", ("bucket",), "a name")

    assert any("Invalid bucket name" in complaint for complaint in calls.complaints(resource))


def test_a_stash_that_is_given_nothing_is_seen() -> None:
    graph, resource = broken("more-azure", "pulumi:index:Stash", ("input",), GONE)

    assert any("given nothing" in complaint for complaint in complaints(graph))
    assert list(azure.complaints(graph, resource))


@pytest.mark.parametrize("part", ["id", "name"])
def test_a_stash_that_keeps_half_of_an_image_is_seen(part: str) -> None:
    graph, _ = broken("quickstart", "pulumi:index:Stash", ("input",), {part: "a"})

    assert any("by its name and its id" in complaint for complaint in complaints(graph))
