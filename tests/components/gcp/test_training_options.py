"""Labels, resource options, customized children and outputs of training on Google Cloud."""

import json
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from gpuinfra.components.messages import ProgramError
from tests.components.gcp.training_clusters import REGION, cluster, of_type


def test_labels_reach_everything_that_takes_them(record) -> None:
    seen = record(lambda: cluster(tags={"cost-center": "42"}))
    ours = {
        "cost-center": "42",
        "gpuinfra-owner": "ml-platform",
        "gpuinfra-stack": "project",
        "gpuinfra-workload": "trainer",
    }
    labelled = [resource for resource in seen.resources if "labels" in resource.inputs]

    assert {resource.name for resource in labelled} == {"trainer-nat-address", "trainer-template"}
    assert all(resource.inputs["labels"] == ours for resource in labelled)
    assert seen.of("trainer-template").inputs["disks"][0]["labels"] == ours


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({"gpuinfra-owner": "evil"}, r"the label 'gpuinfra-owner' is reserved"),
        ({"Team": "a"}, r"the tag 'Team' is not a valid Google Cloud label.*use team"),
        ({"9": "a"}, r"the tag '9' is not a valid Google Cloud label.*use x-9"),
        (
            {"team": "R & D"},
            (
                r"the value of the tag 'team' is not a valid Google Cloud label value.*"
                r"given R & D.*use r-d"
            ),
        ),
        (["evil"], r"tags does not accept list; allowed: a mapping"),
    ],
)
def test_tags_that_are_no_labels_are_said(record, tags: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"trainer: {message}"):
        record(lambda: cluster(tags=tags))


def test_callers_provider_reaches_every_child_and_look_up(record) -> None:
    def program() -> None:
        provider = gcp.Provider("mine", project="my-project", region=REGION)
        cluster(opts=pulumi.ResourceOptions(provider=provider))

    seen = record(program)
    children = [resource for resource in seen.resources if resource.type.startswith("gcp:")]

    assert len(children) > 20
    assert {"pulumi:providers:gcp::mine" in resource.provider for resource in children} == {True}


def test_callers_protection_and_transformations_reach_every_child(record) -> None:
    def shout(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ != "gcp:compute/network:Network":
            return None
        return pulumi.ResourceTransformationResult({**args.props, "description": "!"}, args.opts)

    options = pulumi.ResourceOptions(protect=True, transformations=[shout])
    seen = record(lambda: cluster(opts=options))

    assert all(resource.protect for resource in seen.resources)
    assert {network.inputs.get("description") for network in of_type(seen, "Network")} == {"!"}


def test_children_are_customised_by_name(record) -> None:
    changes = {
        "template": {"labels": {"team": "a"}, "min_cpu_platform": "Intel Sapphire Rapids"},
        "group": {"description": "ours"},
        "rdma_network": {"mtu": 4096},
    }
    seen = record(lambda: cluster(customize=changes))
    template = seen.of("trainer-template").inputs

    assert template["labels"]["gpuinfra-workload"] == "trainer"
    assert (template["labels"]["team"], template["minCpuPlatform"]) == (
        "a",
        "Intel Sapphire Rapids",
    )
    assert seen.of("trainer-group").inputs["description"] == "ours"
    assert seen.of("trainer-rdma-network").inputs["mtu"] == 4096


def test_children_that_are_not_there_are_said(record) -> None:
    with pytest.raises(ProgramError, match=r"unknown child 'launch_template'.*template"):
        record(lambda: cluster(customize={"launch_template": {}}))
    with pytest.raises(ProgramError, match=r"no argument 'machine_typ'.*machine_type"):
        record(lambda: cluster(customize={"template": {"machine_typ": "x"}}))


def test_outputs_are_the_same_words_on_every_cloud(record) -> None:
    seen: list[Any] = []
    record(lambda: pulumi.Output.all(**cluster().pulumi_outputs()).apply(seen.append))
    (shown,) = seen

    assert shown["identity"].endswith("@my-project.iam.gserviceaccount.com")
    assert "/instanceTemplates/trainer-template-" in shown["templateId"]
    assert shown["groupName"].startswith("trainer-group-")
    assert json.dumps(shown).count("None") == 0
