"""Which changes make a second resource stand beside the first."""

from dataclasses import replace

import pytest

from gpuinfra.crossguard import replacement
from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.replacement import changes
from gpuinfra.model import UNKNOWN, Resource

INSTANCE = "aws:ec2/instance:Instance"


def resource(inputs, resource_type=INSTANCE, region="us-east-1"):
    return Resource(urn="u", type=resource_type, name="n", inputs=inputs, region=region)


def stands_twice(old, new, **marks):
    return replacement.may_coexist(ExistingResource(resource=old, **marks), new)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": 2}, ["a"]),
        ({"a": None}, {}, []),
        ({}, {"a": {"b": 1}}, ["a#"]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["a[].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a#"]),
        ({"a": ["b"]}, {"a": "b"}, ["a"]),
        ({"a": UNKNOWN}, {"a": UNKNOWN}, ["a"]),
        ({"a": {"b": 1}}, {"a": "c"}, ["a"]),
    ],
)
def test_paths_that_differ(old, new, expected):
    assert list(changes(old, new)) == expected


@pytest.mark.parametrize(
    ("old", "new", "twice"),
    [
        ({"ami": "a"}, {"ami": "a"}, False),
        ({"ami": "a"}, {"ami": "b"}, True),
        ({"ami": "a"}, {"ami": UNKNOWN}, True),
        ({"tags": {"a": "b"}}, {"tags": {"a": "c"}}, False),
        ({"monitoring": True}, {"monitoring": False}, False),
        ({"rootBlockDevice": {"volumeSize": 1}}, {"rootBlockDevice": {"volumeSize": 2}}, False),
        ({"rootBlockDevice": {"encrypted": 1}}, {"rootBlockDevice": {"encrypted": 0}}, True),
        ({}, {"rootBlockDevice": {"volumeSize": 2}}, True),
        ({"instanceType": "p5.48xlarge"}, {"instanceType": "p4d.24xlarge"}, True),
        ({"forceDestroy": True}, {"forceDestroy": False}, True),
        ({"invented": 1}, {"invented": 2}, True),
        ({"tags": {"a": "b"}, "invented": 1}, {"tags": {"a": "c"}, "invented": 2}, True),
        ({"networkInterfaces": [{"deviceIndex": 0}]}, {"networkInterfaces": []}, True),
    ],
)
def test_an_instance(old, new, twice):
    assert stands_twice(resource(old), resource(new)) is twice


def imported(**outputs):
    """An instance as an import finds it: all that it has is among its inputs, but what is off."""
    inputs = {"ami": "a", "subnetId": "s", "tenancy": "default", "rootBlockDevice": {"iops": 1}}
    found = resource(inputs)
    return replace(found, outputs={**inputs, "associatePublicIpAddress": False, **outputs})


@pytest.mark.parametrize(
    ("stated", "twice"),
    [
        ({"ami": "a"}, False),
        ({"ami": "a", "associatePublicIpAddress": False}, False),
        ({"ami": "a", "associatePublicIpAddress": True}, True),
        ({"ami": "b"}, True),
        ({"ami": "a", "subnetId": "other"}, True),
        ({"ami": "a", "placementGroup": "p"}, True),
    ],
)
def test_an_import_replaces_nothing_by_what_the_provider_fills(stated, twice):
    """https://github.com/hashicorp/terraform-provider-aws, internal/service/ec2/ec2_instance.go"""
    assert stands_twice(imported(), resource(stated)) is twice


def test_a_group_grows_in_place():
    kind = "aws:autoscaling/group:Group"
    assert not stands_twice(resource({"maxSize": 1}, kind), resource({"maxSize": 2}, kind))


def containers(image, **more):
    return {"template": {"containers": [{"image": image, **more}]}}


@pytest.mark.parametrize(
    ("kind", "old", "new", "twice"),
    [
        (
            "aws:ecs/service:Service",
            {"taskDefinition": "app:1"},
            {"taskDefinition": "app:2"},
            False,
        ),
        (
            "aws:ecs/service:Service",
            {"cluster": "arn:1", "launchType": "FARGATE"},
            {"launchType": "EC2"},
            True,
        ),
        ("azure-native:app:ContainerApp", containers("a:1"), containers("a:2"), False),
        (
            "azure-native:app:ContainerApp",
            {"environmentId": "a", **containers("a:1")},
            {"environmentId": "b", **containers("a:1")},
            True,
        ),
        ("gcp:cloudrunv2/service:Service", containers("a:1"), containers("a:2"), False),
        (
            "gcp:cloudrunv2/service:Service",
            {"location": "us-central1"},
            {"location": "us-east1"},
            True,
        ),
        (
            "gcp:cloudrun/service:Service",
            {"template": {"spec": {"containers": [{"image": "a:1"}]}}},
            {"template": {"spec": {"containers": [{"image": "a:2"}]}}},
            False,
        ),
        (
            "gcp:cloudrun/service:Service",
            {"template": {"spec": {"containers": [{"workingDir": "/a"}]}}},
            {"template": {"spec": {"containers": [{"workingDir": "/b"}]}}},
            True,
        ),
        (
            "gcp:sql/databaseInstance:DatabaseInstance",
            {"settings": {"tier": "db-f1-micro"}},
            {"settings": {"tier": "db-g1-small"}},
            False,
        ),
        ("gcp:redis/instance:Instance", {"memorySizeGb": 1}, {"memorySizeGb": 2}, False),
        ("gcp:redis/instance:Instance", {"tier": "BASIC"}, {"tier": "STANDARD_HA"}, True),
    ],
)
def test_another_image_or_size_is_an_update_of_what_serves(kind, old, new, twice):
    assert stands_twice(resource(old, kind), resource(new, kind)) is twice


def test_another_region_is_another_resource():
    assert stands_twice(resource({}), resource({}, region="us-west-2"))


@pytest.mark.parametrize("kind", ["aws:sagemaker/domain:Domain", "random:index/x:X"])
def test_a_change_of_a_type_without_a_table_is_not_trusted(kind):
    assert not stands_twice(resource({"a": 1}, kind), resource({"a": 1}, kind))
    assert stands_twice(resource({"a": 1}, kind), resource({"a": 2}, kind)) is UNKNOWN


def test_what_the_state_marks_may_be_replaced():
    tags = resource({"tags": {"a": "b"}})
    assert stands_twice(tags, tags, may_be_replaced=True)


@pytest.mark.parametrize(
    ("path", "twice"),
    [
        ("*", True),
        ("tags", True),
        ("tags.a", True),
        ("tags.a.deeper", True),
        ("tags[*]", True),
        ("tags.*", True),
        ('tags["a"]', True),
        ('["tags"]', True),
        ("tags.b", False),
        ("tagsAll", False),
        ("ami", False),
    ],
)
def test_a_change_of_a_path_in_its_options_replaces(path, twice):
    tags, others = resource({"tags": {"a": "b"}}), resource({"tags": {"a": "c"}})
    assert stands_twice(tags, others, replaced_on=(path,)) is twice
    assert not stands_twice(tags, tags, replaced_on=(path,))


def test_a_path_of_an_output_changes_with_any_input():
    old, new = (resource({"tags": {"a": value}}) for value in "bc")
    numbered = replace(old, outputs={"version": 1})
    assert stands_twice(numbered, new, replaced_on=("version",))
    assert not stands_twice(old, new, replaced_on=("version",))


def test_a_change_in_a_list_of_another_length_is_of_its_path():
    one, two = resource({"vpcSecurityGroupIds": ["a"]}), resource({"vpcSecurityGroupIds": []})
    assert not stands_twice(one, two)
    assert stands_twice(one, two, replaced_on=("vpcSecurityGroupIds",))


AZURE = [
    "azure-native:compute:VirtualMachine",
    "azure-native:compute/v20240301:VirtualMachine",
    "azure-native_compute_v20240301:compute:VirtualMachine",
]


@pytest.mark.parametrize("kind", AZURE)
def test_a_machine_on_azure_in_any_version_of_its_api(kind):
    small = resource({"hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"}}, kind)
    large = resource({"hardwareProfile": {"vmSize": "Standard_NC24ads_A100_v4"}}, kind)
    assert not stands_twice(small, large)
    assert stands_twice(small, resource({**small.inputs, "vmName": "other"}, kind))


def test_a_group_on_google_cloud_grows_in_place_and_a_template_is_made_anew():
    group = "gcp:compute/instanceGroupManager:InstanceGroupManager"
    assert not stands_twice(resource({"targetSize": 1}, group), resource({"targetSize": 2}, group))
    template = "gcp:compute/instanceTemplate:InstanceTemplate"
    small = resource({"machineType": "g2-standard-4"}, template)
    assert stands_twice(small, resource({"machineType": "g2-standard-8"}, template))
