"""The prices of AWS: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds.aws.metered import METERED
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.price_list import PriceList

_TOKENS: Final = {
    "ebs-": "aws:ebs/volume:Volume",
    "nat-gateway-": "aws:ec2/natGateway:NatGateway",
    "public-ipv4-": "aws:ec2/eip:Eip",
    "alb-": "aws:lb/loadBalancer:LoadBalancer",
    "nlb-": "aws:lb/loadBalancer:LoadBalancer",
    "s3-": "aws:s3/bucket:Bucket",
    "vpc-interface-endpoint-": "aws:ec2/vpcEndpoint:VpcEndpoint",
    "gwlb-endpoint-": "aws:ec2/vpcEndpoint:VpcEndpoint",
    "fsx-lustre-": "aws:fsx/lustreFileSystem:LustreFileSystem",
    "fsx-openzfs-": "aws:fsx/openZfsFileSystem:OpenZfsFileSystem",
    "efs-": "aws:efs/fileSystem:FileSystem",
    "cloudwatch-logs-": "aws:cloudwatch/logGroup:LogGroup",
    "cloudwatch-alarm-": "aws:cloudwatch/metricAlarm:MetricAlarm",
    "cloudwatch-dashboard": "aws:cloudwatch/dashboard:Dashboard",
    "kms-": "aws:kms/key:Key",
    "transit-gateway-": "aws:ec2transitgateway/vpcAttachment:VpcAttachment",
}

PRICES: Final = PriceList("aws", TABLES, _TOKENS, METERED)
