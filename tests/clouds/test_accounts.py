"""A name means a resource of the same account, project or subscription."""

from decimal import Decimal

import pytest

from gpuinfra.clouds import account_of, credentials_of, provider_of
from gpuinfra.model import UNKNOWN, Caps, Resource
from gpuinfra.planning import from_resources
from tests.rules.cases.judging import verdict

AWS_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
AWS_GROUP = "aws:autoscaling/group:Group"
GCP_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
GCP_GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
PROVIDER = "urn:pulumi:dev::shop::pulumi:providers:aws::b"
CASES = {
    "aws": (
        (AWS_TEMPLATE, {"name": "t", "instanceType": "p5.48xlarge"}),
        (AWS_TEMPLATE, {"name": "t", "instanceType": "g6.xlarge"}),
        (
            AWS_GROUP,
            {
                "maxSize": 1,
                "availabilityZones": ["us-east-1a"],
                "launchTemplate": {"name": "t", "version": "$Latest"},
            },
        ),
        "us-east-1",
    ),
    "gcp": (
        (GCP_TEMPLATE, {"name": "t", "machineType": "a3-highgpu-8g"}),
        (GCP_TEMPLATE, {"name": "t", "machineType": "g2-standard-4"}),
        (
            GCP_GROUP,
            {"zone": "us-central1-a", "targetSize": 1, "versions": [{"instanceTemplate": "t"}]},
        ),
        "us-central1",
    ),
}


def made(kind, name, inputs, region, account, **more):
    urn = f"urn:pulumi:dev::shop::{kind}::{name}"
    return Resource(
        urn=urn, type=kind, name=name, inputs=inputs, region=region, account=account, **more
    )


def planned(cloud, accounts, *, turned=False, large=True, own="a"):
    first, second, group, region = CASES[cloud]
    templates = [
        made(*each, region, account)
        for each, account in zip(
            ((first[0], "large", first[1]), (second[0], "small", second[1])),
            accounts,
            strict=False,
        )
    ]
    if turned:
        templates.reverse()
    if not large:
        templates = [each for each in templates if each.name == "small"]
    return from_resources(
        [*templates, made(group[0], "g", group[1], region, own)],
        name="shop",
        caps=Caps(per_hour=Decimal(10)),
    )


@pytest.mark.parametrize("cloud", CASES)
@pytest.mark.parametrize("turned", [True, False])
def test_of_two_of_one_name_the_one_of_the_same_account_is_meant(cloud, turned):
    (group,) = planned(cloud, ("a", "b"), turned=turned).groups

    assert group.machines[0] in {"p5.48xlarge", "a3-highgpu-8g"}


@pytest.mark.parametrize("cloud", CASES)
@pytest.mark.parametrize(
    ("accounts", "large"),
    [(("b", "c"), True), (("b", "b"), False), ((None, None), True), ((None, None), False)],
)
def test_a_name_that_only_other_accounts_have_is_not_known(cloud, accounts, large):
    plan = planned(cloud, accounts, large=large)
    (unknown,) = [each for each in verdict(plan).findings if each.rule == "price-unknown"]

    assert plan.groups == ()
    assert unknown.outcome == "violated"


@pytest.mark.parametrize("cloud", CASES)
def test_where_no_account_is_known_the_last_holds(cloud):
    (group,) = planned(cloud, (None, None), own=None).groups

    assert group.machines[0] in {"g6.xlarge", "g2-standard-4"}


OF_A = {"roleArn": "arn:aws:iam::111111111111:role/deploy"}
OF_B = {"roleArn": "arn:aws-us-gov:iam::222222222222:role/deploy"}


@pytest.mark.parametrize(
    ("token", "settings", "places", "account"),
    [
        (AWS_GROUP, {"region": "us-east-1"}, (), None),
        (AWS_GROUP, {"region": "us-east-1", "profile": "b"}, (), None),
        (AWS_GROUP, {"profile": UNKNOWN}, (), None),
        (AWS_GROUP, {"profile": "b", "allowedAccountIds": ["111111111111"]}, (), "111111111111"),
        (AWS_GROUP, {"allowedAccountIds": '["111111111111"]'}, (), "111111111111"),
        (AWS_GROUP, {"allowedAccountIds": ["111111111111", "222222222222"]}, (), None),
        (AWS_GROUP, {"allowedAccountIds": [UNKNOWN]}, (), None),
        (AWS_GROUP, {"assumeRoles": [OF_A, OF_B]}, (), "222222222222"),
        (AWS_GROUP, {"assumeRoles": [{"roleArn": UNKNOWN}]}, (), None),
        (AWS_GROUP, {"assumeRoles": UNKNOWN, "assumeRoleWithWebIdentity": OF_A}, (), None),
        (AWS_GROUP, {"assumeRole": OF_A}, (), "111111111111"),
        (AWS_GROUP, {"assumeRoleWithWebIdentity": OF_A}, (), "111111111111"),
        (GCP_GROUP, {"project": "p"}, ({},), "p"),
        (GCP_GROUP, {"project": "p"}, ({"project": "own"},), "own"),
        (GCP_GROUP, {"project": "p"}, ({"project": UNKNOWN},), None),
        (GCP_GROUP, {"project": "p"}, ({"project": UNKNOWN}, {"project": "own"}), "own"),
        (GCP_GROUP, {}, ({},), None),
        ("azure-native:compute:VirtualMachine", {"subscriptionId": "s"}, (), "s"),
        ("random:index:Id", {}, (), None),
    ],
)
def test_an_account_is_read_of_a_resource_and_its_provider(token, settings, places, account):
    assert account_of(token, settings, *places) == account


@pytest.mark.parametrize(
    ("token", "settings", "places", "credentials"),
    [
        (AWS_GROUP, {"region": "us-east-1"}, (), ""),
        (AWS_GROUP, {"region": "us-east-1", "profile": "b"}, (), '{"profile": "b"}'),
        (AWS_GROUP, {"profile": UNKNOWN}, (), PROVIDER),
        (AWS_GROUP, {"assumeRoles": [{"roleArn": UNKNOWN}]}, (), PROVIDER),
        (GCP_GROUP, {}, ({},), ""),
        (GCP_GROUP, {"project": UNKNOWN}, ({},), PROVIDER),
        (GCP_GROUP, {"project": "p"}, ({"project": UNKNOWN},), PROVIDER),
        ("random:index:Id", {}, (), ""),
    ],
)
def test_what_stands_for_an_account_that_is_not_stated(token, settings, places, credentials):
    assert credentials_of(token, PROVIDER, settings, *places) == credentials


ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
PROD = {"credentials": '{"profile": "prod"}'}


def administrator(role, attachment, relations=None):
    """The verdict on a machine whose role has a name that an administrator's attachment names."""
    own = {"region": "us-east-1", "account": None, **role}
    inputs = {"role": "app", "policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"}
    profile = {"name": "appp", "role": "app"}
    machine = {"instanceType": "g6.xlarge", "ami": "ami-1", "iamInstanceProfile": "appp"}
    rows = [
        made(ROLE, "role", {"name": "app", "assumeRolePolicy": '{"Statement": []}'}, **own),
        made("aws:iam/instanceProfile:InstanceProfile", "p", profile, **own),
        made("aws:ec2/instance:Instance", "i", machine, **own),
        made(
            ATTACHMENT,
            "a",
            inputs,
            **{"region": "us-east-1", "account": None, **attachment},
            relations=relations or {},
        ),
    ]
    plan = from_resources(rows, name="shop", caps=Caps(per_hour=Decimal(10)))
    (outcome,) = [
        each.outcome
        for each in verdict(plan).findings
        if each.rule == "administrator-role" and each.subject.endswith("::i")
    ]
    return outcome


@pytest.mark.parametrize(
    ("role", "attachment", "outcome"),
    [
        (PROD, PROD, "violated"),
        (PROD, {"account": "1"}, "not-knowable"),
        ({"account": "1"}, PROD, "not-knowable"),
        (PROD, {}, "not-knowable"),
        (PROD, {"credentials": PROVIDER}, "not-knowable"),
        ({"account": "1"}, {"account": "1", **PROD}, "violated"),
        ({"account": "1"}, {"account": "2"}, "fine"),
        (PROD, {"region": "eu-west-1"}, "not-knowable"),
        (PROD, {**PROD, "region": "eu-west-1"}, "violated"),
    ],
)
def test_providers_that_are_written_differently_may_be_of_one_account(role, attachment, outcome):
    assert administrator(role, attachment) == outcome


def test_what_the_program_itself_refers_to_is_meant_where_the_account_may_be_the_same():
    relations = {"role": (f"urn:pulumi:dev::shop::{ROLE}::role",)}
    assert administrator(PROD, {"account": "1"}, relations) == "violated"
    assert administrator(PROD, {}, relations) == "violated"
    assert administrator({"account": "1"}, {"account": "2"}, relations) == "fine"


def test_an_id_means_the_same_from_every_account():
    named = made(AWS_TEMPLATE, "small", {"instanceType": "g6.xlarge"}, "us-east-1", "b")
    template = Resource(**{**vars_of(named), "outputs": {"id": "lt-1", "latestVersion": 1}})
    group = {"maxSize": 1, "launchTemplate": {"id": "lt-1", "version": "$Latest"}}
    rows = [template, made(AWS_GROUP, "g", group, "us-east-1", "a")]

    assert from_resources(rows, name="shop", caps=Caps()).groups[0].machines == ("g6.xlarge",)


def vars_of(resource):
    return {field: getattr(resource, field) for field in Resource.__dataclass_fields__}


def test_azure_s_names_are_of_their_subscription():
    kind = "azure-native:compute:VirtualMachineScaleSet"
    place = {"resourceGroupName": "g", "location": "eastus"}
    sets = [
        made(
            kind,
            name,
            {**place, "vmScaleSetName": "s", "sku": {"name": size, "capacity": 1}},
            "eastus",
            name,
        )
        for name, size in (("a", "Standard_ND96isr_H100_v5"), ("b", "Standard_NC4as_T4_v3"))
    ]
    target = "/subscriptions/a/resourceGroups/g/providers/Microsoft.Compute/"
    scaler = made(
        "azure-native:monitor:AutoscaleSetting",
        "scaler",
        {
            **place,
            "enabled": True,
            "targetResourceUri": f"{target}virtualMachineScaleSets/s",
            "profiles": [{"capacity": {"minimum": "1", "maximum": "4", "default": "1"}}],
        },
        "eastus",
        "a",
    )
    plan = from_resources([*sets, scaler], name="shop", caps=Caps())

    assert {group.name: group.maximum for group in plan.groups} == {"a": 4, "b": 1}


@pytest.mark.parametrize(
    ("account", "named", "outcome"),
    [("a", "a", "known"), ("a", "b", "unknown"), ("a", None, "unknown"), (None, None, "known")],
)
def test_azure_s_names_mean_what_is_surely_of_their_subscription(account, named, outcome):
    place = {"resourceGroupName": "g", "location": "eastus"}
    network = "azure-native:network:VirtualNetwork"
    vnet = made(network, "v", {**place, "virtualNetworkName": "v"}, "eastus", named)
    kind = "azure-native:network:Subnet"
    inputs = {"resourceGroupName": "g", "virtualNetworkName": "v", "subnetName": "s"}
    subnet = made(kind, "s", inputs, "eastus", account)
    index = provider_of("azure").observe.Index([vnet, subnet])
    targets = index.targets(subnet, "virtualNetworkName", network)

    assert (targets.certain == (vnet,), targets.exact) == ((outcome == "known",) * 2)
    assert index.referrers(vnet, kind, "virtualNetworkName").complete == (
        outcome == "known" or named == "b"
    )


def test_a_dependency_settles_a_name_of_azure_too():
    place = {"resourceGroupName": "g", "location": "eastus"}
    network = "azure-native:network:VirtualNetwork"
    vnet = made(network, "v", {**place, "virtualNetworkName": "v"}, "eastus", None)
    inputs = {"resourceGroupName": "g", "virtualNetworkName": "v", "subnetName": "s"}
    relations = {"virtualNetworkName": (vnet.urn,)}
    kind = "azure-native:network:Subnet"
    subnet = made(kind, "s", inputs, "eastus", "a", relations=relations)
    index = provider_of("azure").observe.Index([vnet, subnet])

    assert index.targets(subnet, "virtualNetworkName", network).certain == (vnet,)


def test_a_namesake_in_the_region_comes_before_a_sure_one_elsewhere():
    sure = made(ROLE, "far", {"name": "app"}, "eu-west-1", None, **PROD)
    namesake = made(ROLE, "near", {"name": "app"}, "us-east-1", None)
    attachment = made(ATTACHMENT, "a", {"role": "app"}, "us-east-1", None, **PROD)
    index = provider_of("aws").observe.Index([sure, namesake, attachment])
    targets = index.targets(attachment, "role", ROLE)

    assert (targets.certain, targets.complete) == ((), False)
    assert {each.name for each in targets.namesakes} == {"far", "near"}
    assert not index.referrers(sure, ATTACHMENT, "role").complete
