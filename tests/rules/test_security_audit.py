"""Login, roles and disks of raw resources that stand beside a machine, on AWS."""

from typing import Any, ClassVar

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.rules import RULES
from tests.rules.cases import gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.cluster import cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes, plan
from tests.rules.cases.program import Moment, Program
from tests.rules.cases.verdicts import verdicts

both = pytest.mark.parametrize("moment", ["preview", "created"])


class TestLogin:
    RULE = "open-login"

    def opened(self, moment: Moment = "created", **rule: Any) -> list[str]:
        case = cluster()
        case.program.add(
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            "extra",
            securityGroupId=case.group.id,
            **{"ipProtocol": "tcp", "fromPort": 22, "toPort": 22, **rule},
        )
        return outcomes(of_resources(case.program.resources(moment)), self.RULE)

    @pytest.mark.parametrize(
        ("rule", "outcome"),
        [
            ({"cidrIpv4": "0.0.0.0/0"}, "violated"),
            ({"cidrIpv6": "::/0"}, "violated"),
            ({"cidrIpv4": "0.0.0.0/1"}, "violated"),
            ({"cidrIpv4": "0.0.0.0/0", "fromPort": 0, "toPort": 1024}, "violated"),
            ({"cidrIpv4": "0.0.0.0/0", "ipProtocol": "-1"}, "violated"),
            ({"cidrIpv4": "0.0.0.0/0", "fromPort": 443, "toPort": 443}, "fine"),
            ({"cidrIpv4": "203.0.113.0/24"}, "fine"),
            ({"prefixListId": "pl-12345678"}, "not-knowable"),
            ({"prefixListId": "pl-1", "fromPort": 443, "toPort": 443}, "fine"),
        ],
    )
    def test_a_rule_opens_login_or_not(self, rule, outcome):
        assert self.opened(**rule) == [outcome]

    @pytest.mark.parametrize(("blocks", "outcome"), [(40, "violated"), (4, "fine")])
    def test_rules_that_are_the_internet_together_open_login(self, blocks, outcome):
        case = cluster()
        for first in range(20, 20 + blocks):
            case.program.add(
                "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
                f"extra{first}",
                securityGroupId=case.group.id,
                ipProtocol="tcp",
                fromPort=22,
                toPort=22,
                cidrIpv4=f"{first}.0.0.0/8",
            )
        assert outcomes(of_resources(case.program.resources()), self.RULE) == [outcome]

    @both
    @pytest.mark.parametrize(
        ("cidr", "outcome"), [("0.0.0.0/0", "violated"), ("10.0.0.0/8", "fine")]
    )
    @pytest.mark.parametrize("inline", [True, False])
    def test_a_prefix_list_of_the_stack_is_read(self, inline, cidr, outcome, moment):
        case = cluster()
        entries = {"entries": [{"cidr": cidr}]} if inline else {}
        listed = case.program.add("aws:ec2/managedPrefixList:ManagedPrefixList", "pl", **entries)
        if not inline:
            token = "aws:ec2/managedPrefixListEntry:ManagedPrefixListEntry"
            case.program.add(token, "entry", prefixListId=listed.id, cidr=cidr)
        case.program.add(
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            "extra",
            securityGroupId=case.group.id,
            ipProtocol="tcp",
            fromPort=22,
            toPort=22,
            prefixListId=listed.id,
        )
        assert outcomes(of_resources(case.program.resources(moment)), self.RULE) == [outcome]

    @pytest.mark.parametrize(
        ("access", "outcome"),
        [
            ({"ec2SshKey": "me"}, "violated"),
            ({"ec2SshKey": "me", "sourceSecurityGroupIds": ["sg-1"]}, "fine"),
            ({}, "fine"),
        ],
    )
    def test_a_node_group_of_eks_with_a_key_is_open(self, access, outcome):
        program = Program()
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "pool",
            instanceTypes=["g6.xlarge"],
            scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
            remoteAccess=access,
        )
        assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]


class TestGroupOfCluster:
    """EKS makes a security group for a cluster, which lets in nothing from outside by itself."""

    RULE = "open-login"
    SSH: ClassVar[dict[str, Any]] = {
        "type": "ingress",
        "protocol": "tcp",
        "fromPort": 22,
        "toPort": 22,
        "cidrBlocks": ["0.0.0.0/0"],
    }

    def outcome(self, moment, template=None, rule=None):
        program = Program()
        cluster = program.add(
            "aws:eks/cluster:Cluster", "cluster", roleArn="arn:aws:iam::1:role/c"
        )
        inputs: dict[str, Any] = {"clusterName": cluster.out("name")}
        if template is not None:
            made = program.add("aws:ec2/launchTemplate:LaunchTemplate", "template", **template)
            inputs["launchTemplate"] = {"id": made.id, "version": "$Latest"}
        if rule is not None:
            given = {"securityGroupId": cluster.id, **rule}
            program.add("aws:ec2/securityGroupRule:SecurityGroupRule", "rule", **given)
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "pool",
            instanceTypes=["g6.xlarge"],
            scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
            **inputs,
        )
        return outcomes(of_resources(program.resources(moment)), self.RULE)

    @both
    def test_nodes_without_groups_of_their_own_are_closed(self, moment):
        assert self.outcome(moment) == ["fine"]
        assert self.outcome(moment, template={"ebsOptimized": "true"}) == ["fine"]

    @both
    def test_a_rule_that_may_open_it_is_not_overlooked(self, moment):
        assert self.outcome(moment, rule=self.SSH) == ["not-knowable", "violated"]
        private = {**self.SSH, "cidrBlocks": ["10.0.0.0/8"]}
        assert self.outcome(moment, rule=private) == ["fine"]
        hidden = {**self.SSH, "cidrBlocks": UNKNOWN}
        assert self.outcome(moment, rule=hidden)[0] == "not-knowable"

    @both
    @pytest.mark.parametrize(
        "template",
        [
            {"vpcSecurityGroupIds": ["sg-1"]},
            {"vpcSecurityGroupIds": UNKNOWN},
            {"networkInterfaces": [{"securityGroups": ["sg-1"]}]},
        ],
    )
    def test_groups_of_a_template_are_not_known_by_it(self, template, moment):
        assert self.outcome(moment, template) == ["not-knowable"]


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
        (outcome,) = outcomes(of_resources(program.resources(moment)), self.RULE)
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


@both
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ("arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy", "fine"),
        ("arn:aws:iam::aws:policy/PowerUserAccess", "violated"),
        ("arn:aws:iam::aws:policy/IAMFullAccess", "violated"),
    ],
)
def test_the_nodes_of_eks_have_the_role_of_their_group(policy, outcome, moment):
    program = Program()
    made = program.add("aws:iam/role:Role", "node", assumeRolePolicy="{}")
    program.add(
        "aws:iam/policyAttachment:PolicyAttachment",
        "it",
        roles=[made.out("name")],
        policyArn=policy,
    )
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "pool",
        nodeRoleArn=made.arn,
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
    )
    judged = of_resources(program.resources(moment))
    assert outcomes(judged, "administrator-role") == [outcome]


@both
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ("AmazonEKSClusterAdminPolicy", "violated"),
        ("AmazonEKSViewPolicy", "fine"),
        (UNKNOWN, "not-knowable"),
    ],
)
@pytest.mark.parametrize("theirs", [True, False])
def test_nodes_do_not_administer_their_cluster(policy, outcome, theirs, moment):
    program = Program()
    node, person = (
        program.add("aws:iam/role:Role", name, assumeRolePolicy="{}")
        for name in ("node", "person")
    )
    arn = policy if policy is UNKNOWN else f"arn:aws:eks::aws:cluster-access-policy/{policy}"
    program.add(
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        "access",
        clusterName="c",
        principalArn=(node if theirs else person).arn,
        policyArn=arn,
    )
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "pool",
        nodeRoleArn=node.arn,
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
    )
    judged = of_resources(program.resources(moment))
    assert outcomes(judged, "administrator-role") == [outcome if theirs else "fine"]


@pytest.mark.parametrize(
    ("volume", "outcome", "words"),
    [
        ({"encrypted": True}, "fine", "encrypted"),
        ({}, "violated", "it is not declared as encrypted"),
        ({"encrypted": UNKNOWN}, "not-knowable", "its encryption is unknown"),
        ({"snapshotId": "snap-1"}, "not-knowable", "its encryption is unknown"),
        ({"snapshotId": "snap-1", "encrypted": True}, "fine", "encrypted"),
    ],
)
def test_a_disk_that_stands_alone_is_encrypted_too(volume, outcome, words):
    program = Program()
    program.add("aws:ebs/volume:Volume", "data", size=100, **volume)
    judged = of_resources(program.resources())
    assert verdicts(judged, "disk-encrypted") == [(outcome, words)]
    program.add("aws:ebs/encryptionByDefault:EncryptionByDefault", "all", enabled=True)
    assert outcomes(of_resources(program.resources()), "disk-encrypted") == ["fine"]


def test_machines_and_disks_are_judged_each():
    case = cluster()
    case.program.add("aws:ebs/volume:Volume", "data", size=100)
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "disk-encrypted") == ["fine", "violated"]
    assert outcomes(plan(), "disk-encrypted") == ["not-applicable"]


def test_google_and_azure_encrypt_every_disk():
    google, azure = GcpProgram(), AzureProgram()
    google.add("compute/disk:Disk", "data", size=100, zone="us-central1-a")
    azure.add("azure-native:compute:Disk", "data", diskSizeGB=100)
    for program in (google, azure):
        assert outcomes(of_resources(program.resources()), "disk-encrypted") == ["fine"]


def test_the_tutorial_s_key_is_told_beside_its_machine():
    judged = of_resources(gcp_stacks.open_machine().resources())
    assert outcomes(judged, "long-lived-key") == ["fine", "violated"]


def test_what_advises_and_what_refuses():
    levels = {rule.id: rule.level for rule in RULES if rule.family == "security"}
    assert {rule for rule, level in levels.items() if level == "advisory"} == {
        "cluster-access",
        "metadata-hop-limit",
        "secure-boot",
        "login-identity",
    }


BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")


@pytest.mark.parametrize(
    ("block", "outcome"),
    [
        (None, "violated"),
        (dict.fromkeys(BLOCKS, True), "fine"),
        (dict.fromkeys(BLOCKS[1:], True), "violated"),
        ({**dict.fromkeys(BLOCKS, True), "accountId": "123456789012"}, "not-knowable"),
    ],
)
def test_an_account_may_block_for_all_its_buckets(block, outcome):
    program = Program()
    program.add("aws:s3/bucket:Bucket", "data")
    if block is not None:
        token = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"
        program.add(token, "closed", **block)
    assert outcomes(of_resources(program.resources()), "bucket-private") == [outcome]
