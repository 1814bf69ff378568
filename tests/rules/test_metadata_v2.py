"""A token for instance metadata."""

import pytest

from gpuinfra.model import UNKNOWN, Safety
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

AMAZON_LINUX = "resolve:ssm:/aws/service/ami-amazon-linux-latest"


class TestMetadataOfNodeGroups:
    RULE = "metadata-v2"

    def outcome(self, template=None, defaults=None, moment="created", **inputs):
        program = Program()
        if defaults is not None:
            kind = "aws:ec2/instanceMetadataDefaults:InstanceMetadataDefaults"
            program.add(kind, "defaults", **defaults)
        if template is not None:
            made = program.add("aws:ec2/launchTemplate:LaunchTemplate", "template", **template)
            inputs["launchTemplate"] = {"id": made.id, "version": "$Latest"}
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "pool",
            instanceTypes=["g6.xlarge"],
            scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
            **inputs,
        )
        judged = findings(of_resources(program.resources(moment)), self.RULE)
        (outcome,) = (each.outcome for each in judged if each.subject.endswith("pool"))
        return outcome

    @both
    @pytest.mark.parametrize(
        ("family", "outcome"),
        [
            ("AL2023_x86_64_NVIDIA", "fine"),
            ("AL2023_ARM_64_STANDARD", "fine"),
            ("AL2_x86_64_GPU", "violated"),
            ("BOTTLEROCKET_x86_64_NVIDIA", "not-knowable"),
            ("WINDOWS_FULL_2022_x86_64", "not-knowable"),
            (UNKNOWN, "not-knowable"),
            (None, "not-knowable"),
        ],
    )
    def test_the_image_that_eks_takes_decides_without_a_template(self, family, outcome, moment):
        given = {} if family is None else {"amiType": family}
        assert self.outcome(**given, moment=moment) == outcome
        assert self.outcome(template={}, **given, moment=moment) == outcome

    @pytest.mark.parametrize(
        ("defaults", "family", "outcome"),
        [
            ({"httpTokens": "required"}, "AL2_x86_64_GPU", "fine"),
            ({"httpTokens": "optional"}, "AL2023_x86_64_NVIDIA", "violated"),
            ({"httpTokens": "no-preference"}, "AL2023_x86_64_NVIDIA", "fine"),
            ({"httpTokens": UNKNOWN}, "AL2_x86_64_GPU", "not-knowable"),
            ({"httpTokens": "required", "region": "eu-west-1"}, "AL2_x86_64_GPU", "violated"),
        ],
    )
    def test_the_accounts_default_of_the_region_comes_before_the_image(
        self, defaults, family, outcome
    ):
        assert self.outcome(defaults=defaults, amiType=family) == outcome

    @pytest.mark.parametrize(
        ("template", "outcome"),
        [
            ({"metadataOptions": {"httpTokens": "optional"}}, "violated"),
            ({"metadataOptions": {"httpTokens": "required"}}, "fine"),
            ({"metadataOptions": {"httpTokens": UNKNOWN}}, "not-knowable"),
            ({"metadataOptions": {"httpPutResponseHopLimit": 2}}, "fine"),
            ({"imageId": "ami-1"}, "violated"),
            ({"imageId": UNKNOWN}, "not-knowable"),
            ({"imageId": f"{AMAZON_LINUX}/al2023-ami-kernel-default-x86_64"}, "fine"),
            ({"imageId": f"{AMAZON_LINUX}/amzn2-ami-kernel-5.10-hvm-x86_64-gp2"}, "violated"),
        ],
    )
    def test_what_a_template_states_decides(self, template, outcome):
        assert self.outcome(template, amiType="AL2023_x86_64_NVIDIA") == outcome

    def test_the_default_of_the_account_counts_until_a_template_states_another(self):
        demanded = {"httpTokens": "required"}
        assert self.outcome(defaults=demanded) == "fine"
        assert self.outcome({"imageId": "ami-1"}, demanded) == "fine"
        assert self.outcome({"imageId": "ami-1"}, {"httpTokens": "no-preference"}) == "violated"
        optional = {"metadataOptions": {"httpTokens": "optional"}}
        assert self.outcome(optional, demanded) == "violated"


@pytest.mark.parametrize(
    ("metadata_v2", "outcome"),
    [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")],
)
def test_machines_require_a_token(metadata_v2, outcome):
    assert outcomes(plan(group(safety=Safety(metadata_v2=metadata_v2))), "metadata-v2") == [
        outcome
    ]


def test_without_machines_metadata_v2_does_not_apply():
    assert outcomes(plan(), "metadata-v2") == ["not-applicable"]


@pytest.mark.parametrize(("image", "outcome"), [(UNKNOWN, "not-knowable"), ("ami-1", "violated")])
def test_an_image_that_is_not_known_yet_may_require_a_token(image, outcome):
    program = Program()
    program.add("aws:ec2/instance:Instance", "box", ami=image, instanceType="g6.xlarge")
    resources = {
        "type": "EC2",
        "maxVcpus": 4,
        "instanceTypes": ["g6.xlarge"],
        "ec2Configurations": [{"imageIdOverride": image, "imageType": "ECS_AL2023_NVIDIA"}],
    }
    program.add(
        "aws:batch/computeEnvironment:ComputeEnvironment", "jobs", computeResources=resources
    )
    assert outcomes(of_resources(program.resources()), "metadata-v2") == [outcome] * 2
