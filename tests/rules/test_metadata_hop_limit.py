"""Hops of the metadata service."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.changed import aws, azure, gcp
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

HIDDEN_HOPS = "the metadata hop limit is unknown: the image or account may set it"


class TestHops:
    RULE = "metadata-hop-limit"

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({}, ("not-knowable", HIDDEN_HOPS)),
            ({"httpPutResponseHopLimit": 1}, ("fine", "metadata hop limit 1")),
            (
                {"httpPutResponseHopLimit": 2},
                ("violated", "metadata hop limit 2, allowed: 1"),
            ),
            (
                {"httpPutResponseHopLimit": 64.0},
                ("violated", "metadata hop limit 64, allowed: 1"),
            ),
            (
                {"httpPutResponseHopLimit": UNKNOWN},
                ("not-knowable", HIDDEN_HOPS),
            ),
            (
                {"httpEndpoint": "disabled", "httpPutResponseHopLimit": 2},
                ("not-applicable", "its cloud has no metadata hop limit"),
            ),
        ],
    )
    def test_metadata_answers_one_hop_far(self, options, expected):
        assert verdicts(aws({"metadataOptions": options}), self.RULE) == [expected]

    def test_a_hidden_template_may_say_anything(self):
        assert outcomes(aws({"metadataOptions": UNKNOWN}), self.RULE) == ["not-knowable"]

    @pytest.mark.parametrize(("most", "outcome"), [(1, "violated"), (2, "fine")])
    def test_containers_may_be_allowed_a_second_hop(self, most, outcome):
        judged = aws({"metadataOptions": {"httpPutResponseHopLimit": 2}})
        assert outcomes(judged, self.RULE, {"maximum": most}) == [outcome]

    def test_it_advises_since_containers_may_need_it(self):
        (finding,) = findings(aws({"metadataOptions": {"httpPutResponseHopLimit": 2}}), self.RULE)
        assert not finding.refuses

    @pytest.mark.parametrize("judged", [gcp({}), azure({})])
    def test_other_clouds_have_no_such_setting(self, judged):
        assert outcomes(judged, self.RULE) == ["not-applicable"]

    def test_eks_writes_the_template_of_a_group_that_names_none(self):
        program = Program()
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "pool",
            instanceTypes=["g6.xlarge"],
            scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
        )
        judged = of_resources(program.resources())
        assert outcomes(judged, self.RULE) == ["not-knowable"]
        assert outcomes(plan(), self.RULE) == ["not-applicable"]


NODES = "aws:eks/nodeGroup:NodeGroup"
BATCH = "aws:batch/computeEnvironment:ComputeEnvironment"


def hosts(platform: str, limit: int, moment: Any = "created") -> Any:
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "node",
        instanceType="g6.xlarge",
        metadataOptions={"httpPutResponseHopLimit": limit},
    )
    launch = {"id": template.id, "version": "$Latest"}
    if platform == "eks":
        scaling = {"minSize": 0, "maxSize": 1, "desiredSize": 0}
        program.add(NODES, "nodes", launchTemplate=launch, scalingConfig=scaling)
    elif platform == "batch":
        resources = {"type": "EC2", "maxVcpus": 4, "instanceTypes": ["g6.xlarge"]}
        resources |= {"launchTemplate": {"launchTemplateId": template.id, "version": "$Latest"}}
        program.add(BATCH, "jobs", type="MANAGED", computeResources=resources)
    else:
        group = program.add(
            "aws:autoscaling/group:Group", "group", minSize=0, maxSize=1, launchTemplate=launch
        )
        if platform == "ecs":
            given = {"autoScalingGroupArn": group.out("arn")}
            provider = "aws:ecs/capacityProvider:CapacityProvider"
            program.add(provider, "provider", autoScalingGroupProvider=given)
    return of_resources(program.resources(moment))


@both
@pytest.mark.parametrize(
    ("platform", "limit", "outcome"),
    [
        ("eks", 2, "fine"),
        ("eks", 3, "violated"),
        ("batch", 2, "fine"),
        ("ecs", 2, "fine"),
        ("own", 2, "violated"),
    ],
)
def test_machines_of_a_container_platform_may_have_a_second_hop(platform, limit, outcome, moment):
    assert outcomes(hosts(platform, limit, moment), "metadata-hop-limit") == [outcome]


def test_the_second_hop_of_containers_is_a_setting():
    judged = hosts("eks", 2)

    assert outcomes(judged, "metadata-hop-limit", {"containers": 1}) == ["violated"]
