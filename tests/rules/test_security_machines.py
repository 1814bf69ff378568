"""Hops of metadata and secure boot, on raw resources of strangers on each cloud."""

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from gpuinfra.model import UNKNOWN, FileSystem, Safety
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.changed import aws, azure, gcp
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

both = pytest.mark.parametrize("moment", ["preview", "created"])


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


class TestBoot:
    RULE = "secure-boot"

    def test_nothing_turns_it_on_at_aws(self):
        assert verdicts(aws({}), self.RULE) == [
            ("not-applicable", "its machine type has no secure boot setting")
        ]

    @pytest.mark.parametrize(
        ("config", "outcome"),
        [
            (None, "violated"),
            ({"enableVtpm": True}, "violated"),
            ({"enableSecureBoot": False}, "violated"),
            ({"enableSecureBoot": True}, "fine"),
            ({"enableSecureBoot": UNKNOWN}, "not-knowable"),
        ],
    )
    def test_google_leaves_it_off_where_nobody_asks(self, config, outcome):
        (finding,) = findings(gcp({"shieldedInstanceConfig": config}), self.RULE)
        assert finding.outcome == outcome
        assert not finding.refuses

    @pytest.mark.parametrize(
        ("config", "outcome"),
        [
            ({"enableSecureBoot": False}, "noted"),
            ({"enableSecureBoot": True, "enableVtpm": False}, "violated"),
        ],
    )
    def test_of_a_stack_file_only_secure_boot_itself_is_noted(self, config, outcome):
        judged = replace(gcp({"shieldedInstanceConfig": config}), from_file=True)
        assert outcomes(judged, self.RULE) == [outcome]

    TRUSTED: ClassVar = {
        "securityType": "TrustedLaunch",
        "uefiSettings": {"secureBootEnabled": True},
    }

    @pytest.mark.parametrize(
        ("machine", "security", "outcome"),
        [
            ("Standard_ND96isr_H100_v5", TRUSTED, "fine"),
            ("Standard_ND96isr_H100_v5", None, "violated"),
            ("Standard_ND96isr_H100_v5", {"securityType": "TrustedLaunch"}, "violated"),
            (
                "Standard_ND96isr_H100_v5",
                {"uefiSettings": {"secureBootEnabled": True}},
                "violated",
            ),
            ("Standard_ND96isr_H100_v5", UNKNOWN, "not-knowable"),
            ("Standard_ND96asr_v4", None, "not-applicable"),
            ("Standard_ND96isr_MI300X_v5", None, "not-knowable"),
            ("Standard_ND96isr_MI300X_v5", TRUSTED, "fine"),
        ],
    )
    def test_azure_has_it_where_the_size_has_trusted_launch(self, machine, security, outcome):
        judged = azure({"securityProfile": security}, machine)
        assert outcomes(judged, self.RULE) == [outcome]

    def test_nodes_of_aks_have_a_flag_of_their_own(self):
        for flag, outcome in ((True, "fine"), (None, "violated")):
            program = AzureProgram()
            made = program.add(
                "azure-native:containerservice:ManagedCluster",
                "k8s",
                agentPoolProfiles=[
                    {
                        "name": "gpu",
                        "count": 1,
                        "vmSize": "Standard_NC24ads_A100_v4",
                        **({"securityProfile": {"enableSecureBoot": flag}} if flag else {}),
                    }
                ],
            )
            assert made.urn
            assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]


class TestFileSystems:
    RULE = "file-system-encrypted"

    @pytest.mark.parametrize(
        ("encrypted", "outcome", "words"),
        [
            (True, "fine", "encrypted at rest"),
            (False, "violated", "it is not declared as encrypted, and can't be encrypted later"),
            (UNKNOWN, "not-knowable", "its encryption at rest is unknown"),
        ],
    )
    def test_each_is_encrypted(self, encrypted, outcome, words):
        files = FileSystem(
            name="home", subject="urn", cloud="aws", kind="efs", region=None, encrypted=encrypted
        )
        assert verdicts(plan(file_systems=(files,)), self.RULE) == [(outcome, words)]

    def test_without_one_nothing_is_asked(self):
        assert outcomes(plan(), self.RULE) == ["not-applicable"]


class TestLogin:
    RULE = "open-login"

    @pytest.mark.parametrize(
        ("public", "words"),
        [(False, ", though it has no public address"), (True, ""), (UNKNOWN, "")],
    )
    def test_rules_of_another_stack_are_not_to_be_removed_here(self, public, words):
        hidden = group(safety=Safety(open_login=UNKNOWN, public_ip=public))
        (finding,) = findings(plan(hidden), self.RULE)
        told = "some inbound rules are outside this stack, or their source is unknown"
        assert finding.outcome == "not-knowable"
        assert finding.message == (
            f"it is unknown whether a login port is open to the internet{words}: {told}"
        )
        assert finding.fix.startswith("check the stack that declares its security groups")

    def test_open_rules_are_to_be_removed(self):
        (finding,) = findings(plan(group(safety=Safety(open_login=True))), self.RULE)
        assert (finding.outcome, finding.fix[:15]) == ("violated", "allow 0.0.0.0/0")


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


@pytest.mark.parametrize("moment", ["preview", "created"])
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
