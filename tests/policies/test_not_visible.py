"""Each line of "What no policy can see" in policies/README.md, shown by an update let through."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra.crossguard import existing_resources, pack, policies
from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.model import Resource
from tests.crossguard.wire import ACCEPTED, Engine, provider, urn

README = Path(__file__).parents[2] / "policies" / "README.md"

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
ACTIONS = "azure-native:monitor:ActionGroup"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
GCP_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
GCP_GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"

LARGE = {"instanceType": "p5.48xlarge", "associatePublicIpAddress": False}
SMALL = {**LARGE, "instanceType": "g6.xlarge"}
ON_TEMPLATE = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": "lt-1", "version": "$Latest"}}
VERSIONS = {"latestVersion": 1, "defaultVersion": 1}
OPTIONS = frozenset(proto.AnalyzerResourceOptions.DESCRIPTOR.fields_by_name)

Run = Callable[..., Engine]


def stands(kind: str, name: str, inputs: Mapping[str, Any], **outputs: Any) -> ExistingResource:
    return ExistingResource(
        resource=Resource(
            urn=urn(kind, name), type=kind, name=name, inputs=inputs, outputs=outputs,
            region="us-east-1",
        )
    )  # fmt: skip


@pytest.fixture
def update(monkeypatch) -> Run:
    """An update under a cap of one p5.48xlarge (55.04 USD/h), with a state."""

    def start(*standing: ExistingResource) -> Engine:
        served: list[Any] = []
        monkeypatch.setattr(policies, "serve", served.append)
        monkeypatch.setattr(existing_resources, "existing_resources", lambda _: standing)
        pack("tried", ["cap-per-hour"])
        return Engine(
            *served, {"settings": {**ACCEPTED, "budget": {"per_hour": 60}}}, dry_run=False
        )

    return start


def replaced_by_an_option_of_the_command_line(update: Run, _: pytest.MonkeyPatch) -> None:
    run = update(stands(INSTANCE, "a", LARGE, id="i-1"))
    assert run.show(INSTANCE, "a", LARGE) == {}
    assert "replace" not in {option.lower() for option in OPTIONS}


def replaced_by_an_option_of_this_update(update: Run, _: pytest.MonkeyPatch) -> None:
    run = update(stands(INSTANCE, "a", LARGE, id="i-1"))
    assert run.show(INSTANCE, "a", {**LARGE, "tags": {"a": "b"}}) == {}
    assert "replaceOnChanges" not in OPTIONS


def replaced_by_an_import(update: Run, _: pytest.MonkeyPatch) -> None:
    """The old one stands until the update ends, and what comes after is counted without it."""
    run = update(stands(INSTANCE, "a", LARGE, id="i-1"))
    assert run.show(INSTANCE, "a", LARGE) == {}
    assert run.show(INSTANCE, "b", SMALL) == {}
    assert OPTIONS.isdisjoint({"import", "importId", "id"})


def retained(update: Run, _: pytest.MonkeyPatch) -> None:
    kept = stands(INSTANCE, "a", LARGE, id="i-1")
    assert "cap-per-hour" in update(kept).show(INSTANCE, "b", LARGE)
    assert update().show(INSTANCE, "b", LARGE) == {}
    assert OPTIONS.isdisjoint({"retainOnDelete", "deletedWith", "stateMigrations"})


def started_before_the_template_changed(update: Run, _: pytest.MonkeyPatch) -> None:
    group = stands(GROUP, "workers", ON_TEMPLATE, id="workers")
    run = update(stands(TEMPLATE, "lt", LARGE, id="lt-1", **VERSIONS), group)
    run.show(TEMPLATE, "lt", SMALL)
    assert "cap-per-hour" in run.show(INSTANCE, "b", LARGE)
    later = {"latestVersion": 2, "defaultVersion": 1}
    run = update(stands(TEMPLATE, "lt", SMALL, id="lt-1", **later), group)
    assert run.show(INSTANCE, "b", LARGE) == {}


def added_by_eks_in_an_update(update: Run, _: pytest.MonkeyPatch) -> None:
    """EKS raises the group's maximum for a while, by twice its zones and more:
    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
    """
    sizes = {"minSize": 1, "maxSize": 1, "desiredSize": 1}
    nodes = {"clusterName": "c", "instanceTypes": ["p5.48xlarge"], "scalingConfig": sizes}
    old = {**nodes, "version": "1.33"}
    run = update(stands(NODE_GROUP, "nodes", old, id="c:nodes"))
    assert run.show(NODE_GROUP, "nodes", {**nodes, "version": "1.34"}) == {}


def left_by_an_autoscaler(update: Run, _: pytest.MonkeyPatch) -> None:
    template = stands(GCP_TEMPLATE, "t", {"machineType": "a3-highgpu-8g"}, id="t-1")
    sizeless = {"zone": "us-central1-a", "versions": [{"instanceTemplate": "t-1"}]}
    run = update(template, stands(GCP_GROUP, "pool", sizeless, id="pool"))
    assert run.show(INSTANCE, "b", LARGE) == {}


def paid_by_an_image(update: Run, _: pytest.MonkeyPatch) -> None:
    """An image's id says nothing of the licence that it is billed with."""
    run = update()
    assert run.show(INSTANCE, "a", {**LARGE, "ami": "ami-0123456789abcdef0"}) == {}


def started_by_a_role(update: Run, _: pytest.MonkeyPatch) -> None:
    """A function may start what stands stopped; one that makes machines is refused."""
    for action, refused in (("ec2:StartInstances", set()), ("ec2:RunInstances", {"cap-per-hour"})):
        run = update()
        may = {"Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]}
        inputs = {"inlinePolicies": [{"name": "p", "policy": json.dumps(may)}]}
        arn = "arn:aws:iam::123456789012:role/r"
        run.show("aws:iam/role:Role", "r", inputs, {"arn": arn, "name": "r"})
        run.show("aws:lambda/function:Function", "f", {"role": arn}, sources={"role": "r"})
        assert {*run.end()} == refused


def called_elsewhere(update: Run, _: pytest.MonkeyPatch) -> None:
    """What answers there may start machines by rights that are given elsewhere."""
    run = update()
    hook = {"name": "ops", "serviceUri": "https://hooks.example.com/x"}
    assert run.show(ACTIONS, "it", {"enabled": True, "webhookReceivers": [hook]}) == {}


def done_by_code(update: Run, _: pytest.MonkeyPatch) -> None:
    run = update()
    elsewhere = provider(region="us-east-1", pluginDownloadURL="https://example.com")
    assert run.show(INSTANCE, "a", SMALL, given=elsewhere) == {}
    assert "hooks" not in OPTIONS


def changed_outside(update: Run, _: pytest.MonkeyPatch) -> None:
    """A console made the machine a larger one; the state does not have that yet."""
    run = update(stands(INSTANCE, "a", SMALL, id="i-1"))
    assert run.show(INSTANCE, "b", LARGE) == {}


def versions_made_outside(update: Run, _: pytest.MonkeyPatch) -> None:
    """The console's version 2 has a larger machine, and the group starts the latest."""
    group = stands(GROUP, "workers", ON_TEMPLATE, id="workers")
    run = update(stands(TEMPLATE, "lt", SMALL, id="lt-1", **VERSIONS), group)
    assert run.show(INSTANCE, "b", LARGE) == {}


def of_other_stacks(_: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    exported: list[str] = []

    def export(name: str, *_: str) -> str:
        exported.append(name)
        return '{"version": 3, "deployment": {}}'

    monkeypatch.setattr(existing_resources, "_export", export)
    monkeypatch.delenv("PULUMI_ORGANIZATION", raising=False)
    assert existing_resources.existing_resources(urn(INSTANCE, "a")) == ()
    assert exported == ["organization/proj/dev"]


CASES = {
    "`--replace`, `--target-replace`": replaced_by_an_option_of_the_command_line,
    "a `replace_on_changes` that this update adds": replaced_by_an_option_of_this_update,
    "an `import` in place of a resource that the stack has": replaced_by_an_import,
    "a resource that leaves the state and not the cloud: by `retain_on_delete`, `deleted_with`, "
    "a state migration, or a `get` in its place": retained,
    "machines that a group started before its template changed": (
        started_before_the_template_changed
    ),
    "machines that EKS adds while it updates a node group's version": added_by_eks_in_an_update,
    "machines of a managed instance group without a size, after its autoscaler is removed": (
        left_by_an_autoscaler
    ),
    "what an image brings that only its id names: a licence, a paid product, or disks": (
        paid_by_an_image
    ),
    "stopped machines that a role of the stack may start again": started_by_a_role,
    "what answers a plain webhook outside of the clouds' automation": called_elsewhere,
    "what the program's own code and hooks do, and a plugin of another `plugin_download_url`": (
        done_by_code
    ),
    "changes made outside of Pulumi": changed_outside,
    "versions of a launch template made outside of Pulumi": versions_made_outside,
    "resources of other stacks": of_other_stacks,
}


def lines() -> list[str]:
    """The first cell of each line of the table."""
    text = README.read_text().partition("## What no policy can see")[2].partition("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [row.split(" | ")[0].removeprefix("| ") for row in rows[2:]]


def test_every_line_of_the_table_has_its_case():
    assert lines() == list(CASES)


@pytest.mark.parametrize("line", CASES)
def test_a_line_of_the_table_is_shown_by_its_case(line, update, monkeypatch):
    CASES[line](update, monkeypatch)
