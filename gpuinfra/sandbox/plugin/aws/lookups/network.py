"""Look-ups of existing networks: VPCs, subnets, security groups."""

from typing import Any

from gpuinfra.sandbox.plugin.aws.lookups.answers import (
    filters,
    filters_of,
    listed,
    single_match,
    tags,
)
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext
from gpuinfra.sandbox.plugin.facts import read_fields


def _matching_vpcs(lookup_context: LookupContext, args: dict[str, Any]) -> list[dict[str, Any]]:
    conditions = [*filters(args), *filters_of(args, {"cidrBlock": "cidr", "state": "state"})]
    if args.get("default") is not None:
        conditions.append({"Name": "is-default", "Values": [str(args["default"]).lower()]})
    if args.get("id"):
        conditions.append({"Name": "vpc-id", "Values": [args["id"]]})
    client = lookup_context.client("ec2", args.get("region") or lookup_context.settings.place)
    return list(client.describe_vpcs(Filters=conditions)["Vpcs"])


def _vpc(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    vpc = single_match(_matching_vpcs(lookup_context, args), "EC2 VPC")
    region = args.get("region") or lookup_context.settings.place
    return {
        **read_fields("aws:ec2/getVpc:getVpc", vpc),
        "arn": f"arn:aws:ec2:{region}:{vpc['OwnerId']}:vpc/{vpc['VpcId']}",
        "cidrBlockAssociations": [
            {
                "associationId": item["AssociationId"],
                "cidrBlock": item["CidrBlock"],
                "state": item["CidrBlockState"]["State"],
            }
            for item in vpc.get("CidrBlockAssociationSet", ())
        ],
        "dhcpOptionsId": vpc.get("DhcpOptionsId", ""),
        "region": region,
        "tags": tags(vpc.get("Tags")),
    }


def _vpcs(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    vpcs = listed([vpc["VpcId"] for vpc in _matching_vpcs(lookup_context, args)], "EC2 VPC")
    return {**args, "id": region, "region": region, "ids": vpcs, "tags": args.get("tags") or {}}


def _matching_subnets(lookup_context: LookupContext, args: dict[str, Any]) -> list[dict[str, Any]]:
    names = {
        "id": "subnet-id",
        "vpcId": "vpc-id",
        "availabilityZone": "availability-zone",
        "availabilityZoneId": "availability-zone-id",
        "cidrBlock": "cidr-block",
        "state": "state",
    }
    conditions = [*filters(args), *filters_of(args, names)]
    if args.get("defaultForAz") is not None:
        conditions.append(
            {"Name": "default-for-az", "Values": [str(args["defaultForAz"]).lower()]}
        )
    client = lookup_context.client("ec2", args.get("region") or lookup_context.settings.place)
    return list(client.describe_subnets(Filters=conditions)["Subnets"])


def _subnet(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    subnet = single_match(_matching_subnets(lookup_context, args), "EC2 Subnet")
    return {
        **read_fields("aws:ec2/getSubnet:getSubnet", subnet),
        "availabilityZoneId": subnet.get("AvailabilityZoneId", ""),
        "region": args.get("region") or lookup_context.settings.place,
        "tags": tags(subnet.get("Tags")),
    }


def _subnets(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    subnet_ids = [subnet["SubnetId"] for subnet in _matching_subnets(lookup_context, args)]
    subnets = listed(subnet_ids, "EC2 Subnet")
    return {**args, "id": region, "region": region, "ids": subnets, "tags": args.get("tags") or {}}


def _security_group(lookup_context: LookupContext, args: dict[str, Any]) -> dict[str, Any]:
    region = args.get("region") or lookup_context.settings.place
    names = {"id": "group-id", "name": "group-name", "vpcId": "vpc-id"}
    answer = lookup_context.client("ec2", region).describe_security_groups(
        Filters=[*filters(args), *filters_of(args, names)]
    )
    group = single_match(answer["SecurityGroups"], "EC2 Security Group")
    return {
        "id": group["GroupId"],
        "arn": f"arn:aws:ec2:{region}:{group['OwnerId']}:security-group/{group['GroupId']}",
        "description": group["Description"],
        "name": group["GroupName"],
        "region": region,
        "tags": tags(group.get("Tags")),
        "vpcId": group.get("VpcId", ""),
    }


INVOKES: dict[str, Invoke] = {
    "aws:ec2/getSecurityGroup:getSecurityGroup": _security_group,
    "aws:ec2/getSubnet:getSubnet": _subnet,
    "aws:ec2/getSubnets:getSubnets": _subnets,
    "aws:ec2/getVpc:getVpc": _vpc,
    "aws:ec2/getVpcs:getVpcs": _vpcs,
}
