"""A gateway whose environment, put together behind its repository, holds a password."""

import json

import pulumi_aws as aws

role = aws.iam.Role(
    "gateway",
    assume_role_policy=json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "lambda.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                }
            ],
        }
    ),
)
data = aws.s3.Bucket("data")
image = "123456789012.dkr.ecr.us-east-1.amazonaws.com/gateway:1"
aws.lambda_.Function(
    "gateway",
    role=role.arn,
    package_type="Image",
    image_uri=image,
    environment={
        "variables": data.id.apply(
            lambda name: {"DATA": name, "DB_PASSWORD": "correct-horse-7-battery"}
        )
    },
)
aws.lambda_.Function(
    "sweeper",
    role=role.arn,
    package_type="Image",
    image_uri=image,
    environment={"variables": {"DAYS": "7"}},
)
aws.ec2.Instance(
    "worker",
    ami="ami-0a1b2c3d4e5f60718",
    instance_type="g6.xlarge",
    availability_zone="us-east-1a",
)
