"""A second team's stack: it lets the first one's machines read a bucket of its own."""

import json

import pulumi
import pulumi_aws as aws

# Where the first stack stands; by default beside this one, under the same stack name.
beside = f"{pulumi.get_organization()}/import-components/{pulumi.get_stack()}"
first = pulumi.StackReference(pulumi.Config().get("components") or beside)

results = aws.s3.Bucket("evaluations")
aws.s3.BucketPublicAccessBlock(
    "evaluations",
    bucket=results.id,
    block_public_acls=True,
    block_public_policy=True,
    ignore_public_acls=True,
    restrict_public_buckets=True,
)
aws.iam.RolePolicy(
    "read-evaluations",
    role=first.require_output("machineRole"),
    policy=results.arn.apply(
        lambda arn: json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Action": ["s3:GetObject", "s3:ListBucket"],
                        "Resource": [arn, f"{arn}/*"],
                    }
                ],
            }
        )
    ),
)

pulumi.export("evaluations", results.id)
pulumi.export("trainedFrom", first.require_output("bucketName"))
pulumi.export("trainedBy", first.require_output("groupName"))
