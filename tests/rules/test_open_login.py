"""Login ports that are open to the internet."""

from typing import Any, ClassVar

import pytest

from gpuinfra.model import UNKNOWN, Safety
from tests.rules.cases.cluster import cluster
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment, Program


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


class TestRulesOfSecurityGroups:
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


@pytest.mark.parametrize(
    ("is_open", "outcome"), [(False, "fine"), (True, "violated"), (UNKNOWN, "not-knowable")]
)
def test_no_login_port_is_open(is_open, outcome):
    assert outcomes(plan(group(safety=Safety(open_login=is_open))), "open-login") == [outcome]


def test_without_machines_no_login_port_is_judged():
    assert outcomes(plan(), "open-login") == ["not-applicable"]
