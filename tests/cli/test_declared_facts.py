"""`check` of a stack file judges what is declared: one fact broken in it, and a finding says so."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.graph import ResourceGraph, expressions
from gpuinfra.planning import observing
from tests.cli.conftest import Run

STACKS = Path(__file__).parents[2] / "stacks"
Break = Callable[[ResourceGraph], ResourceGraph]


def inputs(key: str, change: Callable[[dict[str, Any]], None]) -> Break:
    """One resource with its inputs changed."""

    def broken(graph: ResourceGraph) -> ResourceGraph:
        resource = graph.resources[key]
        given = copied(resource.inputs)
        change(given)
        assert given != dict(resource.inputs)
        resources = {**graph.resources, key: replace(resource, inputs=given)}
        return replace(graph, resources=resources)

    return broken


def without(*keys: str) -> Break:
    """A graph without some resources that nothing refers to."""

    def broken(graph: ResourceGraph) -> ResourceGraph:
        left = {key: one for key, one in graph.resources.items() if key not in keys}
        assert len(left) == len(graph.resources) - len(keys)
        named = {getattr(one, "key", "") for r in left.values() for one in expressions(r.inputs)}
        assert not named & set(keys)
        return replace(graph, resources=left)

    return broken


def copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list | tuple) else value


def put(*path: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(given: Any) -> None:
        *above, last = path
        for step in above:
            given = given[step]
        given[last] = value

    return change


def drop(*path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(given: Any) -> None:
        *above, last = path
        for step in above:
            given = given[step]
        del given[last]

    return change


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
    "no placement group": (
        inputs(f"{TRAINER}/group", drop("placementGroup")),
        "fabric-placement",
    ),
    "no rule in from the group itself": (without(f"{TRAINER}/self_ingress"), "fabric-self-ingress"),
    "no rule out to the group itself": (without(f"{TRAINER}/self_egress"), "fabric-self-egress"),
    "the spot ceiling is above the budget": (
        inputs(
            TEMPLATE,
            put("instanceMarketOptions", "spotOptions", "maxPrice", value="9.00"),
        ),
        "cap-per-hour",
    ),
    "the bucket serves plain HTTP": (without("bucket.data/policy"), "bucket-tls"),
    "the bucket may be public": (
        inputs("bucket.data/public_access", put("blockPublicPolicy", value=False)),
        "bucket-private",
    ),
    "the bucket's encryption is not declared": (
        without("bucket.data/encryption"),
        "bucket-encrypted",
    ),
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
}
"""The same of a stack on Google Cloud."""

AZURE: Mapping[str, tuple[Break, str]] = {
    "the account serves plain HTTP": (
        inputs("bucket.data/account", put("enableHttpsTrafficOnly", value=False)),
        "bucket-tls",
    ),
    "blobs may be public": (
        inputs("bucket.data/account", put("allowBlobPublicAccess", value=True)),
        "bucket-private",
    ),
}
"""The same of a stack on Azure."""

CASES = [
    (stack, name, *case)
    for stack, cases in (("quickstart", AWS), ("startup-gcp", GCP), ("startup-azure", AZURE))
    for name, case in cases.items()
]


@pytest.mark.parametrize(
    ("stack", "broken", "rule"),
    [(stack, broken, rule) for stack, _, broken, rule in CASES],
    ids=[f"{stack}: {name}" for stack, name, _, _ in CASES],
)
def test_what_is_broken_where_it_is_declared_is_found_in_the_stack_file(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, stack: str, broken: Break, rule: str
) -> None:
    declared = observing.declared
    before = gpuinfra("check", STACKS / stack)
    monkeypatch.setattr(observing, "declared", lambda *given: broken(declared(*given)))
    after = gpuinfra("check", STACKS / stack)

    assert refused(before.out) == set()
    assert rule in refused(after.out) | advised(after.out)
    assert rule not in advised(before.out)


def refused(out: str) -> set[str]:
    return marked(out, "✗")


def advised(out: str) -> set[str]:
    return marked(out, "!")


def marked(out: str, mark: str) -> set[str]:
    lines = (line.split() for line in out.splitlines() if line.startswith(f"{mark} "))
    return {words[1].rstrip(":") for words in lines}
