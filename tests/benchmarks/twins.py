"""One stack of any size twice: as Pulumi previews it, and as Terraform plans it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STACK = "urn:pulumi:dev::shop"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
PROVIDER = f"{STACK}::pulumi:providers:aws::default_7_51_1::{UNKNOWN}"
TAGS = {"owner": "ml", "cost-center": "research"}
CLOSED = {
    "blockPublicAcls": True,
    "blockPublicPolicy": True,
    "ignorePublicAcls": True,
    "restrictPublicBuckets": True,
}


@dataclass(frozen=True)
class Made:
    """A resource: its two types, what is declared of it, and what refers to what.

    `inputs` are Pulumi's; `blocks` are those that Terraform writes as a list of one block.
    """

    type: str
    terraform: str
    name: str
    inputs: dict[str, Any]
    refers: dict[str, str] = field(default_factory=dict)
    blocks: tuple[str, ...] = ()

    @property
    def urn(self) -> str:
        return f"{STACK}::{self.type}::{self.name}"


def made(count: int) -> Iterator[Made]:
    """So many resources: machines, pools, disks, firewalls and buckets as people declare them."""
    for number in range(count // 10):
        yield from _ten(number)


def _ten(number: int) -> Iterator[Made]:
    firewall = Made(
        "aws:ec2/securityGroup:SecurityGroup",
        "aws_security_group",
        f"firewall{number}",
        {"description": "inside", "vpcId": "vpc-1", "tags": TAGS, "ingress": [], "egress": []},
    )
    template = Made(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws_launch_template",
        f"template{number}",
        {
            "instanceType": "p5.48xlarge",
            "imageId": "ami-0123456789abcdef0",
            "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
            "blockDeviceMappings": [
                {"deviceName": "/dev/sda1", "ebs": {"encrypted": "true", "volumeSize": 200}}
            ],
            "tagSpecifications": [{"resourceType": "instance", "tags": TAGS}],
        },
        blocks=("metadataOptions", "ebs"),
    )
    bucket = Made(
        "aws:s3/bucket:Bucket", "aws_s3_bucket", f"data{number}", {"bucket": f"data-{number}"}
    )
    yield firewall
    yield template
    yield Made(
        "aws:autoscaling/group:Group",
        "aws_autoscaling_group",
        f"pool{number}",
        {
            "minSize": 0,
            "maxSize": 2,
            "vpcZoneIdentifiers": ["subnet-1"],
            "launchTemplate": {"id": UNKNOWN, "version": "1"},
            "tags": [{"key": "owner", "value": "ml", "propagateAtLaunch": True}],
        },
        {"launchTemplate": template.urn},
        blocks=("launchTemplate",),
    )
    for kind in ("one", "two"):
        yield Made(
            "aws:ec2/instance:Instance",
            "aws_instance",
            f"{kind}{number}",
            {
                "instanceType": "g6.xlarge",
                "ami": "ami-0123456789abcdef0",
                "subnetId": "subnet-1",
                "associatePublicIpAddress": kind == "two",
                "rootBlockDevice": {"encrypted": True, "volumeSize": 100},
                "metadataOptions": {"httpTokens": "required"},
                "userData": "#!/bin/sh\necho ready\n",
                "tags": TAGS,
            },
            blocks=("rootBlockDevice", "metadataOptions"),
        )
    yield Made(
        "aws:ebs/volume:Volume",
        "aws_ebs_volume",
        f"disk{number}",
        {"availabilityZone": "us-east-1a", "size": 100, "type": "gp3", "encrypted": True},
    )
    yield bucket
    for type_, terraform, name, inputs in (
        (
            "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
            "aws_s3_bucket_public_access_block",
            "closed",
            CLOSED,
        ),
        (
            "aws:s3/bucketVersioning:BucketVersioning",
            "aws_s3_bucket_versioning",
            "versions",
            {"versioningConfiguration": {"status": "Enabled"}},
        ),
        (
            "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
            "aws_s3_bucket_ownership_controls",
            "owner",
            {"rule": {"objectOwnership": "BucketOwnerEnforced"}},
        ),
    ):
        yield Made(
            type_,
            terraform,
            f"{name}{number}",
            {"bucket": f"data-{number}", **inputs},
            {"bucket": bucket.urn},
            blocks=("versioningConfiguration", "rule"),
        )


def preview(path: Path, count: int) -> int:
    """Write `pulumi preview --json --show-sames`, as Pulumi indents it; how many resources."""
    written = 0
    with path.open("w") as file:
        file.write('{"config": {"aws:region": "us-east-1"}, "steps": [')
        for resource in made(count):
            entry = {
                "urn": resource.urn,
                "custom": True,
                "type": resource.type,
                "provider": PROVIDER,
                "inputs": resource.inputs,
                "propertyDependencies": {
                    key: [resource.refers[key]] if key in resource.refers else []
                    for key in resource.inputs
                },
            }
            step = {"op": "create", "urn": resource.urn, "provider": PROVIDER, "newState": entry}
            file.write(("," if written else "") + json.dumps(step, indent=2))
            written += 1
        file.write(f'], "duration": 1, "changeSummary": {{"create": {written}}}}}')
    return written


def plan(path: Path, count: int) -> int:
    """Write `terraform show -json` of a plan of the same; how many resources."""
    provider = "registry.terraform.io/hashicorp/aws"
    planned, changed, configured = [], [], []
    for resource in made(count):
        known = {
            "address": f"{resource.terraform}.{resource.name}",
            "mode": "managed",
            "type": resource.terraform,
            "name": resource.name,
        }
        values = _snake(resource.inputs, resource.blocks)
        if resource.terraform == "aws_autoscaling_group":
            values["tag"] = values.pop("tags")
            values["vpc_zone_identifier"] = values.pop("vpc_zone_identifiers")
        planned.append({**known, "provider_name": provider, "values": values})
        change = {"actions": ["create"], "before": None, "after": values, "after_unknown": {}}
        changed.append({**known, "provider_name": provider, "change": change})
        configured.append({**known, "provider_config_key": "aws", "expressions": {}})
    document = {
        "format_version": "1.2",
        "terraform_version": "1.9.0",
        "planned_values": {"root_module": {"resources": planned}},
        "resource_changes": changed,
        "configuration": {"root_module": {"resources": configured}},
    }
    path.write_text(json.dumps(document))
    return len(planned)


def _snake(value: Any, blocks: tuple[str, ...]) -> Any:
    """The same in Terraform's words, where a single block stands in a list."""
    if isinstance(value, list):
        return [_snake(item, blocks) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key): (
            [_snake(inner, blocks)] if key in blocks else _snake(inner, blocks)
        )
        for key, inner in value.items()
    }
