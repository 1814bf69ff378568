from gpuinfra.clouds.aws.build.identity import Grant, partition_of, storage_policy


def test_partitions() -> None:
    assert partition_of("us-east-1") == "aws"
    assert partition_of("cn-north-1") == "aws-cn"
    assert partition_of("us-gov-west-1") == "aws-us-gov"


def test_a_reader_of_a_prefix_sees_that_prefix_and_writes_nothing() -> None:
    grant = Grant(bucket="b", prefix="tokens/", writable=False)
    listing, objects = storage_policy("aws", [("b", grant)])["Statement"]

    assert listing["Resource"] == "arn:aws:s3:::b"
    assert listing["Condition"] == {"StringLike": {"s3:prefix": ["tokens/*"]}}
    assert objects == {
        "Effect": "Allow",
        "Action": ["s3:GetObject"],
        "Resource": "arn:aws:s3:::b/tokens/*",
    }


def test_a_writer_of_a_whole_bucket() -> None:
    grant = Grant(bucket="b", prefix="", writable=True)
    listing, objects = storage_policy("aws-cn", [("b", grant)])["Statement"]

    assert "Condition" not in listing
    assert objects["Resource"] == "arn:aws-cn:s3:::b/*"
    assert {"s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"} < set(objects["Action"])
