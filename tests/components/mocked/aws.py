"""AWS, without an engine."""

from typing import Any

from pulumi.runtime import mocks

from tests.components.mocked import Mocked

ACCOUNT = "123456789012"
VPC = "vpc-0123456789abcdef0"
IMAGE = "ami-0123456789abcdef0"


def computed(args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
    return f"{args.name}-id", {
        "arn": f"arn:aws:mock:{args.name}",
        "arnSuffix": f"mock/{args.name}",
        "dnsName": f"{args.name}.elb.amazonaws.com",
        "latestVersion": 1,
        "name": f"{args.name}-0a1b2c3",
        "url": f"https://sqs.us-east-1.amazonaws.com/{ACCOUNT}/{args.name}-0a1b2c3",
    }


def subnet(arguments: dict[str, Any]) -> dict[str, Any]:
    """A subnet that is there: its zone is told by the last digit of its id."""
    number = int(arguments["id"][-1])
    return {
        "id": arguments["id"],
        "vpcId": VPC,
        "availabilityZone": f"{arguments['region']}{'abcdef'[number]}",
        "cidrBlock": f"10.9.{number}.0/24",
        "mapPublicIpOnLaunch": arguments["id"].startswith("subnet-bad"),
    }


PROVIDER = Mocked(
    package="aws",
    sdk="pulumi_aws",
    parts=(
        *("autoscaling", "budgets", "cloudwatch", "ec2", "ecr", "fsx", "iam", "kms", "lambda_"),
        *("lb", "s3", "scheduler", "sns", "sqs", "ssm", "vpc"),
    ),
    answers={
        "aws:index/getCallerIdentity:getCallerIdentity": {"accountId": ACCOUNT},
        "aws:ssm/getParameter:getParameter": {"insecureValue": IMAGE},
        "aws:ec2/getAmi:getAmi": {"rootDeviceName": "/dev/xvda"},
        "aws:ec2/getSubnet:getSubnet": subnet,
        "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": lambda given: {
            "locations": [f"{given['region']}{letter}" for letter in "abcdef"]
        },
        "aws:ec2/getVpc:getVpc": {"cidrBlock": "10.9.0.0/16"},
        "aws:ecr/getImage:getImage": {"imageDigest": f"sha256:{'a' * 64}"},
        "aws:sqs/getQueue:getQueue": lambda given: {
            "arn": f"arn:aws:sqs:{given['region']}:{ACCOUNT}:{given['name']}",
            "url": f"https://sqs.{given['region']}.amazonaws.com/{ACCOUNT}/{given['name']}",
        },
    },
    computed=computed,
)
