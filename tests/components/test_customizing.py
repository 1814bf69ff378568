from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.components.customizing import as_mappings, merge_inputs, problems
from gpuinfra.components.register import class_of

KINDS = {
    "group": class_of("aws:autoscaling/group:Group"),
    "launch_template": class_of("aws:ec2/launchTemplate:LaunchTemplate"),
    "load_balancer": class_of("aws:lb/loadBalancer:LoadBalancer"),
    "role": class_of("aws:iam/role:Role"),
    "storage": class_of("aws:iam/rolePolicy:RolePolicy"),
}


def told(custom: Any) -> list[tuple[str, str]]:
    """Where something is wrong, and the word that was meant or what is allowed."""
    refused = problems("chat", as_mappings(custom), KINDS, Children.MARKS)
    return [
        (".".join(str(part) for part in problem.path[2:]), problem.suggestion or problem.allowed)
        for problem in refused
    ]


@pytest.mark.parametrize(
    ("custom", "where", "meant"),
    [
        (
            {"launch_template": {"metadata_options": {"http_tokenz": "x"}}},
            "launch_template.metadata_options.http_tokenz",
            "http_tokens",
        ),
        (
            {"launch_template": {"metadata_options": {"httpTokens": "x"}}},
            "launch_template.metadata_options.httpTokens",
            "http_tokens",
        ),
        (
            {"launch_template": {"network_interfaces": [{}, {"device_indx": 1}]}},
            "launch_template.network_interfaces.1.device_indx",
            "device_index",
        ),
        (
            {"launch_template": {"block_device_mappings": [{"ebs": {"volume_typ": "io2"}}]}},
            "launch_template.block_device_mappings.0.ebs.volume_typ",
            "volume_type",
        ),
        (
            {"group": {"mixed_instances_policy": {"launch_template": {"override": []}}}},
            "group.mixed_instances_policy.launch_template.override",
            "overrides",
        ),
        (
            {"launch_template": {"metadata_options": "x"}},
            "launch_template.metadata_options",
            "a mapping; its values may be outputs",
        ),
        (
            {"launch_template": {"metadata_options": pulumi.Output.from_input({})}},
            "launch_template.metadata_options",
            "a mapping; its values may be outputs",
        ),
        (
            {"launch_template": {"network_interfaces": {"device_index": 1}}},
            "launch_template.network_interfaces",
            "a list of mappings; their values may be outputs",
        ),
        ({"launch_template": "x"}, "launch_template", "a mapping of arguments"),
        ("x", "", "a mapping of arguments by child"),
        (
            {"launch_template": {"tags": None}},
            "launch_template.tags",
            "a mapping; its values may be outputs",
        ),
        ({"group": {"tags": None}}, "group.tags", "a list of mappings"),
        ({"group": {"tags": [{"value": "x"}]}}, "group.tags.0.key", "plain text"),
    ],
)
def test_what_no_argument_takes_is_said(custom: Any, where: str, meant: str) -> None:
    assert told(custom) == [(where, meant)]


@pytest.mark.parametrize(
    "custom",
    [
        {"launch_template": {"tags": {"gpuinfra:owner": "evil"}}},
        {"launch_template": {"tags": {"GPUinfra:owner": "evil"}}},
        {"group": {"tags": [{"key": "gpuinfra:owner", "value": "evil"}]}},
        {
            "launch_template": {
                "tag_specifications": [
                    {"resource_type": "instance", "tags": {"gpuinfra:owner": "evil"}}
                ]
            }
        },
    ],
)
def test_our_tags_are_nobody_elses_to_set(custom: Mapping[str, Any]) -> None:
    ((_, allowed),) = told(custom)

    assert allowed == "tags that do not start with gpuinfra:"


@pytest.mark.parametrize(
    "custom",
    [
        {"launch_template": {"metadata_options": {"http_tokens": pulumi.Output.from_input("x")}}},
        {
            "launch_template": {
                "metadata_options": aws.ec2.LaunchTemplateMetadataOptionsArgs(http_tokens="x")
            }
        },
        {"launch_template": {"metadata_options": None}},
        {"role": {"assume_role_policy": "{}"}},
        {"storage": {"policy": pulumi.Output.from_input("{}")}},
        {"load_balancer": {"tags": {"team": pulumi.Output.from_input("a")}}},
    ],
)
def test_what_the_sdk_takes_is_taken(custom: Mapping[str, Any]) -> None:
    assert told(custom) == []


def test_a_block_keeps_what_the_caller_leaves_out() -> None:
    own = {"options": {"tokens": "required", "hops": 1, "deep": {"a": 1, "b": 2}}, "size": 1}
    given = {"options": {"hops": 2, "deep": {"b": 3}}, "key": "k"}

    assert merge_inputs(own, given, Children.MARKS) == {
        "options": {"tokens": "required", "hops": 2, "deep": {"a": 1, "b": 3}},
        "size": 1,
        "key": "k",
    }
    assert own["options"] == {"tokens": "required", "hops": 1, "deep": {"a": 1, "b": 2}}


def test_a_list_replaces_and_nothing_takes_away() -> None:
    own = {"cards": [{"index": 0}, {"index": 1}], "market": {"kind": "spot"}, "size": 1}

    assert merge_inputs(own, {"cards": [{"index": 7}], "market": None}, Children.MARKS) == {
        "cards": [{"index": 7}],
        "size": 1,
    }


def test_lists_of_tags_are_joined_by_what_they_tag() -> None:
    own = {
        "tags": [{"key": "a", "value": "1"}, {"key": "b", "value": "2", "shown": True}],
        "tagSpecifications": [{"resourceType": "volume", "tags": {"a": "1"}}],
    }
    given = {
        "tags": [{"key": "b", "value": "3"}, {"key": "c", "value": "4"}],
        "tagSpecifications": [{"resourceType": "volume", "tags": {"c": "4"}}],
    }

    assert merge_inputs(own, given, Children.MARKS) == {
        "tags": [
            {"key": "a", "value": "1"},
            {"key": "b", "value": "3", "shown": True},
            {"key": "c", "value": "4"},
        ],
        "tagSpecifications": [{"resourceType": "volume", "tags": {"a": "1", "c": "4"}}],
    }
