"""What resources with a small fixed price cost an hour at most."""

from decimal import Decimal

import pytest

from gpuinfra.clouds import machineless_types


@pytest.mark.parametrize(
    ("kind", "inputs", "cost"),
    [
        (
            "aws:dynamodb/table:Table",
            {
                "readCapacity": 100,
                "globalSecondaryIndexes": [{"writeCapacity": 10}, {"writeCapacity": "10"}],
                "replicas": [{"regionName": "eu-west-1"}],
            },
            "0.09756",
        ),
        ("aws:dynamodb/table:Table", {"billingMode": "PAY_PER_REQUEST"}, "0"),
        ("aws:dynamodb/table:Table", {"readCapacity": 40_000}, "0"),
        ("aws:secretsmanager/secret:Secret", {}, "0.00055"),
        ("aws:secretsmanager/secret:Secret", {"replicas": [{"region": "a"}] * 2}, "0.00165"),
        (
            "aws:wafv2/webAcl:WebAcl",
            {"rules": [{"statement": {"managedRuleGroupStatement": {"name": "a"}}}, {}]},
            "0.02329",
        ),
        ("aws:route53/profilesAssociation:ProfilesAssociation", {}, "0.0014"),
        ("azure-native:storage:FileShare", {"shareQuota": 512}, "0.135168"),
        (
            "azure-native:documentdb:SqlResourceSqlContainer",
            {"options": {"throughput": 400}, "timesMore": 1},
            "0.064",
        ),
        (
            "azure-native:compute:GalleryImageVersion",
            {"publishingProfile": {"targetRegions": [{"regionalReplicaCount": 5}] * 4}},
            "0.2",
        ),
        ("gcp:compute/securityPolicy:SecurityPolicy", {"rules": [{}] * 150}, "0.21235"),
        ("gcp:compute/securityPolicyRule:SecurityPolicyRule", {}, "0.00137"),
        ("kubernetes:core/v1:Service", {"spec": {"type": "NodePort"}}, "0"),
        ("aws:s3/bucketObject:BucketObject", {}, "0"),
    ],
)
def test_what_a_small_one_costs_at_most_is_told(kind, inputs, cost):
    assert machineless_types.charge(kind, inputs) == Decimal(cost)
