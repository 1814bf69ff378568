"""Reading for a refresh and for an import: which inputs would give what stands."""

from typing import Any

import pytest

from gpuinfra.sandbox.plugin import provider
from gpuinfra.sandbox.plugin.aws.cloud import cloud
from gpuinfra.sandbox.plugin.contract import OperationTarget
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings

RESOURCES = Resources(cloud(), None, ProviderSettings(place="us-east-1"))  # type: ignore[arg-type]
VPC = "aws:ec2/vpc:Vpc"
ROLE = "aws:iam/role:Role"
GROUP = "aws:autoscaling/group:Group"


def read(token: str, now: dict[str, Any], known: dict[str, Any], inputs: dict[str, Any]) -> Any:
    target = OperationTarget(f"urn:pulumi:dev::p::{token}::x", token, "x")
    return provider.inputs_read(RESOURCES, target, now, known, inputs)


def test_nothing_changed_gives_the_same_inputs() -> None:
    inputs = {"cidrBlock": "10.0.0.0/16", "__defaults": []}
    state = {"cidrBlock": "10.0.0.0/16", "enableDnsSupport": True, "arn": "arn"}

    assert read(VPC, state, state, inputs) == inputs


def test_a_changed_input_is_read_as_it_is() -> None:
    inputs = {"tags": {"a": "1"}}
    state = {"tags": {"a": "1"}, "tagsAll": {"a": "1"}}

    assert read(VPC, {**state, "tags": {"a": "2", "b": "3"}}, state, inputs) == {
        "tags": {"a": "2", "b": "3"}
    }


def test_an_input_that_nobody_set_and_somebody_changed_shows() -> None:
    state = {"cidrBlock": "c", "enableDnsSupport": True}

    seen = read(VPC, {"cidrBlock": "c", "enableDnsSupport": False}, state, {"cidrBlock": "c"})

    assert seen == {"cidrBlock": "c", "enableDnsSupport": False}


def test_what_the_cloud_fills_does_not_show() -> None:
    state = {"minSize": 1, "maxSize": 3, "desiredCapacity": 1}
    inputs = {"minSize": 1, "maxSize": 3}

    assert read(GROUP, {**state, "desiredCapacity": 2}, state, inputs) == inputs


def test_a_tag_added_to_what_had_none_shows() -> None:
    state = {"cidrBlock": "c"}

    seen = read(VPC, {"cidrBlock": "c", "tags": {"x": "y"}}, state, {"cidrBlock": "c"})

    assert seen["tags"] == {"x": "y"}


def test_nested_inputs_keep_to_what_was_given() -> None:
    inputs = {"launchTemplate": {"id": "lt-1"}}
    state = {"launchTemplate": {"id": "lt-1", "name": "n", "version": "1"}}
    now = {"launchTemplate": {"id": "lt-2", "name": "m", "version": "1"}}

    assert read(GROUP, now, state, inputs) == {"launchTemplate": {"id": "lt-2"}}


def test_another_order_of_a_set_is_no_drift() -> None:
    inputs = {"vpcZoneIdentifiers": ["a", "b"]}
    state = {"vpcZoneIdentifiers": ["a", "b"]}

    assert read(GROUP, {"vpcZoneIdentifiers": ["b", "a"]}, state, inputs) == inputs


def test_an_import_leaves_out_defaults_and_what_is_computed() -> None:
    now = {
        "name": "r",
        "assumeRolePolicy": "{}",
        "path": "/",
        "maxSessionDuration": 3600,
        "forceDetachPolicies": False,
        "arn": "arn",
        "description": "",
        "tags": {},
    }

    assert read(ROLE, now, {}, {}) == {"name": "r", "assumeRolePolicy": "{}"}


@pytest.mark.parametrize("kept", ["arn", "ownerId", "defaultSecurityGroupId"])
def test_a_preview_of_an_update_keeps_what_was_computed(kept: str) -> None:
    target = OperationTarget(f"urn:pulumi:dev::p::{VPC}::x", VPC, "x")

    seen = provider.preview_outputs(RESOURCES, target, {"cidrBlock": "c"}, {kept: "old", "x": 1})

    assert seen[kept] == "old"
    assert "x" not in seen
