"""AWS, without an engine."""

from typing import Any

from pulumi.runtime import mocks

from tests.components.mocked import Mocked

ACCOUNT = "123456789012"
IMAGE = "ami-0123456789abcdef0"


def computed(args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
    return f"{args.name}-id", {
        "arn": f"arn:aws:mock:{args.name}",
        "arnSuffix": f"mock/{args.name}",
        "dnsName": f"{args.name}.elb.amazonaws.com",
        "latestVersion": 1,
        "name": f"{args.name}-0a1b2c3",
    }


PROVIDER = Mocked(
    package="aws",
    sdk="pulumi_aws",
    parts=("autoscaling", "budgets", "ec2", "iam", "lb", "s3", "ssm", "vpc"),
    answers={
        "aws:index/getCallerIdentity:getCallerIdentity": {"accountId": ACCOUNT},
        "aws:ssm/getParameter:getParameter": {"insecureValue": IMAGE},
        "aws:ec2/getAmi:getAmi": {"rootDeviceName": "/dev/xvda"},
    },
    computed=computed,
)
