from typing import Any

import pytest

from gpuinfra.sandbox.plugin import diff, schema
from gpuinfra.sandbox.plugin.aws.replaces import CONDITIONS
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.wire import UNKNOWN

AWS = schema.load("aws")
INSTANCE = "aws:ec2/instance:Instance"


def kind(**given: Any) -> ResourceType:
    values: dict[str, Any] = {
        "token": "x:y:Z",
        "inputs": {},
        "required": frozenset(),
        "immutable": (),
        "computed": (),
        "provider_fills": frozenset(),
        "secret_outputs": frozenset(),
        "id_form": "z-<17 hex>",
    }
    return ResourceType(**{**values, **given})


def compared(
    old: dict[str, Any], new: dict[str, Any], **given: Any
) -> dict[str, tuple[str, bool]]:
    changes = diff.compare(kind(**given), old, new, {})
    return {change.text: (change.kind, change.replaces) for change in changes}


def test_equal_inputs_have_no_changes() -> None:
    assert compared({"a": [1, {"b": "c"}]}, {"a": [1, {"b": "c"}]}) == {}


def test_each_change_names_its_own_path() -> None:
    old = {"a": {"b": 1, "c": 2}, "d": [1, 2], "tags": {"x/y": "1"}}
    new = {"a": {"b": 9, "c": 2}, "d": [1, 2, 3], "tags": {"x/y": "2"}}

    assert compared(old, new) == {
        "a.b": ("update", False),
        "d[2]": ("add", False),
        'tags["x/y"]': ("update", False),
    }


def test_an_input_that_the_cloud_fills_is_no_change_when_unset() -> None:
    assert compared({"a": 1, "b": 1}, {}, provider_fills=frozenset("a")) == {
        "b": ("delete", False)
    }


def test_an_unknown_may_be_a_change() -> None:
    assert compared({"a": "x"}, {"a": UNKNOWN}) == {"a": ("update", False)}


def test_documents_are_compared_by_what_they_say() -> None:
    assert compared({"p": '{"a": 1, "b": 2}'}, {"p": '{"b":2,"a":1}'}) == {}
    assert compared({"p": '{"a": 1}'}, {"p": '{"a": 2}'}) == {"p": ("update", False)}


def test_true_is_not_one() -> None:
    assert compared({"a": True}, {"a": 1}) == {"a": ("update", False)}


@pytest.mark.parametrize(
    ("pattern", "old", "new", "replaced"),
    [
        ("a", {"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b"]),
        ("a.b", {"a": {"b": 1, "c": 1}}, {"a": {"b": 1, "c": 2}}, []),
        ("a.b", {"a": {"b": 1, "c": 1}}, {"a": {"b": 2, "c": 1}}, ["a.b"]),
        ("a.b", {}, {"a": {"b": 1}}, ["a"]),
        ("a.b", {}, {"a": {"c": 1}}, []),
        ("a[].b", {"a": [{"b": 1, "c": 1}]}, {"a": [{"b": 2, "c": 2}]}, ["a[0].b"]),
        ("a[].b", {"a": []}, {"a": [{"b": 1}]}, ["a[0]"]),
        ("a#", {"a": {"b": 1}}, {"a": {"b": 2}}, []),
        ("a#", {}, {"a": {"b": 2}}, ["a"]),
        ("a#", {"a": [1]}, {"a": [1, 2]}, ["a[1]"]),
        ("ab", {"a": 1}, {"a": 2}, []),
    ],
)
def test_a_change_replaces_exactly_where_the_pattern_says(
    pattern: str, old: dict[str, Any], new: dict[str, Any], replaced: list[str]
) -> None:
    changes = compared(old, new, immutable=(pattern,))

    assert [path for path, (_, replaces) in changes.items() if replaces] == replaced


@pytest.mark.parametrize("token", AWS.tokens)
def test_every_immutable_input_of_every_type_replaces(token: str) -> None:
    known = AWS.type(token)
    assert known is not None
    plain = [
        path
        for path in known.immutable
        if path in known.inputs and path not in CONDITIONS.get(token, {})
    ]
    for path in plain:
        old, new = {path: "one"}, {path: "two"}
        changes = diff.compare(known, old, new, CONDITIONS.get(token, {}))
        assert [change.replaces for change in changes] == [True], path


@pytest.mark.parametrize(
    ("token", "old", "new", "replaces"),
    [
        (INSTANCE, {"userData": "a"}, {"userData": "b"}, False),
        (INSTANCE, {"userData": "a"}, {"userData": "b", "userDataReplaceOnChange": True}, True),
        (
            INSTANCE,
            {"launchTemplate": {"id": "lt", "version": "1"}},
            {"launchTemplate": {"id": "lt", "version": "2"}},
            True,
        ),
        (
            "aws:ec2/vpc:Vpc",
            {"instanceTenancy": "dedicated"},
            {"instanceTenancy": "default"},
            False,
        ),
        (
            "aws:ec2/vpc:Vpc",
            {"instanceTenancy": "default"},
            {"instanceTenancy": "dedicated"},
            True,
        ),
        ("aws:ec2/vpc:Vpc", {"cidrBlock": "a"}, {"cidrBlock": "b"}, True),
        (
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            {"cidrIpv4": "10.0.0.0/8"},
            {"cidrIpv4": "10.0.0.0/16"},
            False,
        ),
        (
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            {"cidrIpv4": "10.0.0.0/8"},
            {"referencedSecurityGroupId": "sg-1"},
            True,
        ),
        ("aws:ssm/parameter:Parameter", {"tier": "Advanced"}, {"tier": "Standard"}, True),
        ("aws:ssm/parameter:Parameter", {"tier": "Standard"}, {"tier": "Advanced"}, False),
        (
            "aws:lb/loadBalancer:LoadBalancer",
            {"subnets": ["a", "b"]},
            {"subnets": ["a", "c"]},
            False,
        ),
        (
            "aws:lb/loadBalancer:LoadBalancer",
            {"subnets": ["a", "b"], "loadBalancerType": "network"},
            {"subnets": ["a", "c"], "loadBalancerType": "network"},
            True,
        ),
        (
            "aws:fsx/lustreFileSystem:LustreFileSystem",
            {"storageCapacity": 2400},
            {"storageCapacity": 1200},
            True,
        ),
        (
            "aws:fsx/lustreFileSystem:LustreFileSystem",
            {"storageCapacity": 1200},
            {"storageCapacity": 2400},
            False,
        ),
    ],
)
def test_a_condition_decides_whether_it_replaces(
    token: str, old: dict[str, Any], new: dict[str, Any], replaces: bool
) -> None:
    changes = diff.compare(AWS.type(token), old, new, CONDITIONS[token])

    assert any(change.replaces for change in changes) is replaces


def test_a_launch_template_changes_in_place() -> None:
    changes = diff.compare(
        AWS.type("aws:ec2/launchTemplate:LaunchTemplate"),
        {"instanceType": "a", "networkInterfaces": [{"deviceIndex": 0}]},
        {"instanceType": "b", "networkInterfaces": []},
        {},
    )

    assert changes
    assert not any(change.replaces for change in changes)
