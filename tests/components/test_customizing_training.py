"""Custom arguments for the children of a training cluster, as they reach the engine."""

from typing import Any

import pulumi_aws as aws
import pytest

from gpuinfra.components.messages import ProgramError
from tests.components.trainers import cluster


def test_customize_replaces_arguments_of_a_child(record) -> None:
    custom = {
        "launch_template": {"ebs_optimized": "true"},
        "group": {"health_check_grace_period": 60},
    }
    seen = record(lambda: cluster(customize=custom))

    assert seen.of("trainer-launch-template").inputs["ebsOptimized"] == "true"
    assert seen.of("trainer-group").inputs["healthCheckGracePeriod"] == 60


def test_customize_keeps_the_rest_of_a_block(record) -> None:
    blocks = [
        {"http_put_response_hop_limit": 2},
        aws.ec2.LaunchTemplateMetadataOptionsArgs(http_put_response_hop_limit=2),
    ]
    for block in blocks:
        custom = {"launch_template": {"metadata_options": block}}
        seen = record(lambda custom=custom: cluster(customize=custom))

        assert seen.of("trainer-launch-template").inputs["metadataOptions"] == {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 2,
        }


def test_customize_adds_tags_to_ours(record) -> None:
    custom = {
        "launch_template": {
            "tags": {"team": "a"},
            "tag_specifications": [{"resource_type": "volume", "tags": {"team": "b"}}],
        },
        "group": {"tags": [{"key": "team", "value": "c", "propagate_at_launch": True}]},
    }
    seen = record(lambda: cluster(customize=custom))
    template = seen.of("trainer-launch-template").inputs
    group = {tag["key"]: tag["value"] for tag in seen.of("trainer-group").inputs["tags"]}
    specified = {
        tag_specification["resourceType"]: tag_specification["tags"]
        for tag_specification in template["tagSpecifications"]
    }

    assert set(specified) == {"instance", "volume", "network-interface"}
    assert "team" not in specified["instance"]
    for tags, team in ((template["tags"], "a"), (specified["volume"], "b"), (group, "c")):
        assert (tags["team"], tags["gpuinfra:owner"]) == (team, "ml-platform")


@pytest.mark.parametrize(
    ("custom", "message"),
    [
        (
            {"lunch_template": {}},
            "unknown child 'lunch_template'.*did you mean launch_template?",
        ),
        (
            {"launch_template": {"user_dat": ""}},
            "child 'launch_template' has no argument 'user_dat'.*did you mean user_data?",
        ),
        (
            {"launch_template": {"metadata_options": {"http_tokenz": "x"}}},
            "no argument 'http_tokenz' in metadata_options.*did you mean http_tokens?",
        ),
        ({"metrics": {"role": "x"}}, "unknown child 'metrics'"),
    ],
)
def test_customize_refuses_what_does_not_exist(
    record, custom: dict[str, dict[str, Any]], message: str
) -> None:
    with pytest.raises(ProgramError, match=message):
        record(lambda: cluster(customize=custom))


def test_every_child_can_be_customized(record) -> None:
    plain = record(cluster)
    ours = {"gpuinfra:index:TrainingCluster", "pulumi:index:Stash"}
    names = [
        resource.name.removeprefix("trainer-").replace("-", "_")
        for resource in plain.resources
        if resource.type not in ours
    ]
    seen = record(lambda: cluster(customize={name: {} for name in names}))

    assert seen.golden() == plain.golden()
