"""Firewalls, bucket grants and templates that no machine or bucket of the same stack uses."""

import pytest

from gpuinfra.model import UNKNOWN, OpenPorts
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

LOGIN = "open-login"
OPEN = ("violated", "{} is open to {}")
DOUBT = ("not-knowable", "it is unknown whether a login port is open to the internet")
NONE = (
    "not-applicable",
    "no machines, and no firewall, load balancer or service is known to open such a port",
)
WORLD = "0.0.0.0/0"
OFFICE = "10.0.0.0/8"

RANGES = pytest.mark.parametrize(
    ("source", "expected"), [(WORLD, OPEN), (OFFICE, NONE), (UNKNOWN, DOUBT)]
)


def named(expected, port, source=WORLD):
    """What is expected, with the port and the source that it names."""
    outcome, words = expected
    return (outcome, words.format(port, source))


def test_the_rule_judges_doors_by_themselves():
    open_ports = [
        OpenPorts(name="d", subject=f"urn{open_}", cloud="aws", open=open_)
        for open_ in (True, False)
    ]
    assert outcomes(plan(open_ports=tuple(open_ports)), LOGIN) == ["violated", "fine"]
    assert verdicts(plan(), LOGIN) == [NONE]


class TestAws:
    GROUP = "aws:ec2/securityGroup:SecurityGroup"
    RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
    CLASSIC = "aws:ec2/securityGroupRule:SecurityGroupRule"

    def ssh(self, source):
        return {"protocol": "tcp", "fromPort": 22, "toPort": 22, "cidrBlocks": [source]}

    @RANGES
    def test_a_group_alone(self, source, expected):
        program = Program()
        program.add(self.GROUP, "web", ingress=[self.ssh(source)])
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named(expected, "TCP 22 (SSH) of web")
        ]

    @RANGES
    def test_a_rule_on_a_group_of_another_stack(self, source, expected):
        program = Program()
        ports = {"fromPort": 3389, "toPort": 3389, "ipProtocol": "tcp"}
        rule = program.add(self.RULE, "r", securityGroupId="sg-1", cidrIpv4=source, **ports)
        judged = of_resources(program.resources())
        assert verdicts(judged, LOGIN) == [named(expected, "TCP 3389 (Remote Desktop) of r")]
        assert expected == NONE or findings(judged, LOGIN)[0].subject == rule.urn

    @pytest.mark.parametrize(("way", "expected"), [("ingress", OPEN), ("egress", NONE)])
    def test_a_classic_rule_on_a_group_of_another_stack(self, way, expected):
        program = Program()
        program.add(self.CLASSIC, "r", type=way, securityGroupId="sg-1", **self.ssh(WORLD))
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named(expected, "TCP 22 (SSH) of r")
        ]

    @both
    def test_a_rule_of_a_group_of_this_stack_is_the_groups(self, moment):
        program = Program()
        group = program.add(self.GROUP, "web")
        ports = {"fromPort": 22, "toPort": 22, "ipProtocol": "tcp"}
        program.add(self.RULE, "r", securityGroupId=group.id, cidrIpv4=WORLD, **ports)
        (finding,) = findings(of_resources(program.resources(moment)), LOGIN)
        assert (finding.outcome, finding.subject) == ("violated", group.urn)

    @both
    def test_a_group_of_machines_is_told_once_and_one_beside_them_too(self, moment):
        program = Program()
        used = program.add(self.GROUP, "used", ingress=[self.ssh(WORLD)])
        box = program.add(
            "aws:ec2/instance:Instance",
            "box",
            instanceType="g6.xlarge",
            vpcSecurityGroupIds=[used.id],
        )
        told = findings(of_resources(program.resources(moment)), LOGIN)
        assert [(finding.outcome, finding.subject) for finding in told] == [("violated", box.urn)]
        assert told[0].message == "TCP 22 (SSH) of used is open to 0.0.0.0/0"
        other = program.add(self.GROUP, "bastion", ingress=[self.ssh(WORLD)])
        told = findings(of_resources(program.resources(moment)), LOGIN)
        assert [finding.subject for finding in told] == [box.urn, other.urn]


class TestGoogle:
    WALL = "gcp:compute/firewall:Firewall"
    SSH = ({"protocol": "tcp", "ports": ["22"]},)

    @pytest.mark.parametrize("network", ["default", UNKNOWN])
    @RANGES
    def test_a_firewall_alone(self, network, source, expected):
        program = GcpProgram()
        program.add(self.WALL, "fw", network=network, sourceRanges=[source], allows=self.SSH)
        outcome, words = expected
        words = words.replace("a login port", "TCP 22 (SSH) of fw")
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named((outcome, words), "TCP 22 (SSH) of fw")
        ]

    @pytest.mark.parametrize(
        "harmless", [{"disabled": True}, {"direction": "EGRESS"}, {"allows": []}]
    )
    def test_a_firewall_that_opens_nothing(self, harmless):
        program = GcpProgram()
        inputs = {"network": "default", "sourceRanges": [WORLD], "allows": self.SSH, **harmless}
        program.add(self.WALL, "fw", **inputs)
        assert verdicts(of_resources(program.resources()), LOGIN) == [NONE]

    @pytest.mark.parametrize(("priority", "expected"), [(10, NONE), (2000, OPEN)])
    def test_a_stronger_denial_counts(self, priority, expected):
        program = GcpProgram()
        inputs = {"network": "default", "sourceRanges": [WORLD]}
        program.add(self.WALL, "fw", allows=self.SSH, **inputs)
        denied = [{"protocol": "all"}]
        program.add(self.WALL, "no", denies=denied, priority=priority, **inputs)
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named(expected, "TCP 22 (SSH) of fw")
        ]

    @pytest.mark.parametrize(
        ("allowed", "denied", "expected"),
        [
            ({"targetTags": ["b"]}, {"targetTags": ["b"]}, NONE),
            ({"targetTags": ["b"]}, {"targetTags": ["b", "c"]}, NONE),
            ({"targetTags": ["b"]}, {}, NONE),
            ({"targetTags": ["b", "c"]}, {"targetTags": ["b"]}, OPEN),
            ({"targetTags": ["b"]}, {"targetTags": ["c"]}, OPEN),
            ({}, {"targetTags": ["b"]}, OPEN),
            ({"targetServiceAccounts": ["b@p"]}, {"targetServiceAccounts": ["b@p"]}, NONE),
            ({"targetServiceAccounts": ["b@p", "c@p"]}, {"targetServiceAccounts": ["b@p"]}, OPEN),
        ],
    )
    def test_a_denial_counts_for_the_machines_that_it_selects(self, allowed, denied, expected):
        program = GcpProgram()
        inputs = {"network": "default", "sourceRanges": [WORLD]}
        program.add(self.WALL, "fw", allows=self.SSH, **inputs, **allowed)
        program.add(self.WALL, "no", denies=self.SSH, priority=10, **inputs, **denied)
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named(expected, "TCP 22 (SSH) of fw")
        ]

    @both
    @pytest.mark.parametrize(("tags", "count"), [(None, 1), (["gpu"], 1), (["bastion"], 2)])
    def test_machines_behind_it_tell_it(self, moment, tags, count):
        program = GcpProgram()
        net = program.add("gcp:compute/network:Network", "net", autoCreateSubnetworks=True)
        named = {} if tags is None else {"targetTags": tags}
        inputs = {"network": net.id, "sourceRanges": [WORLD], "allows": self.SSH}
        wall = program.add(self.WALL, "fw", **inputs, **named)
        box = program.add(
            "gcp:compute/instance:Instance",
            "box",
            machineType="g2-standard-4",
            zone="us-central1-a",
            tags=["gpu"],
            networkInterfaces=[{"network": net.id}],
        )
        told = findings(of_resources(program.resources(moment)), LOGIN)
        assert [finding.subject for finding in told] == [box.urn, wall.urn][:count]
        assert told[-1].outcome == "violated"
        assert told[-1].message == "TCP 22 (SSH) of fw is open to 0.0.0.0/0"

    @pytest.mark.parametrize(
        ("member", "expected"),
        [
            ("allUsers", ("violated", "grants everyone access to a bucket")),
            ("allAuthenticatedUsers", ("violated", "grants everyone access to a bucket")),
            ("user:a@example.com", ("fine", "no wildcard grants broad permissions")),
            (UNKNOWN, ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_a_grant_on_a_bucket_of_another_stack(self, member, expected):
        program = GcpProgram()
        program.add(
            "gcp:storage/bucketIAMMember:BucketIAMMember",
            "b",
            bucket="existing",
            role="roles/storage.objectViewer",
            member=member,
        )
        assert verdicts(of_resources(program.resources()), "wildcard-policy") == [expected]

    @both
    def test_a_bucket_of_this_stack_tells_its_grants_itself(self, moment):
        program = GcpProgram()
        bucket = program.add("gcp:storage/bucket:Bucket", "data", location="US")
        program.add(
            "gcp:storage/bucketIAMMember:BucketIAMMember",
            "b",
            bucket=bucket.out("name"),
            role="roles/storage.objectViewer",
            member="allUsers",
        )
        judged = of_resources(program.resources(moment))
        assert outcomes(judged, "wildcard-policy") == ["not-applicable"]
        assert outcomes(judged, "bucket-private") == ["violated"]


class TestAzure:
    GROUP = "azure-native:network:NetworkSecurityGroup"
    RULE = "azure-native:network:SecurityRule"

    def rdp(self, source):
        return {
            "priority": 100,
            "direction": "Inbound",
            "access": "Allow",
            "protocol": "*",
            "sourceAddressPrefix": source,
            "destinationPortRange": "3389",
        }

    @pytest.mark.parametrize(
        ("source", "expected"), [("*", OPEN), (OFFICE, NONE), (UNKNOWN, DOUBT)]
    )
    def test_a_group_and_a_rule_alone(self, source, expected):
        program = AzureProgram()
        program.add(self.GROUP, "nsg", resourceGroupName="rg", securityRules=[self.rdp(source)])
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named(expected, "TCP 3389 (Remote Desktop) of nsg", "the internet")
        ]
        program = AzureProgram()
        of = {"resourceGroupName": "rg", "networkSecurityGroupName": "elsewhere"}
        program.add(self.RULE, "r", **of, **self.rdp(source))
        assert verdicts(of_resources(program.resources()), LOGIN) == [
            named(expected, "TCP 3389 (Remote Desktop) of r", "the internet")
        ]

    @both
    @pytest.mark.parametrize("guards", ["interface", "subnet", "nothing"])
    def test_machines_behind_it_tell_it(self, moment, guards):
        program = AzureProgram()
        group = program.add(
            self.GROUP, "nsg", resourceGroupName="rg", securityRules=[self.rdp("*")]
        )
        guard = {"networkSecurityGroup": {"id": group.id}}
        net = program.add("azure-native:network:VirtualNetwork", "net", resourceGroupName="rg")
        subnet = program.add(
            "azure-native:network:Subnet",
            "subnet",
            resourceGroupName="rg",
            virtualNetworkName=net.out("name"),
            **(guard if guards == "subnet" else {}),
        )
        nic = program.add(
            "azure-native:network:NetworkInterface",
            "nic",
            resourceGroupName="rg",
            ipConfigurations=[{"name": "a", "subnet": {"id": subnet.id}}],
            **(guard if guards == "interface" else {}),
        )
        box = program.add(
            "azure-native:compute:VirtualMachine",
            "box",
            resourceGroupName="rg",
            location="eastus",
            hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
            networkProfile={"networkInterfaces": [{"id": nic.id}]},
        )
        told = [
            finding.subject for finding in findings(of_resources(program.resources(moment)), LOGIN)
        ]
        assert told == ([box.urn, group.urn] if guards == "nothing" else [box.urn])
