"""Which conditions of a policy leave anyone or anything out."""

from typing import Any

import pytest

from gpuinfra.clouds.aws.observe.rights.conditions import excludes_any
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
        {"StringEquals": {"aws:PrincipalTag/team": "${aws:ResourceTag/team}"}},
        {"StringLike": {"aws:PrincipalAccount": ["1234*", "5678*"]}},
        {"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::123456??????:role/*"}},
        {"IpAddress": {"aws:SourceIp": [f"{first}.0.0.0/8" for first in (3, 18, 52)]}},
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
    assert excludes_any(condition)


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
        {"Null": {"aws:TokenIssueTime": "false"}},
        {"Null": {"aws:ViaAWSService": "false"}},
        {"StringEquals": {"aws:PrincipalTag/a": "${aws:PrincipalTag/a}"}},
        {"StringLike": {"aws:username": ["bob", "${aws:username}"]}},
        {"StringEquals": {"aws:PrincipalType": ["AssumedRole", "User"]}},
        {"StringLike": {"aws:PrincipalAccount": "????????????"}},
        {"StringLike": {"aws:PrincipalAccount": [f"{first}*" for first in range(9)]}},
        {"ArnLike": {"aws:PrincipalArn": [f"arn:aws:iam::{a}*:role/*" for a in range(10)]}},
        {"IpAddress": {"aws:SourceIp": [f"{first}.0.0.0/8" for first in range(256)]}},
        {"IpAddress": {"aws:SourceIp": [f"{first}.0.0.0/8" for first in range(1, 99, 2)]}},
        {"DateGreaterThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}},
        {"DateLessThan": {"aws:CurrentTime": "2099-01-01T00:00:00Z"}},
        {"Bool": {"aws:SecureTransport": "true"}, "StringLike": {"aws:PrincipalArn": "*"}},
    ],
)
def test_a_condition_that_everyone_meets_narrows_nothing(condition: Any) -> None:
    assert not excludes_any(condition)
