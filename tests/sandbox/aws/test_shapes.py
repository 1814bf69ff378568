"""Values go to botocore's shapes and back unchanged."""

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.shapes import arguments, camel, document, from_aws, to_aws
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError

texts = st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5), max_size=4)


@pytest.fixture(scope="module")
def ec2():
    client = boto3.client("ec2", "us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    yield client
    client.close()


def test_a_template_goes_and_returns(ec2):
    given_one = {
        "instanceType": "p5.48xlarge",
        "metadataOptions": {"httpPutResponseHopLimit": 1},
        "monitoring": {"enabled": True},
        "networkInterfaces": [{"deviceIndex": 0, "groups": ["sg-1"]}],
        "tagSpecifications": [{"resourceType": "instance", "tags": {"a": "b"}}],
    }

    there = to_aws(ec2, "RequestLaunchTemplateData", given_one)

    assert there["NetworkInterfaces"] == [{"DeviceIndex": 0, "Groups": ["sg-1"]}]
    assert there["TagSpecifications"][0]["Tags"] == [{"Key": "a", "Value": "b"}]
    assert from_aws(ec2, "ResponseLaunchTemplateData", there) == given_one


def test_values_take_the_type_of_the_shape(ec2):
    mapping = {"ebs": {"encrypted": "true", "volumeSize": "10"}, "deviceName": "/dev/sda1"}

    assert to_aws(ec2, "LaunchTemplateBlockDeviceMappingRequest", mapping) == {
        "Ebs": {"Encrypted": True, "VolumeSize": 10},
        "DeviceName": "/dev/sda1",
    }


def test_a_nested_property_that_aws_does_not_know_is_refused(ec2):
    with pytest.raises(CloudRefusalError, match=r'unknown property "Monitoring\.enable"'):
        to_aws(ec2, "Monitoring", {"enable": True})


def test_texts_that_aws_wraps_go_and_return(ec2):
    interface = {"privateIpAddresses": ["10.0.0.4"], "ipv6Addresses": ["::1"]}
    shape = "LaunchTemplateInstanceNetworkInterfaceSpecification"

    there = to_aws(ec2, shape + "Request", interface)

    assert there["PrivateIpAddresses"] == [{"PrivateIpAddress": "10.0.0.4"}]
    assert from_aws(ec2, shape, there) == interface


def test_arguments_are_what_the_operation_has(ec2):
    inputs = {"cidrBlock": "10.0.0.0/16", "enableDnsSupport": True, "instanceTenancy": None}

    assert arguments(ec2, "CreateVpc", inputs) == {"CidrBlock": "10.0.0.0/16"}


@pytest.mark.parametrize(
    ("aws", "pulumi"),
    [("HttpTokens", "httpTokens"), ("VPCId", "vpcId"), ("ARN", "arn"), ("ID", "id")],
)
def test_camel(aws, pulumi):
    assert camel(aws) == pulumi


def test_a_document_may_be_text_or_a_structure():
    assert document({"Version": "2012-10-17"}) == '{"Version": "2012-10-17"}'
    assert document("{}") == "{}"


@settings(deadline=None)
@given(texts)
def test_tags_go_to_pairs_and_back(declared):
    assert tags.mapping(tags.pairs(declared)) == {
        key: value for key, value in declared.items() if not key.startswith("aws:")
    }


@settings(deadline=None)
@given(texts, texts)
def test_the_difference_makes_one_into_the_other(actual, target):
    put, dropped = tags.difference(actual, target)

    assert {k: v for k, v in (actual | put).items() if k not in dropped} == target


@settings(deadline=None)
@given(texts, texts)
def test_default_tags_stand_in_tags_all_only(own, defaults):
    merged = defaults | own
    call = Call("t", "n", "u", {"tags": own, "tagsAll": merged}, "us-east-1", lambda service: None)

    assert tags.tag_outputs(call, merged) == {"tags": own or None, "tagsAll": merged}


def test_a_default_tag_changed_by_hand_is_seen():
    inputs = {"tags": {"a": "1"}, "tagsAll": {"a": "1", "owner": "ml"}}
    call = Call("t", "n", "u", inputs, "us-east-1", lambda service: None)

    assert tags.tag_outputs(call, {"a": "1", "owner": "eve"})["tags"] == {"a": "1", "owner": "eve"}
