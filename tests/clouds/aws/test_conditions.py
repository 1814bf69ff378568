"""Which conditions of a policy leave anyone or anything out."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe.conditions import narrows
from gpuinfra.model import UNKNOWN


@pytest.mark.parametrize(
    "condition",
    [
        {"StringEquals": {"aws:PrincipalOrgID": "o-1"}},
        {"StringLike": {"aws:PrincipalArn": "arn:aws:iam::1:role/*"}},
        {"StringEquals": {"iam:PermissionsBoundary": "arn:aws:iam::1:policy/b"}},
        {"ArnLike": {"aws:SourceArn": "arn:aws:sns:*:1:t"}},
        {"IpAddress": {"aws:SourceIp": ["10.0.0.0/8", "2001:db8::/32"]}},
        {"Bool": {"aws:PrincipalIsAWSService": "true"}},
        {"StringEqualsIfExists": {"aws:PrincipalAccount": "1"}},
        {"Null": {"aws:PrincipalTag/team": "false"}},
        {
            "ForAllValues:StringEquals": {"aws:TagKeys": ["a"]},
            "Null": {"aws:TagKeys": "false"},
        },
        {"ForAnyValue:StringEquals": {"aws:TagKeys": ["a"]}},
        {"Bool": {"aws:SecureTransport": "true"}, "StringEquals": {"aws:PrincipalAccount": "1"}},
        {"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}},
        {"StringEquals": UNKNOWN},
        {"StringEquals": {"aws:PrincipalOrgID": UNKNOWN}},
        UNKNOWN,
    ],
)
def test_a_condition_that_some_do_not_meet_narrows(condition: Any) -> None:
    assert narrows(condition)


@pytest.mark.parametrize(
    "condition",
    [
        None,
        {},
        {"Bool": {"aws:SecureTransport": "true"}},
        {"NumericGreaterThan": {"s3:TlsVersion": "1.1"}},
        {"StringLike": {"aws:UserAgent": "me"}},
        {"StringLike": {"aws:PrincipalArn": "*"}},
        {"StringLike": {"aws:PrincipalArn": ["arn:aws:iam::1:role/a", "?*"]}},
        {"ArnLike": {"aws:PrincipalArn": "*"}},
        {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/a"}},
        {"StringLike": {"aws:PrincipalArn": ["arn:aws:iam::1:role/a", "arn:aws:iam::*:role/a"]}},
        {"ForAnyValue:StringLike": {"aws:PrincipalOrgPaths": "*"}},
        {"StringNotEquals": {"aws:PrincipalAccount": "1"}},
        {"StringNotLike": {"aws:PrincipalArn": "arn:aws:iam::1:role/a"}},
        {"ArnNotEquals": {"aws:PrincipalArn": "arn:aws:iam::1:role/a"}},
        {"NotIpAddress": {"aws:SourceIp": "10.0.0.0/8"}},
        {"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}},
        {"IpAddress": {"aws:SourceIp": ["0.0.0.0/1", "128.0.0.0/1"]}},
        {"IpAddress": {"aws:SourceIp": "::/0"}},
        {"Bool": {"aws:MultiFactorAuthPresent": "true"}},
        {"BoolIfExists": {"aws:MultiFactorAuthPresent": "true"}},
        {"NumericLessThan": {"aws:MultiFactorAuthAge": "3600"}},
        {"StringEqualsIfExists": {"foo:bar": "1"}},
        {"ForAllValues:StringEquals": {"aws:TagKeys": ["a"]}},
        {"Bool": {"aws:PrincipalIsAWSService": "false"}},
        {"Null": {"foo:bar": "true"}},
        {"Null": {"aws:PrincipalArn": "false"}},
        {"DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}},
        {"DateLessThan": {"aws:CurrentTime": "2099-01-01T00:00:00Z"}},
        {"Bool": {"aws:SecureTransport": "true"}, "StringLike": {"aws:PrincipalArn": "*"}},
    ],
)
def test_a_condition_that_everyone_meets_narrows_nothing(condition: Any) -> None:
    assert not narrows(condition)
