"""Which conditions keep strangers out of what a statement for everybody allows."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe.rights.public_statements import keeps_out
from gpuinfra.graph import Symbol
from gpuinfra.model import UNKNOWN


@pytest.mark.parametrize(
    "condition",
    [
        {"StringEquals": {"aws:PrincipalOrgID": "o-1"}},
        {"StringEquals": {"aws:PrincipalOrgID": "${aws:ResourceOrgID}"}},
        {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}},
        {"ForAnyValue:StringLike": {"aws:PrincipalOrgPaths": "o-1/r-ab/*"}},
        {"StringEquals": {"AWS:SourceOwner": "123456789012"}},
        {"StringEquals": {"aws:SourceAccount": Symbol("${account}")}},
        {"StringLike": {"aws:SourceAccount": "123456789012"}},
        {"StringEqualsIfExists": {"aws:PrincipalAccount": "123456789012"}},
        {
            "StringEqualsIfExists": {"aws:SourceVpce": "vpce-1"},
            "Null": {"aws:SourceVpce": "false"},
        },
        {"StringEquals": {"aws:SourceVpce": ["vpce-1", "vpce-2"]}},
        {"StringEquals": {"aws:sourceVpc": "vpc-1"}},
        {"StringLike": {"aws:PrincipalArn": "arn:aws:iam::123456789012:role/*"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:sns:*:123456789012:*"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:s3:*:*:bucket"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:s3:::bucket/*"}},
        {"ArnEquals": {"aws:SourceArn": "arn:aws:sns:us-east-1:123456789012:topic"}},
        {"StringLike": {"aws:userid": "AROAEXAMPLEID:*"}},
        {"IpAddress": {"aws:SourceIp": ["203.0.113.0/24", "2001:db8::/32"]}},
        {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}},
        {
            "StringEquals": {
                "kms:CallerAccount": "123456789012",
                "kms:ViaService": "s3.us-east-1.amazonaws.com",
            }
        },
        {"StringLike": {"SNS:Endpoint": "*@example.com"}},
        {"StringLike": {"sns:Endpoint": "https://example.com/*"}},
        {"StringEquals": {"s3:x-amz-server-side-encryption-aws-kms-key-id": "arn:aws:kms:a"}},
        {"StringEquals": {"s3:DataAccessPointAccount": "123456789012"}},
        {"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}},
        {"StringEquals": {"aws:SourceAccount": UNKNOWN}},
        {"StringEquals": UNKNOWN},
        UNKNOWN,
    ],
)
def test_fixed_values_of_who_calls_or_whence_keep_strangers_out(condition: Any) -> None:
    assert keeps_out(condition)


@pytest.mark.parametrize(
    "condition",
    [
        None,
        {},
        {"StringEquals": {"s3:x-amz-acl": "bucket-owner-full-control"}},
        {"StringEquals": {"s3:ExistingObjectTag/public": "yes"}},
        {"StringEquals": {"s3:x-amz-server-side-encryption": "AES256"}},
        {"StringLike": {"s3:prefix": "public/*"}},
        {"NumericLessThanEquals": {"s3:max-keys": "10"}},
        {"StringEquals": {"aws:RequestTag/team": "a"}},
        {"StringEquals": {"aws:RequestTag/team": UNKNOWN}},
        {"StringEquals": {"aws:PrincipalTag/team": "a"}},
        {"StringEquals": {"aws:username": "bob"}},
        {"StringEquals": {"aws:PrincipalType": "AssumedRole"}},
        {"Bool": {"aws:ViaAWSService": "true"}},
        {"Bool": {"aws:PrincipalIsAWSService": "true"}},
        {"StringEquals": {"aws:ResourceAccount": "123456789012"}},
        {"StringEquals": {"s3:ResourceAccount": "123456789012"}},
        {"StringEquals": {"sts:RoleSessionName": "ci"}},
        {"StringEquals": {"sts:SourceIdentity": "bob"}},
        {"StringEquals": {"sts:ExternalId": "a"}},
        {"StringEquals": {"secretsmanager:VersionStage": "AWSCURRENT"}},
        {"StringEquals": {"kms:EncryptionContext:app": "x"}},
        {"StringEquals": {"kms:ViaService": "s3.us-east-1.amazonaws.com"}},
        {"StringEquals": {"events:source": "my.app"}},
        {"StringLike": {"aws:PrincipalAccount": "????????????"}},
        {"StringLike": {"aws:PrincipalArn": "arn:aws:*"}},
        {"StringLike": {"aws:PrincipalArn": "arn:aws:iam::????????????:role/a"}},
        {"StringLike": {"aws:PrincipalArn": ["arn:aws:iam::123456789012:role/a", "arn:aws:*"]}},
        {"StringLike": {"aws:SourceVpce": "vpce-*"}},
        {"StringLike": {"aws:SourceVpc": "vpc-*"}},
        {"IpAddress": {"aws:VpcSourceIp": "10.0.0.0/8"}},
        {"StringLike": {"aws:PrincipalOrgID": "o-*"}},
        {"ForAnyValue:StringLike": {"aws:PrincipalOrgPaths": "o-*"}},
        {"ForAnyValue:StringLike": {"aws:PrincipalOrgPaths": "o-*/r-ab/*"}},
        {"ForAllValues:StringEquals": {"aws:PrincipalOrgPaths": "o-1/r-ab"}},
        {"Null": {"aws:PrincipalOrgID": "false"}},
        {"StringEquals": {"aws:PrincipalOrgID": "${aws:PrincipalOrgID}"}},
        {"StringNotEquals": {"aws:PrincipalAccount": "123456789012"}},
        {"StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}},
        {"StringLikeIfExists": {"aws:PrincipalArn": "arn:aws:iam::123456789012:role/a"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:sns:*:*:*"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:sns:*:*:topic"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:s3:::bucket-*"}},
        {"StringLike": {"aws:userid": "AROA*:*"}},
        {"IpAddress": {"aws:SourceIp": ["203.0.113.0/24", "0.0.0.0/1"]}},
        {"IpAddress": {"aws:SourceIp": [f"{first}.0.0.0/8" for first in range(256)]}},
        {"IpAddress": {"aws:SourceIp": [f"{first}.0.0.0/8" for first in range(1, 99, 2)]}},
        {"Bool": {"elasticfilesystem:AccessedViaMountTarget": "false"}},
        {"StringLike": {"sns:Endpoint": "*"}},
        {"StringLike": {"sns:Endpoint": "https://*"}},
        {"Bool": {"aws:SecureTransport": "true"}},
        {"DateLessThan": {"aws:CurrentTime": "2099-01-01T00:00:00Z"}},
        {"DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}},
    ],
)
def test_what_strangers_choose_or_have_keeps_none_of_them_out(condition: Any) -> None:
    assert not keeps_out(condition)
