"""A name means a resource of the same account, project or subscription."""

from decimal import Decimal

import pytest

from gpuinfra.clouds import account_of
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


def made(kind, name, inputs, region, account):
    urn = f"urn:pulumi:dev::shop::{kind}::{name}"
    return Resource(urn=urn, type=kind, name=name, inputs=inputs, region=region, account=account)


def planned(cloud, accounts, *, turned=False, large=True):
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
        [*templates, made(group[0], "g", group[1], region, "a")],
        name="shop",
        caps=Caps(per_hour=Decimal(10)),
    )


@pytest.mark.parametrize("cloud", CASES)
@pytest.mark.parametrize("turned", [True, False])
def test_of_two_of_one_name_the_one_of_the_same_account_is_meant(cloud, turned):
    (group,) = planned(cloud, ("a", "b"), turned=turned).groups

    assert group.machines[0] in {"p5.48xlarge", "a3-highgpu-8g"}


@pytest.mark.parametrize("cloud", CASES)
@pytest.mark.parametrize(("accounts", "large"), [(("b", "c"), True), (("b", "b"), False)])
def test_a_name_that_only_other_accounts_have_is_not_known(cloud, accounts, large):
    plan = planned(cloud, accounts, large=large)
    (unknown,) = [each for each in verdict(plan).findings if each.rule == "price-unknown"]

    assert plan.groups == ()
    assert unknown.outcome == "violated"


@pytest.mark.parametrize("cloud", CASES)
def test_where_no_account_is_known_the_last_holds(cloud):
    assert planned(cloud, (None, None)).groups[0].machines[0] in {"g6.xlarge", "g2-standard-4"}


@pytest.mark.parametrize(
    ("token", "settings", "places", "account"),
    [
        (AWS_GROUP, {"region": "us-east-1"}, (), ""),
        (AWS_GROUP, {"region": "us-east-1", "profile": "b"}, (), "profile='b'"),
        (AWS_GROUP, {"profile": UNKNOWN}, (), PROVIDER),
        (GCP_GROUP, {"project": "p"}, ({},), "p"),
        (GCP_GROUP, {"project": "p"}, ({"project": "own"},), "own"),
        (GCP_GROUP, {}, ({},), None),
        ("azure-native:compute:VirtualMachine", {"subscriptionId": "s"}, (), "s"),
        ("random:index:Id", {}, (), None),
    ],
)
def test_an_account_is_read_of_a_resource_and_its_provider(token, settings, places, account):
    assert account_of(token, PROVIDER, settings, *places) == account


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
