"""What anyone's resources cost besides machines: file systems, volumes, logs, endpoints."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.tables import PRICES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.program import Program

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
OPEN_ZFS = "aws:fsx/openZfsFileSystem:OpenZfsFileSystem"
ELASTIC = "aws:efs/fileSystem:FileSystem"
VOLUME = "aws:ebs/volume:Volume"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
ZFS = {"deploymentType": "SINGLE_AZ_1", "storageCapacity": 64, "throughputCapacity": 128.0}


def seen(kind, **inputs):
    program = Program()
    program.add(kind, "one", region="us-east-1", **inputs)
    return observe(program.resources())


def items(kind, **inputs):
    rows = seen(kind, **inputs)
    assert rows.not_judged == ()
    assert {row.region for row in rows.items} == {"us-east-1"}
    return {row.item: row.quantity for row in rows.items}


def reason(kind, **inputs):
    rows = seen(kind, **inputs)
    assert rows.items == ()
    return rows.not_judged[0].reason


def test_lustre_is_paid_by_the_throughput_of_its_storage():
    fast = items(
        LUSTRE,
        deploymentType="PERSISTENT_2",
        perUnitStorageThroughput=250.0,
        storageCapacity=2400.0,
        metadataConfiguration={"mode": "USER_PROVISIONED", "iops": 6000},
        automaticBackupRetentionDays=7,
    )

    assert fast == {
        "fsx-lustre-persistent-ssd-250": 2400,
        "fsx-lustre-metadata-iops": 6000,
        "fsx-lustre-backup": None,
    }
    assert items(LUSTRE, storageCapacity=1200) == {"fsx-lustre-scratch-ssd": 1200}
    assert items(LUSTRE) == {"fsx-lustre-scratch-ssd": UNKNOWN}


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"storageType": "HDD", "deploymentType": "PERSISTENT_1"}, "throughput"),
        ({"storageType": "HDD", "deploymentType": "SCRATCH_2"}, "SCRATCH_2 on HDD"),
        ({"deploymentType": "PERSISTENT_3"}, "PERSISTENT_3"),
        ({"deploymentType": "PERSISTENT_2"}, "throughput"),
        ({"deploymentType": UNKNOWN}, "deployment"),
        ({"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": UNKNOWN}, "throughput"),
    ],
)
def test_lustre_that_no_table_prices_is_not_judged(inputs, words):
    assert words in reason(LUSTRE, storageCapacity=1200, **inputs)


def test_zfs_is_paid_by_storage_throughput_and_iops_beyond_its_own():
    iops = {"mode": "USER_PROVISIONED", "iops": 1000}

    assert items(OPEN_ZFS, **ZFS) == {
        "fsx-openzfs-ssd-storage": 64,
        "fsx-openzfs-throughput": 128,
    }
    assert items(OPEN_ZFS, **ZFS, diskIopsConfiguration=iops)["fsx-openzfs-ssd-iops"] == 808
    assert "fsx-openzfs-backup" in items(OPEN_ZFS, **ZFS, automaticBackupRetentionDays=1)
    assert "MULTI_AZ_1" in reason(OPEN_ZFS, **{**ZFS, "deploymentType": "MULTI_AZ_1"})
    assert "storage type" in reason(OPEN_ZFS, **ZFS, storageType="INTELLIGENT_TIERING")


def test_an_elastic_file_system_has_rates_and_what_it_is_given():
    assert items(ELASTIC) == {"efs-standard-storage": None}
    assert items(
        ELASTIC,
        availabilityZoneName="us-east-1a",
        throughputMode="provisioned",
        provisionedThroughputInMibps=256,
        lifecyclePolicies=[{"transitionToIa": "AFTER_30_DAYS"}],
    ) == {
        "efs-onezone-storage": None,
        "efs-onezone-ia-storage": None,
        "efs-ia-access": None,
        "efs-provisioned-throughput": 256,
    }
    for way in ("read", "write"):
        assert f"efs-elastic-throughput-{way}" in items(ELASTIC, throughputMode="elastic")


def test_a_volume_is_paid_as_a_machine_s_disk_is():
    volume = {"type": "gp3", "size": 500, "iops": 6000, "throughput": 250}

    assert items(VOLUME, availabilityZone="us-east-1a", **volume) == {
        "ebs-gp3-storage": 500,
        "ebs-gp3-iops": 3000,
        "ebs-gp3-throughput": 125,
    }
    assert items(VOLUME, size=40) == {"ebs-gp2-storage": 40}
    assert items(VOLUME, size=40, type=UNKNOWN) == {"ebs-gp2-storage": UNKNOWN}
    assert items(VOLUME, size=40, type="io9") == {"ebs-io9-storage": UNKNOWN}


def test_a_snapshot_has_a_rate():
    assert items("aws:ebs/snapshot:Snapshot", volumeId="vol-1") == {"ebs-snapshot": None}
    assert "archive" in reason("aws:ebs/snapshot:Snapshot", storageTier="archive")


def test_a_log_group_has_the_rates_of_what_it_takes_in_and_keeps():
    assert items(LOG_GROUP) == {"cloudwatch-logs-ingest": None, "cloudwatch-logs-archive": None}
    assert "INFREQUENT_ACCESS" in reason(LOG_GROUP, logGroupClass="INFREQUENT_ACCESS")


HIDDEN = {"cloudwatch-alarm-high-resolution": UNKNOWN, "cloudwatch-custom-metric": None}
"""Of an alarm whose figures nobody knows yet; they may be one's own."""


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"metricName": "m", "period": 60.0}, {"cloudwatch-alarm-standard": 1}),
        ({"metricName": "m", "period": 10}, {"cloudwatch-alarm-high-resolution": 1}),
        ({"metricName": "m", "period": UNKNOWN}, {"cloudwatch-alarm-high-resolution": 1}),
        (
            {
                "metricQueries": [
                    {"id": "a", "metric": {"metricName": "a", "period": 300}},
                    {"id": "b", "metric": {"metricName": "b", "period": 300}},
                    {"id": "c", "expression": "a / b"},
                ]
            },
            {"cloudwatch-alarm-standard": 2},
        ),
        ({"metricQueries": UNKNOWN}, HIDDEN),
        ({"metricQueries": [UNKNOWN]}, HIDDEN),
        (
            {"metricName": "m", "namespace": "CWAgent", "period": 60},
            {"cloudwatch-alarm-standard": 1, "cloudwatch-custom-metric": None},
        ),
    ],
)
def test_an_alarm_is_paid_by_the_metric(inputs, expected):
    assert items(ALARM, **inputs) == expected


def test_a_dashboard():
    assert items("aws:cloudwatch/dashboard:Dashboard") == {"cloudwatch-dashboard": 1}


def test_endpoints_and_attachments_are_paid_by_the_hour():
    assert items(ENDPOINT, vpcEndpointType="Interface", subnetIds=["a", "b"]) == {
        "vpc-interface-endpoint-hour": 2,
        "vpc-interface-endpoint-data-first-1pb": None,
    }
    assert items(ENDPOINT, vpcEndpointType="GatewayLoadBalancer", subnetIds=["a"]) == {
        "gwlb-endpoint-hour": 1,
        "gwlb-endpoint-data": None,
    }
    assert "Resource" in reason(ENDPOINT, vpcEndpointType="Resource")
    assert items("aws:ec2transitgateway/vpcAttachment:VpcAttachment", subnetIds=["a"]) == {
        "transit-gateway-attachment-hour": 1,
        "transit-gateway-data": None,
    }


def test_what_is_observed_is_in_the_table_and_names_what_it_is_paid_for():
    names = [
        *items(LUSTRE, storageCapacity=1),
        *items(OPEN_ZFS, **ZFS),
        *items(ELASTIC, throughputMode="provisioned", provisionedThroughputInMibps=1),
        *items(LOG_GROUP),
        *items(ALARM, metricName="m", period=60),
    ]

    assert set(names) <= set(PRICES.service_items())
    assert [name for name in names if not PRICES.token(name)] == []
    assert PRICES.token("fsx-lustre-scratch-ssd") == LUSTRE
    assert Decimal(1) in items(ALARM).values()


POLICY = "aws:autoscaling/policy:Policy"
OWN = {"namespace": "CWAgent", "metricName": "gpu"}
RATIO = [
    {"id": "used", "metricStat": {"metric": OWN}},
    {"id": "total", "metricStat": {"metric": OWN}},
    {"id": "share", "expression": "100 * used / total"},
]
CUSTOM, ALARM_MONTH = "cloudwatch-custom-metric", "cloudwatch-alarm-standard"


@pytest.mark.parametrize(
    ("followed", "expected"),
    [
        ({"predefinedMetricSpecification": {}}, {ALARM_MONTH: 2}),
        ({"customizedMetricSpecification": OWN}, {ALARM_MONTH: 2, CUSTOM: None}),
        (
            {"customizedMetricSpecification": {**OWN, "period": 10}},
            {"cloudwatch-alarm-high-resolution": 2, CUSTOM: None},
        ),
        ({"customizedMetricSpecification": {"metrics": RATIO}}, {ALARM_MONTH: 4, CUSTOM: None}),
        ({"customizedMetricSpecification": {"namespace": "AWS/SQS"}}, {ALARM_MONTH: 2}),
        ({"customizedMetricSpecification": UNKNOWN}, {ALARM_MONTH: UNKNOWN, CUSTOM: None}),
    ],
)
def test_target_tracking_makes_alarms(followed, expected):
    kind = {"policyType": "TargetTrackingScaling"}

    assert items(POLICY, **kind, targetTrackingConfiguration=followed) == expected


def test_a_policy_that_follows_alarms_of_one_s_own_costs_nothing():
    rows = seen(POLICY, policyType="StepScaling")

    assert (rows.items, rows.not_judged) == ((), ())
    assert "not known yet" in reason(POLICY, policyType=UNKNOWN)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("aws:kms/key:Key", {"kms-key": 1, "kms-requests": None}),
        ("aws:sns/topic:Topic", {"sns-requests": None}),
        ("aws:sqs/queue:Queue", {"sqs-requests": None}),
        ("aws:lambda/function:Function", {"lambda-requests": None, "lambda-duration": None}),
        ("aws:scheduler/schedule:Schedule", {"scheduler-invocations": None}),
        ("aws:budgets/budgetAction:BudgetAction", {"budget-action": None}),
    ],
)
def test_what_is_paid_by_the_call_has_rates(kind, expected):
    assert items(kind) == expected


@pytest.mark.parametrize(
    ("zones", "count"), [({}, 3), ({"subnetIds": ["subnet-1", "subnet-2"]}, 5)]
)
def test_the_zones_that_are_added_to_an_endpoint_count(zones, count):
    program = Program()
    made = program.add(
        ENDPOINT, "e", region="us-east-1", vpcEndpointType="Interface", serviceName="x", **zones
    )
    association = "aws:ec2/vpcEndpointSubnetAssociation:VpcEndpointSubnetAssociation"
    for number in range(3):
        program.add(association, f"a{number}", vpcEndpointId=made.id, subnetId=f"subnet-{number}")

    for moment in ("preview", "created"):
        (hours, _) = observe(program.resources(moment)).items
        assert hours.quantity == count


@pytest.mark.parametrize("kind", ["connect:Connect", "peeringAttachment:PeeringAttachment"])
def test_attachments_of_every_kind_to_a_transit_gateway_count(kind):
    made = items(f"aws:ec2transitgateway/{kind}", transitGatewayId="tgw-1")
    assert made["transit-gateway-attachment-hour"] == 1


@pytest.mark.parametrize("kind", ["externalKey:ExternalKey", "replicaKey:ReplicaKey", "key:Key"])
def test_keys_of_every_kind_count(kind):
    assert items(f"aws:kms/{kind}")["kms-key"] == 1


def test_reserved_capacity_of_a_balancer_counts_whether_it_is_used_or_not():
    balancer = "aws:lb/loadBalancer:LoadBalancer"
    capacity = {"capacityUnits": 1500}
    rows = seen(balancer, internal=True, minimumLoadBalancerCapacity=capacity).items
    units = [row.quantity for row in rows if row.item == "alb-lcu"]
    assert units == [None, 1500]

    rows = seen(balancer, internal=True).items
    assert [row.quantity for row in rows if row.item == "alb-lcu"] == [None]


@pytest.mark.parametrize(
    ("value", "metrics"), [(True, 7), (False, None), (UNKNOWN, 7), (None, None)]
)
def test_detailed_monitoring_of_a_machine_counts(value, metrics):
    machine = {"instanceType": "g6.xlarge", "ami": "ami-1"}
    made = {
        row.item: row.quantity
        for row in seen("aws:ec2/instance:Instance", **machine, monitoring=value).items
    }
    assert made.get("cloudwatch-custom-metric") == metrics
