"""`check` of a stack file judges what is declared: one fact is broken, and a finding says so."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.graph import STASH, Ref, ResourceGraph, expressions
from gpuinfra.planning import declared_stack, observed_plan
from tests.cli.conftest import Run

STACKS = Path(__file__).parents[2] / "stacks"
Break = Callable[[ResourceGraph], ResourceGraph]


def inputs(key: str, change: Callable[[dict[str, Any]], None]) -> Break:
    """One resource with its inputs changed."""

    def broken(graph: ResourceGraph) -> ResourceGraph:
        resource = graph.resources[key]
        given = copied(resource.inputs)
        change(given)
        resources = {**graph.resources, key: replace(resource, inputs=given)}
        return replace(graph, resources=resources)

    return broken


def without(*keys: str) -> Break:
    """A graph without some resources; one that a bucket's name waits for is nothing any more."""

    def broken(graph: ResourceGraph) -> ResourceGraph:
        left = {key: resource for key, resource in graph.resources.items() if key not in keys}
        refs = {
            expression
            for r in left.values()
            for expression in expressions(r.inputs)
            if type(expression) is Ref
        }
        assert {ref.output for ref in refs if ref.key in keys} <= {"bucket"}
        referred = {ref.key for ref in refs}
        kept = {  # in their order: each after those that it refers to
            key: left.get(key) or replace(resource, type=STASH)
            for key, resource in graph.resources.items()
            if key in left or key in referred
        }
        return replace(graph, resources=kept)

    return broken


def copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list | tuple) else value


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(given: Any) -> None:
        holder = above(given, path)
        if holder is not None:
            holder[path[-1]] = value

    return change


def drop(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(given: Any) -> None:
        holder = above(given, path)
        if holder is not None:
            holder.pop(path[-1], None)

    return change


def above(given: Any, path: Sequence[str | int]) -> Any:
    """What holds the last step of a path; None on a rung that has no such thing."""
    for step in path[:-1]:
        if isinstance(given, Mapping) and step not in given:
            return None
        given = given[step]
    return given


TRAINER = "training.trainer"
TEMPLATE = f"{TRAINER}/launch_template"
POOL_TEMPLATE = "pool.chat/launch_template"

AWS: Mapping[str, tuple[Break, str]] = {
    "IMDSv1 is accepted": (
        inputs(TEMPLATE, put("metadataOptions", "httpTokens", value="optional")),
        "metadata-v2",
    ),
    "the disk is not encrypted": (
        inputs(TEMPLATE, put("blockDeviceMappings", 0, "ebs", "encrypted", value="false")),
        "disk-encrypted",
    ),
    "the machines have public addresses": (
        inputs(TEMPLATE, put("networkInterfaces", 0, "associatePublicIpAddress", value="true")),
        "public-address",
    ),
    "the bucket keeps no versions": (without("bucket.data/versioning"), "bucket-versioned"),
    "no placement group": (
        inputs(f"{TRAINER}/group", drop("placementGroup")),
        "fabric-placement",
    ),
    "no rule in from the group itself": (
        without(f"{TRAINER}/self_ingress"),
        "fabric-self-ingress",
    ),
    "no rule out to the group itself": (without(f"{TRAINER}/self_egress"), "fabric-self-egress"),
    "the bucket serves plain HTTP": (without("bucket.data/policy"), "bucket-tls"),
    "the bucket may be public": (
        inputs("bucket.data/public_access", put("blockPublicPolicy", value=False)),
        "bucket-private",
    ),
    "the bucket's encryption names no algorithm": (
        inputs("bucket.data/encryption", put("rules", value=[])),
        "bucket-encrypted",
    ),
    "no route out": (without(f"{TRAINER}/private_default"), "network-access"),
    "allows no outbound HTTPS (TCP 443)": (without(f"{TRAINER}/https_egress"), "network-access"),
    "S3 over the NAT gateway": (without(f"{TRAINER}/s3_endpoint"), "network-access"),
    "no Session Manager": (without(f"{TRAINER}/session_manager"), "network-access"),
    "no rule from the balancer": (without("pool.chat/balancer_ingress"), "network-access"),
    "the pool follows no figure": (without("pool.chat/tracking"), "scaling-signal"),
    "the image may change": (
        inputs(POOL_TEMPLATE, put("imageId", value="resolve:ssm:/aws/service/deeplearning/x")),
        "image-pinned",
    ),
}
"""What is broken of the quickstart, and the rule that says so."""

GCP: Mapping[str, tuple[Break, str]] = {
    "machines move at host maintenance": (
        inputs(f"{TRAINER}/template", put("scheduling", "onHostMaintenance", value="MIGRATE")),
        "gpu-maintenance",
    ),
    "the machine has a public address": (
        inputs(f"{TRAINER}/template", put("networkInterfaces", 0, "accessConfigs", value=[{}])),
        "public-address",
    ),
    "the bucket may be public": (
        inputs("bucket.data/bucket", put("publicAccessPrevention", value="inherited")),
        "bucket-private",
    ),
    "the bucket's objects go with it": (
        inputs("bucket.data/bucket", put("forceDestroy", value=True)),
        "force-destroy",
    ),
    "the machine may not read its bucket": (
        inputs(f"{TRAINER}/template", drop("serviceAccount")),
        "network-access",
    ),
    "the router stands in another region": (
        inputs(f"{TRAINER}/router", put("region", value="us-east1")),
        "network-access",
    ),
    "no NAT": (
        without(*(f"{TRAINER}/{part}" for part in ("nat", "nat_address", "router"))),
        "network-access",
    ),
    "the bucket keeps no versions": (
        inputs("bucket.data/bucket", put("versioning", "enabled", value=False)),
        "bucket-versioned",
    ),
    "keys of the project log in": (
        inputs(f"{TRAINER}/template", put("metadata", "enable-oslogin", value="FALSE")),
        "login-identity",
    ),
    "a new template reaches no machine": (
        inputs(f"{TRAINER}/group", drop("instanceLifecyclePolicy")),
        "machine-upkeep",
    ),
    "disks stay when machines go": (
        inputs(f"{TRAINER}/template", put("disks", 0, "autoDelete", value=False)),
        "machine-upkeep",
    ),
    "the machine has no virtual TPM": (
        inputs(f"{TRAINER}/template", put("shieldedInstanceConfig", "enableVtpm", value=False)),
        "secure-boot",
    ),
    "the internet may log in": (
        inputs(f"{TRAINER}/login_firewall", put("sourceRanges", value=["0.0.0.0/0"])),
        "open-login",
    ),
    "nothing expires in the bucket": (
        inputs("bucket.data/bucket", drop("lifecycleRules")),
        "bucket-lifecycle",
    ),
}
"""The same of a stack on Google Cloud."""

SCALE_SET = f"{TRAINER}/group"
PROFILE = "virtualMachineProfile"
NIC = (PROFILE, "networkProfile", "networkInterfaceConfigurations", 0)
ADDRESS = (*NIC, "ipConfigurations", 0, "publicIPAddressConfiguration")
OWNER = "/providers/Microsoft.Authorization/roleDefinitions/8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
"""https://learn.microsoft.com/azure/role-based-access-control/built-in-roles#owner"""

SUBSCRIPTION = "/subscriptions/5f0c1a52-8c54-4b3d-9d0e-2f6f3c1b7a10"


def no_versions(service: Any) -> None:
    """A blob service without versions and without soft delete."""
    service["isVersioningEnabled"] = False
    service["deleteRetentionPolicy"] = {"enabled": False}


def account(setting: str, value: object) -> Break:
    """The bucket's storage account with another setting."""
    return inputs("bucket.data/account", put(setting, value=value))


AZURE: Mapping[str, tuple[Break, str]] = {
    "the account serves plain HTTP": (account("enableHttpsTrafficOnly", False), "bucket-tls"),
    "blobs may be public": (account("allowBlobPublicAccess", True), "bucket-private"),
    "the account accepts TLS 1.0": (account("minimumTlsVersion", "TLS1_0"), "bucket-tls"),
    "the account accepts its keys": (account("allowSharedKeyAccess", True), "long-lived-key"),
    "the account has local users": (account("isLocalUserEnabled", True), "bucket-safeguards"),
    "no version expires": (without("bucket.data/lifecycle"), "bucket-lifecycle"),
    "the account keeps no versions": (
        inputs("bucket.data/blob_service", no_versions),
        "bucket-versioned",
    ),
    "the machines accept a password": (
        inputs(
            SCALE_SET,
            drop(PROFILE, "osProfile", "linuxConfiguration", "disablePasswordAuthentication"),
        ),
        "password-login",
    ),
    "temporary disks are not encrypted": (
        inputs(SCALE_SET, drop(PROFILE, "securityProfile", "encryptionAtHost")),
        "disk-encrypted",
    ),
    "the internet may log in": (
        inputs(f"{TRAINER}/firewall", put("securityRules", 0, "sourceAddressPrefix", value="*")),
        "open-login",
    ),
    "the machines have public addresses": (
        inputs(SCALE_SET, put(*ADDRESS, value={"name": "ip"})),
        "public-address",
    ),
    "no NAT gateway": (inputs(f"{TRAINER}/subnet", drop("natGateway")), "network-access"),
    "the machines own the subscription": (
        inputs(
            f"{TRAINER}/peers",
            lambda given: given.update(roleDefinitionId=OWNER, scope=SUBSCRIPTION),
        ),
        "administrator-role",
    ),
    "a regular machine has an eviction policy": (
        inputs(SCALE_SET, put(PROFILE, "priority", value="Regular")),
        "eviction-policy",
    ),
    "no spot price is accepted": (
        inputs(SCALE_SET, put(PROFILE, "billingProfile", "maxPrice", value=0.0)),
        "spot-settings",
    ),
    "the image is the latest": (
        inputs(
            SCALE_SET, put(PROFILE, "storageProfile", "imageReference", "version", value="latest")
        ),
        "image-pinned",
    ),
    "more machines start than train": (
        inputs(SCALE_SET, put("overprovision", value=True)),
        "machine-upkeep",
    ),
    "the machines do not end": (without(f"{TRAINER}/end"), "time-limit"),
}
"""The same of a stack on Azure."""

AZURE_FABRIC: Mapping[str, tuple[Break, str]] = {
    "several placement groups": (
        inputs(SCALE_SET, put("singlePlacementGroup", value=False)),
        "fabric-interfaces",
    ),
}
"""The same of machines with InfiniBand."""

CASES = [
    (stack, name, *case)
    for stack, cases in (
        ("quickstart", AWS),
        ("startup-gcp", GCP),
        ("startup-azure", AZURE),
        ("enterprise-azure", AZURE_FABRIC),
    )
    for name, case in cases.items()
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stack", "broken", "rule"),
    [(stack, broken, rule) for stack, _, broken, rule in CASES],
    ids=[f"{stack}: {name}" for stack, name, _, _ in CASES],
)
def test_what_is_broken_where_it_is_declared_is_found_in_the_stack_file(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, stack: str, broken: Break, rule: str
) -> None:
    declared = declared_stack.stack_graph
    before = gpuinfra("check", STACKS / stack)
    monkeypatch.setattr(observed_plan, "stack_graph", lambda *given: broken(declared(*given)))
    after = gpuinfra("check", STACKS / stack)

    assert rule in broken_rules(after.out) - broken_rules(before.out)


def test_a_spot_ceiling_above_the_budget_is_found(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, stack: Callable[..., Path]
) -> None:
    path = stack(("[spot, on-demand]", "spot"))
    above_cap = put("instanceMarketOptions", "spotOptions", "maxPrice", value="9.00")
    broken, declared = inputs(TEMPLATE, above_cap), declared_stack.stack_graph
    before = gpuinfra("check", path)
    monkeypatch.setattr(observed_plan, "stack_graph", lambda *given: broken(declared(*given)))
    after = gpuinfra("check", path)

    assert "cap-per-hour" in broken_rules(after.out) - broken_rules(before.out)


def broken_rules(out: str) -> set[str]:
    """The rules of which a line says that they do not hold."""
    lines = (line.split() for line in out.splitlines() if line.startswith(("✗ ", "! ")))
    return {words[1].rstrip(":") for words in lines}
