"""What a caller passes beside the arguments: network, buckets, tags and resource options."""

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.clouds.declaring.inputs import CallersNetwork
from gpuinfra.clouds.declaring.network import take_callers
from gpuinfra.components.args import BucketArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network
from gpuinfra.errors import InputError
from gpuinfra.graph import RuntimeInput
from tests.components.trainers import REGION, cluster

OWN = Network(vpc_id="vpc-0", subnet_ids=["subnet-0"])


def test_callers_network_is_used_and_none_is_made(record) -> None:
    seen = record(lambda: cluster(network=OWN))

    assert seen.of("trainer-security-group").inputs["vpcId"] == "vpc-0"
    assert seen.of("trainer-group").inputs["vpcZoneIdentifiers"] == ["subnet-0"]
    assert not any(
        "ec2/vpc:" in resource.type or "ec2/subnet:" in resource.type
        for resource in seen.resources
    )


def test_the_fabric_does_not_leave_one_subnet(record) -> None:
    wide = Network(vpc_id="vpc-0", subnet_ids=["subnet-0", "subnet-1"])

    with pytest.raises(ProgramError, match=r"trainer: the network has 2 subnets.*one subnet"):
        record(lambda: cluster(network=wide))


def test_callers_tags_reach_everything_that_takes_tags(record) -> None:
    seen = record(lambda: cluster(tags={"cost-center": "42"}))
    tagged = [resource for resource in seen.resources if "tags" in resource.inputs]
    group = seen.of("trainer-group").inputs["tags"]
    template = seen.of("trainer-launch-template").inputs

    assert len(tagged) > 15
    for resource in tagged:
        tags = resource.inputs["tags"]
        if isinstance(tags, list):
            tags = {tag["key"]: tag["value"] for tag in tags}
        assert (tags["cost-center"], tags["gpuinfra:owner"]) == ("42", "ml-platform"), (
            resource.name
        )
        assert tags["gpuinfra:workload"] == "trainer", resource.name
    assert all(tag["propagateAtLaunch"] for tag in group)
    assert all(spec["tags"]["cost-center"] == "42" for spec in template["tagSpecifications"])


def test_callers_tags_never_stand_in_for_ours(record) -> None:
    with pytest.raises(ProgramError, match=r"trainer: the tag 'gpuinfra:owner' is reserved"):
        record(lambda: cluster(tags={"gpuinfra:owner": "evil"}))
    with pytest.raises(
        ProgramError, match=r"trainer: tags does not accept list; allowed: a mapping"
    ):
        record(lambda: cluster(tags=["evil"]))


def test_callers_provider_reaches_every_child_and_look_up(record) -> None:
    def program() -> None:
        provider = aws.Provider("mine", region=REGION)
        cluster(opts=pulumi.ResourceOptions(provider=provider))

    seen = record(program)
    children = [resource for resource in seen.resources if resource.type.startswith("aws:")]

    assert len(children) > 20
    assert {"pulumi:providers:aws::mine" in resource.provider for resource in children} == {True}


def test_callers_protection_and_aliases_reach_the_component(record) -> None:
    options = pulumi.ResourceOptions(protect=True, aliases=[pulumi.Alias(name="old-trainer")])
    seen = record(lambda: cluster(opts=options))

    # The engine itself derives the children's aliases from their parent's.
    assert seen.of("trainer").aliases == ("old-trainer",)
    assert all(resource.protect for resource in seen.resources)


def test_callers_transformations_see_every_child(record) -> None:
    def shout(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ != "aws:ec2/vpc:Vpc":
            return None
        return pulumi.ResourceTransformationResult(
            {**args.props, "enable_network_address_usage_metrics": True}, args.opts
        )

    seen = record(lambda: cluster(opts=pulumi.ResourceOptions(transformations=[shout])))

    assert seen.of("trainer-vpc").inputs["enableNetworkAddressUsageMetrics"] is True


def test_a_bucket_that_nobody_gave(record) -> None:
    with pytest.raises(ProgramError, match=r"trainer: the bucket 'data' is not passed"):
        record(lambda: cluster(buckets={}))


def test_a_bucket_is_given_as_a_component_a_name_or_an_output(record) -> None:
    def granted(bucket: Callable[[], Any]) -> str:
        policy: str = (
            record(lambda: cluster(buckets={"data": bucket()}))
            .of("trainer-storage")
            .inputs["policy"]
        )
        return policy

    def component() -> DataBucket:
        return DataBucket("tokens", BucketArgs(region=REGION))

    assert '"arn:aws:s3:::tokens-bucket"' in granted(lambda: "tokens-bucket")
    assert granted(lambda: pulumi.Output.from_input("tokens-bucket")) == granted(
        lambda: "tokens-bucket"
    )
    assert '"arn:aws:s3:::project-tokens-' in granted(component)
    assert granted(component) == granted(lambda: component().bucket_name)


@pytest.mark.parametrize(
    ("buckets", "message"),
    [
        (
            {"data": 5},
            r"trainer: buckets.data does not accept int; allowed: a DataBucket, a bucket's",
        ),
        (["data"], r"trainer: buckets does not accept list; allowed: a mapping"),
        (
            {"data": "arn:aws:s3:::tokens"},
            (
                r"trainer: buckets.data is not a valid bucket name on S3.*"
                r"given 'arn:aws:s3:::tokens'.*no ARN"
            ),
        ),
        ({"data": "s3://tokens/"}, r"buckets.data is not a valid bucket name on S3"),
        (
            {"data": "tokens", "dta": "tokens"},
            r"trainer: the bucket 'dta' is passed but not mounted.*did you mean data?",
        ),
    ],
)
def test_what_is_no_bucket_is_refused(record, buckets: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        record(lambda: cluster(buckets=buckets))


def test_a_resource_in_a_buckets_place_is_told_the_way_out(record) -> None:
    with pytest.raises(ProgramError, match=r"does not accept Bucket;.*pass its name"):
        record(lambda: cluster(buckets={"data": aws.s3.Bucket("tokens")}))


def test_the_subnets_of_a_network_may_be_known_later(record) -> None:
    ids = pulumi.Output.from_input(["subnet-7"])
    network = Network(vpc_id=pulumi.Output.from_input("vpc-0"), subnet_ids=ids)
    seen = record(lambda: cluster(network=network))

    assert seen.of("trainer-group").inputs["vpcZoneIdentifiers"] == ["subnet-7"]


def test_the_number_of_subnets_is_counted_where_it_is_known() -> None:
    theirs = CallersNetwork(vpc_id="vpc-0", subnet_ids=RuntimeInput("subnets"))
    place = take_callers("trainer", theirs, subnets="one subnet", accepts_count=(1).__eq__)

    assert place.subnet_ids.function(["subnet-7"]) == ["subnet-7"]
    with pytest.raises(InputError, match="trainer: the network has 2 subnets"):
        place.subnet_ids.function(["subnet-7", "subnet-8"])


def test_a_tag_may_be_known_later(record) -> None:
    seen = record(lambda: cluster(tags={"team": pulumi.Output.from_input("research")}))

    for child in ("trainer-launch-template", "trainer-vpc"):
        assert seen.of(child).inputs["tags"]["team"] == "research"
