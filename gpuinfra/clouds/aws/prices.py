"""The prices of AWS: machines, services, and the resource types that cost nothing."""

from typing import Final

from gpuinfra.clouds import interruptions
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.pricelist import PriceList

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

_LIST: Final = PriceList("aws", TABLES, _TOKENS)

prices = _LIST.prices
all_prices = _LIST.all_prices
modes = _LIST.modes
service_items = _LIST.service_items
free = _LIST.free
token = _LIST.token
interruption = interruptions.published(TABLES)
