"""References out of the stack, trusted by the settings: what that settles, and what not."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN, Resource, Trust, Usage
from gpuinfra.planning import from_resources
from tests.rules.cases.judging import RICH, of_resources, outcomes
from tests.rules.cases.program import Program
from tests.rules.cases.trust import LIMITED, MACHINE, NETWORK, RULES, aws, gcp, told

NIC = "azure-native:network:NetworkInterface"

SHARED = (
    "/subscriptions/1/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets"
)

IDENTITY = (
    "/subscriptions/1/resourceGroups/net/providers/Microsoft.ManagedIdentity"
    "/userAssignedIdentities/work"
)


def azure():
    return Resource(
        urn="urn:pulumi:dev::shop::azure-native:compute:VirtualMachineScaleSet::box",
        type="azure-native:compute:VirtualMachineScaleSet",
        name="box",
        inputs={
            "resourceGroupName": "rg",
            "location": "eastus",
            "sku": {"name": "Standard_NC4as_T4_v3", "capacity": 1},
            "identity": {"type": "UserAssigned", "userAssignedIdentities": [IDENTITY]},
            "virtualMachineProfile": {
                "networkProfile": {
                    "networkInterfaceConfigurations": [
                        {
                            "name": "nic",
                            "primary": True,
                            "ipConfigurations": [
                                {"name": "ip", "subnet": {"id": f"{SHARED}/gpus"}}
                            ],
                        }
                    ]
                }
            },
        },
    )


def test_what_is_trusted_on_aws_is_settled_and_nothing_else():
    resources = aws().resources()
    unknown = ("not-knowable",) * 3
    assert told(resources) == unknown
    assert told(resources, *NETWORK) == ("fine", "fine", "not-knowable")
    assert told(resources, LIMITED) == ("not-knowable", "not-knowable", "fine")
    assert told(resources, *NETWORK, LIMITED) == ("fine",) * 3
    wrong = (Trust(input="securityGroups", private=True, why="ours"),)
    assert told(resources, *wrong) == unknown
    swapped = (
        Trust(input="iamInstanceProfile", private=True, why="ours"),
        Trust(input="subnetId", limited=True, why="ours"),
        Trust(input="vpcSecurityGroupIds", limited=True, why="ours"),
    )
    assert told(resources, *swapped) == unknown


def test_what_is_trusted_on_google_cloud_is_settled():
    trust = (
        Trust(input="networkInterfaces", value="projects/host/*", private=True, why="ours"),
        Trust(input="serviceAccount", value="*@host.iam.*", limited=True, why="ours"),
    )
    assert told([gcp()]) == ("fine", "not-knowable", "not-knowable")
    assert told([gcp()], *trust) == ("fine", "fine", "fine")
    elsewhere = gcp("projects/other/global/networks/shared")
    assert told([elsewhere], *trust) == ("fine", "not-knowable", "fine")
    assert told([gcp(accessConfigs=[{}])], *trust)[0] == "violated"


def test_what_is_trusted_on_azure_is_settled():
    trust = (
        Trust(input="virtualMachineProfile", value=f"{SHARED}/*", private=True, why="ours"),
        Trust(input="identity", limited=True, why="ours"),
    )
    assert told([azure()]) == ("fine", "not-knowable", "not-knowable")
    assert told([azure()], *trust) == ("fine", "fine", "fine")
    elsewhere = Trust(input="virtualMachineProfile", value="*/subnets/web", private=True, why="it")
    assert told([azure()], elsewhere)[1] == "not-knowable"


@pytest.mark.parametrize(
    ("pattern", "ids", "outcome"),
    [
        ("sg-1", ["sg-1"], "fine"),
        ("sg-1", ["sg-10"], "not-knowable"),
        ("sg-?", ["sg-1"], "fine"),
        ("sg-1*", ["sg-1", "sg-12"], "fine"),
        ("sg-1*", ["sg-1", "sg-2"], "not-knowable"),
        ("sg-[12]", ["sg-1"], "not-knowable"),
        ("*", ["sg-1", UNKNOWN], "not-knowable"),
    ],
)
def test_trust_is_as_wide_as_its_pattern(pattern, ids, outcome):
    trust = Trust(input="vpcSecurityGroupIds", value=pattern, private=True, why="ours")
    resources = aws(vpcSecurityGroupIds=ids).resources()
    assert told(resources, NETWORK[0], trust)[1] == outcome


def test_trust_does_not_excuse_what_the_stack_shows():
    program = aws()
    program.add(
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        "ssh",
        securityGroupId="sg-1",
        type="ingress",
        protocol="tcp",
        fromPort=22,
        toPort=22,
        cidrBlocks=["0.0.0.0/0"],
    )
    assert told(program.resources(), *NETWORK)[1] == "violated"

    program = aws(associatePublicIpAddress=True)
    assert told(program.resources(), *NETWORK)[0] == "violated"

    program = Program()
    role = program.add("aws:iam/role:Role", "role", name="strong")
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "all",
        role=role.out("name"),
        policyArn="arn:aws:iam::aws:policy/AdministratorAccess",
    )
    program.add("aws:iam/instanceProfile:InstanceProfile", "it", role=role.out("name"))
    profile = next(handle for handle in program.handles.values() if handle.name == "it")
    inputs = {**MACHINE, "iamInstanceProfile": profile.out("name")}
    program.add("aws:ec2/instance:Instance", "box", **inputs)
    for moment in ("preview", "created"):
        assert told(program.resources(moment), LIMITED)[2] == "violated"


def test_a_role_of_elsewhere_to_which_the_stack_attaches_administration_is_no_limited_one():
    program = Program()
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "box",
        nodeRoleArn="arn:aws:iam::1:role/platform/nodes",
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
    )
    trust = Trust(input="nodeRoleArn", limited=True, why="ours")
    assert told(program.resources(), trust)[2] == "fine"
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "all",
        role="nodes",
        policyArn="arn:aws:iam::aws:policy/AdministratorAccess",
    )
    assert told(program.resources(), trust)[2] == "violated"


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({"role": "app-role"}, "not-knowable"),
        ({"role": "platform"}, "not-knowable"),
        ({"role": UNKNOWN}, "not-knowable"),
        ({"role": "own"}, "fine"),
        (
            {
                "role": "app-role",
                "policyArn": "arn:aws:iam::aws:policy/job-function/ViewOnlyAccess",
            },
            "fine",
        ),
        ({"role": "app-role", "policyArn": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_trusted_profile_may_carry_the_role_of_elsewhere_that_the_stack_strengthens(
    given, outcome
):
    program = aws()
    program.add("aws:iam/role:Role", "own", name="own")
    everything = {"policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"}
    attachment = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
    program.add(attachment, "all", **{**everything, **given})
    assert told(program.resources(), LIMITED)[2] == outcome


@pytest.mark.parametrize(
    ("kind", "prop", "policy"),
    [
        ("rolePolicy:RolePolicy", "role", "policy"),
        ("policyAttachment:PolicyAttachment", "roles", "policyArn"),
        (
            "rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
            "roleName",
            "policyArns",
        ),
    ],
)
def test_every_way_to_strengthen_a_role_of_elsewhere_counts(kind, prop, policy):
    arn = "arn:aws:iam::aws:policy/AdministratorAccess"
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    policies = {"policy": {"Statement": [everything]}, "policyArn": arn, "policyArns": [arn]}
    program = aws()
    program.add(
        f"aws:iam/{kind}",
        "all",
        **{prop: ["app"] if prop == "roles" else "app", policy: policies[policy]},
    )
    assert told(program.resources(), LIMITED)[2] == "not-knowable"


def test_trust_holds_in_the_account_of_who_refers_to_it():
    box, other = (
        replace(
            aws().resources()[0], credentials=credentials, urn=f"urn:pulumi:dev::shop::x::{name}"
        )
        for name, credentials in (("a", "prod"), ("b", "test"))
    )
    plan = of_resources([box, other], usage=Usage(trust=(*NETWORK, LIMITED)))
    for rule in RULES:
        assert outcomes(plan, rule) == ["fine", "fine"]


def test_trust_does_not_excuse_a_resource_that_may_be_the_one_that_is_meant():
    program = aws()
    profile = program.add(
        "aws:iam/instanceProfile:InstanceProfile", "it", name="platform", role="r"
    )
    resources = [
        replace(each, credentials="prod") if each.urn == profile.urn else each
        for each in program.resources()
    ]
    assert told(resources, LIMITED)[2] == "not-knowable"


def test_what_is_trusted_is_told_with_its_reason():
    idle = Trust(input="nodeRoleArn", limited=True, why="theirs")
    plan = from_resources(
        aws().resources(), name="shop", caps=RICH, usage=Usage(trust=(NETWORK[1], idle))
    )
    assert plan.notes == (
        "trusted as private, not checked: vpcSecurityGroupIds (sg-1): ours",
        (
            "trust: no reference to a resource outside the stack matches nodeRoleArn;"
            " its entry is ignored"
        ),
    )


@pytest.mark.parametrize(
    ("trust", "counted"),
    [((), True), (NETWORK[1:], True), (NETWORK, False), ((LIMITED,), True)],
)
def test_machines_of_a_trusted_private_subnet_pay_for_no_public_address(trust, counted):
    plan = of_resources(aws().resources(), usage=Usage(trust=trust))

    assert ("public-ipv4-hour" in [item.item for item in plan.items]) is counted
