from typing import Any

import pytest

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.declare import policies
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.declaring.buckets import BucketGrant


def test_partitions() -> None:
    assert partition_of("us-east-1") == "aws"
    assert partition_of("cn-north-1") == "aws-cn"
    assert partition_of("us-gov-west-1") == "aws-us-gov"


def test_a_reader_of_a_prefix_sees_that_prefix_and_writes_nothing() -> None:
    grant = BucketGrant(bucket="b", prefix="tokens/", writable=False)
    listing, objects = policies.storage("aws", [("b", grant)])["Statement"]

    assert listing["Resource"] == "arn:aws:s3:::b"
    assert listing["Condition"] == {"StringLike": {"s3:prefix": ["tokens/*"]}}
    assert objects == {
        "Effect": "Allow",
        "Action": ["s3:GetObject"],
        "Resource": "arn:aws:s3:::b/tokens/*",
    }


def test_a_writer_of_a_whole_bucket() -> None:
    grant = BucketGrant(bucket="b", prefix="", writable=True)
    listing, objects = policies.storage("aws-cn", [("b", grant)])["Statement"]

    assert "Condition" not in listing
    assert objects["Resource"] == "arn:aws-cn:s3:::b/*"
    assert {"s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"} < set(objects["Action"])


def test_the_agent_writes_into_its_own_namespace_alone() -> None:
    agent = userdata.agent_configuration()
    metrics, tags = policies.metrics(agent)["Statement"]

    assert metrics["Action"] == ["cloudwatch:PutMetricData"]
    assert metrics["Condition"] == {
        "StringEquals": {"cloudwatch:namespace": agent["metrics"]["namespace"]}
    }
    assert tags["Action"] == ["ec2:DescribeTags"]


@pytest.mark.parametrize("appended", [{}, {"append_dimensions": {"ImageId": "${aws:ImageId}"}}])
def test_an_agent_that_needs_no_tags_may_not_read_them(appended: dict[str, Any]) -> None:
    document = policies.metrics({"metrics": {"namespace": "Own", **appended}})

    assert [statement["Action"] for statement in document["Statement"]] == [
        ["cloudwatch:PutMetricData"]
    ]


@pytest.mark.parametrize("ending", ["", ":1", "@sha256:0a", ":1@sha256:0a"])
@pytest.mark.parametrize(
    ("host", "region", "arn"),
    [
        (
            "123456789012.dkr.ecr.us-west-2.amazonaws.com",
            "us-west-2",
            "arn:aws:ecr:us-west-2:123456789012:repository/team/chat",
        ),
        (
            "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn",
            "cn-north-1",
            "arn:aws-cn:ecr:cn-north-1:123456789012:repository/team/chat",
        ),
    ],
)
def test_a_pull_reaches_the_images_own_repository(
    host: str, region: str, arn: str, ending: str
) -> None:
    image = f"{host}/team/chat{ending}"
    registry = userdata.ecr(image)
    assert registry == (host, region)
    token, pull = policies.pull(image, *registry)["Statement"]

    assert (token["Action"], token["Resource"]) == (["ecr:GetAuthorizationToken"], "*")
    assert pull["Resource"] == arn
    assert set(pull["Action"]) == {
        "ecr:BatchCheckLayerAvailability",
        "ecr:BatchGetImage",
        "ecr:GetDownloadUrlForLayer",
    }
