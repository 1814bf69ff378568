from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import TYPES, Index, groups_and_items, observe
from gpuinfra.clouds.aws.observe.resource_types import FACTS
from gpuinfra.clouds.aws.prices import PRICES
from gpuinfra.model import UNKNOWN, Bucket, Reachability, Resource, Usage
from tests.rules.cases import stacks
from tests.rules.cases.cluster import cluster
from tests.rules.cases.program import Program

NODES = "aws:eks/nodeGroup:NodeGroup"
SAID = {"maxHealthyPercentage": 100}

both = pytest.mark.parametrize("moment", ["preview", "created"])


def rows(resources, usage=Usage()):  # noqa: B008 - frozen
    items = observe(resources, usage).items
    return [(item.name, item.item, item.quantity, item.region) for item in items]


@both
def test_a_mixed_pool_holds_every_type_and_both_ways_to_buy(moment):
    program = stacks.mixed_pool(
        onDemandBaseCapacity=2, onDemandPercentageAboveBaseCapacity=25, spotMaxPrice="0.9"
    )
    (group,) = observe(program.resources(moment)).groups
    assert group.machines == ("g6.xlarge", "g5.xlarge")
    assert (group.minimum, group.maximum, group.purpose) == (1, 10, "inference")
    rung = group.rung
    # The maximum is of a unit, and the machines have a weight of two.
    assert (rung.capacity, rung.max_price, rung.region) == ("spot", Decimal("1.8"), "eu-west-1")
    assert (rung.on_demand_base, rung.spot_share_above_base) == (2, Decimal("0.75"))
    assert rung.zones == ("eu-west-1a", "eu-west-1b")
    assert group.fabric is None


def test_without_a_distribution_a_mixed_pool_is_on_demand():
    (group,) = observe(stacks.mixed_pool().resources()).groups
    assert (group.rung.capacity, group.rung.spot_share_above_base) == ("on-demand", 0)


@both
def test_an_open_machine_is_seen_open(moment):
    (group,) = observe(stacks.open_machine().resources(moment)).groups
    safety = group.safety
    assert safety.metadata_v2 is False
    assert safety.disks_encrypted is False
    assert safety.public_ip is True
    assert safety.open_login is True
    assert safety.administrator is True
    assert safety.long_lived_key is True
    assert ("public address", "public-ipv4-hour", 1, None) in rows(
        stacks.open_machine().resources(moment)
    )


@both
def test_an_elastic_address_makes_a_machine_public(moment):
    program = Program()
    subnet = program.add("aws:ec2/subnet:Subnet", "in", availabilityZone="us-east-1a")
    machine = program.add(
        "aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", subnetId=subnet.id
    )
    assert observe(program.resources(moment)).groups[0].safety.public_ip is False
    program.add("aws:ec2/eip:Eip", "a", instance=machine.id)
    assert observe(program.resources(moment)).groups[0].safety.public_ip is True


@both
@pytest.mark.parametrize("price", [None, "12.5"])
def test_spot_by_the_template_of_an_instance(moment, price):
    options = {} if price is None else {"maxPrice": price}
    (group,) = observe(stacks.spot_machine(**options).resources(moment)).groups
    assert group.rung.capacity == "spot"
    assert group.rung.max_price == (None if price is None else Decimal(price))
    assert (group.minimum, group.maximum) == (1, 1)


@pytest.mark.parametrize("price", [UNKNOWN, "a lot", "-1", "NaN"], ids=str)
def test_a_maximum_price_that_is_no_amount_leaves_the_group_unpriced(price):
    seen = observe(stacks.spot_machine(maxPrice=price).resources())
    assert seen.groups == ()
    assert "maximum spot price" in seen.not_judged[0].reason


def test_a_fleet_counts_its_target_and_its_dearest_request():
    target = {
        "defaultTargetCapacityType": "spot",
        "totalTargetCapacity": 6,
        "onDemandTargetCapacity": 1,
    }
    overrides = [
        {"instanceType": "g6.xlarge", "maxPrice": "0.5"},
        {"instanceType": "g6.2xlarge", "maxPrice": "0.7"},
    ]
    (group,) = observe(stacks.fleet(target, overrides).resources()).groups
    assert (group.machines, group.maximum) == (("g6.xlarge", "g6.2xlarge"), 6)
    assert (group.rung.on_demand_base, group.rung.max_price) == (1, Decimal("0.7"))


def test_a_fleet_whose_weights_hide_machines_has_no_known_size():
    target = {"defaultTargetCapacityType": "on-demand", "totalTargetCapacity": 6}
    overrides = [{"instanceType": "g6.xlarge", "weightedCapacity": 0.25}]
    (group,) = observe(stacks.fleet(target, overrides).resources()).groups
    assert group.maximum is UNKNOWN


@both
def test_a_node_group_of_eks(moment):
    program = Program()
    program.add(
        NODES,
        "nodes",
        instanceTypes=["g5.12xlarge"],
        capacityType="SPOT",
        scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 1},
    )
    (group,) = observe(program.resources(moment)).groups
    assert (group.machines, group.rung.capacity, group.maximum) == (("g5.12xlarge",), "spot", 3)


@pytest.mark.parametrize(
    ("pool", "beyond"),
    [
        ({"maxGroupPreparedCapacity": 9}, 5),
        ({"minSize": 3}, 3),  # kept warm also while the group has its maximum of 4
        ({}, 0),
    ],
)
def test_a_warm_pool_may_stand_beside_the_group(pool, beyond):
    alone = observe(cluster().program.resources()).groups[0].maximum
    case = cluster()
    case.program.change(case.scaling, warmPool=pool)

    assert observe(case.program.resources()).groups[0].maximum == alone + beyond


def nodes(**inputs):
    program = Program()
    sizes = {"minSize": 0, "maxSize": 3, "desiredSize": 1}
    types = ["g5.12xlarge"]
    program.add(NODES, "nodes", instanceTypes=types, scalingConfig=sizes, **inputs)
    return observe(program.resources())


@pytest.mark.parametrize(
    ("pool", "maximum"),
    [
        ({"minSize": 30, "poolState": "RUNNING"}, 33),
        ({"enabled": True, "minSize": 2, "maxGroupPreparedCapacity": 40}, 40),
        ({"maxGroupPreparedCapacity": -1}, UNKNOWN),  # without a limit
        ({"minSize": UNKNOWN}, UNKNOWN),
        ({"enabled": False, "minSize": 30}, 3),
        ({}, 3),
    ],
)
def test_a_warm_pool_stands_beside_the_nodes_of_a_cluster(pool, maximum):
    (group,) = nodes(warmPoolConfig=pool).groups

    assert group.maximum == maximum


@pytest.mark.parametrize(("size", "gib"), [(900, 900), (UNKNOWN, UNKNOWN), (None, None)])
def test_a_root_disk_of_nodes_without_a_template_has_the_size_that_they_state(size, gib):
    items = nodes(**({} if size is None else {"diskSize": size})).items

    assert [item.quantity for item in items if item.item.endswith("storage")] == [gib]


def test_a_warm_pool_stands_beside_what_a_schedule_allows():
    case = cluster()
    case.program.change(case.scaling, warmPool={"minSize": 3})
    group = case.scaling.out("name")
    token = "aws:autoscaling/schedule:Schedule"
    for name, size in (("day", 10), ("peak", 12)):
        case.program.add(token, name, autoscalingGroupName=group, maxSize=size)

    groups = observe(case.program.resources()).groups
    assert [(group.name, group.maximum) for group in groups] == [
        ("workers", 7),
        ("day", 6),
        ("peak", 2),
    ]


def test_a_warm_pool_of_an_unknown_size_leaves_the_maximum_unknown():
    case = cluster()
    case.program.change(case.scaling, warmPool={"minSize": UNKNOWN})

    assert observe(case.program.resources()).groups[0].maximum is UNKNOWN


@pytest.mark.parametrize(
    ("inputs", "surge"),
    [
        ({}, 0),
        ({"instanceRefresh": {"preferences": {"minHealthyPercentage": 90}}}, 0),
        ({"instanceRefresh": {"preferences": SAID}}, 1),
        ({"instanceRefresh": {"preferences": {"maxHealthyPercentage": 130}}}, 2),
        ({"instanceRefresh": {"preferences": {**SAID, "minHealthyPercentage": 75}}}, 0),
        ({"instanceRefresh": {"preferences": {**SAID, "minHealthyPercentage": 76}}}, 1),
        ({"instanceRefresh": {"preferences": {**SAID, "minHealthyPercentage": UNKNOWN}}}, UNKNOWN),
        ({"instanceMaintenancePolicy": {"maxHealthyPercentage": 200}}, 4),
        ({"instanceMaintenancePolicy": {"maxHealthyPercentage": -1}}, 0),
        ({"instanceMaintenancePolicy": {"maxHealthyPercentage": UNKNOWN}}, UNKNOWN),
        ({"capacityRebalance": True}, 1),
        ({"capacityRebalance": True, "instanceRefresh": {"preferences": SAID}}, 2),
        ({"capacityRebalance": UNKNOWN}, UNKNOWN),
    ],
)
def test_machines_that_a_replacement_brings_are_counted(inputs, surge):
    case = cluster()
    case.program.change(case.scaling, **inputs)
    (group,) = observe(case.program.resources()).groups
    assert group.lifecycle.surge == surge
    assert group.ceiling == (UNKNOWN if surge is UNKNOWN else 4 + surge)


@pytest.mark.parametrize(
    ("inputs", "surge"),
    [
        ({"vpcZoneIdentifiers": ["subnet-a"]}, 0),
        ({"vpcZoneIdentifiers": ["subnet-a", "subnet-b"]}, 1),
        ({"vpcZoneIdentifiers": UNKNOWN}, 1),
        ({"vpcZoneIdentifiers": ["subnet-a", "subnet-b"], "maxSize": 21}, 3),
        ({"vpcZoneIdentifiers": ["subnet-a", "subnet-b"], "maxSize": 1}, 0),
        ({"vpcZoneIdentifiers": None, "availabilityZones": ["us-east-1a", "us-east-1b"]}, 1),
        (
            {
                "vpcZoneIdentifiers": ["subnet-a", "subnet-b"],
                "suspendedProcesses": ["AZRebalance"],
            },
            0,
        ),
    ],
)
def test_machines_that_move_to_another_zone_are_counted(inputs, surge):
    case = cluster()
    case.program.change(case.scaling, **inputs)
    (group,) = observe(case.program.resources()).groups
    assert group.lifecycle.surge == surge


def test_a_group_of_one_machine_moves_when_its_zones_change():
    case = cluster()
    case.program.change(case.scaling, vpcZoneIdentifiers=["subnet-b"], maxSize=1)
    before = {"vpcZoneIdentifiers": ["subnet-a"]}
    resources = [
        replace(resource, before=before) if resource.urn == case.scaling.urn else resource
        for resource in case.program.resources()
    ]
    (group,) = observe(resources).groups
    assert group.lifecycle.surge == 1


def test_schedules_add_only_what_exceeds_the_group_and_each_other():
    case = cluster()
    token = "aws:autoscaling/schedule:Schedule"
    for name, size in (("day", 10), ("night", 2), ("peak", 12)):
        case.program.add(token, name, autoscalingGroupName=case.scaling.out("name"), maxSize=size)
    groups = observe(case.program.resources()).groups
    assert [(group.name, group.maximum) for group in groups] == [
        ("workers", 4),
        ("day", 6),
        ("peak", 2),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"launchTemplate": {"id": "lt-elsewhere"}}, "lt-elsewhere is not in this stack"),
        ({"launchTemplate": {"id": UNKNOWN}}, "not known yet"),
        ({"launchTemplate": None, "launchConfiguration": "old"}, "launch configuration"),
        (
            {
                "mixedInstancesPolicy": {
                    "launchTemplate": {
                        "overrides": [{"instanceRequirements": {"vcpuCount": {"min": 4}}}]
                    }
                }
            },
            "by attributes",
        ),
    ],
    ids=["elsewhere", "unknown", "configuration", "attributes"],
)
def test_machines_that_nobody_can_name_are_not_judged(change, reason):
    case = cluster()
    case.program.change(case.scaling, **change)
    seen = observe(case.program.resources())
    assert seen.groups == ()
    (missing,) = (row for row in seen.not_judged if "launchTemplate" not in row.type)
    assert missing.type == "aws:autoscaling/group:Group"
    assert reason in missing.reason


def test_numbers_come_as_floats_and_text_and_absurd_ones_are_unknown():
    case = cluster()
    for written, read in ((4.0, 4), ("4", 4), (4.5, UNKNOWN), ("many", UNKNOWN), (True, UNKNOWN)):
        case.program.change(case.scaling, maxSize=written)
        assert observe(case.program.resources()).groups[0].maximum == read


@both
def test_what_a_network_costs(moment):
    assert rows(stacks.network().resources(moment)) == [
        ("out", "public-ipv4-hour", 1, "us-east-1"),
        ("out", "nat-gateway-hour", 1, "us-east-1"),
        ("out", "nat-gateway-data", None, "us-east-1"),
        ("ssm", "vpc-interface-endpoint-hour", 1, "us-east-1"),
        ("ssm", "vpc-interface-endpoint-data-first-1pb", None, "us-east-1"),
    ]


@both
def test_a_public_balancer_has_an_address_in_each_subnet_and_an_internal_one_none(moment):
    program = stacks.mixed_pool()
    front = [row for row in rows(program.resources(moment)) if row[0] == "front"]
    assert front == [
        ("front", "alb-hour", 1, "eu-west-1"),
        ("front", "alb-lcu", None, "eu-west-1"),
        ("front", "public-ipv4-hour", 2, "eu-west-1"),
    ]
    (balancer,) = [handle for handle in program.handles.values() if handle.name == "front"]
    program.change(balancer, internal=True)
    assert ("front", "public-ipv4-hour", 2, "eu-west-1") not in rows(program.resources(moment))


def test_an_older_token_is_the_same_load_balancer():
    program = Program()
    token = "aws:alb/loadBalancer:LoadBalancer"
    program.add(token, "old", internal=True, loadBalancerType="network")
    assert [row[1] for row in rows(program.resources())] == ["nlb-hour", "nlb-lcu"]


@both
def test_a_bucket_with_its_companions(moment):
    program, bucket, _ = stacks.good_bucket()
    usage = Usage(gigabytes={"tokens": Decimal(2000)})
    seen = observe(program.resources(moment), usage)
    assert seen.buckets == (
        Bucket(
            name="tokens",
            subject=bucket.urn,
            cloud="aws",
            region="us-east-1",
            size_gb=Decimal(2000),
            encrypted=True,
            public_blocked=True,
            tls_only=True,
            owner_enforced=True,
            versioned=True,
            expires_noncurrent=True,
            aborts_uploads=True,
            expires=True,
            labels=frozenset(),
            force_destroy=False,
            safeguards=Reachability(),
        ),
    )
    assert {item.item for item in seen.items if item.quantity is None} == {
        "kms-requests",
        "s3-standard-put",
        "s3-standard-get",
    }


@pytest.mark.parametrize(
    ("part", "change", "fact", "value"),
    [
        ("block", {"restrictPublicBuckets": False}, "public_blocked", False),
        ("block", {"restrictPublicBuckets": UNKNOWN}, "public_blocked", UNKNOWN),
        ("encryption", {"rules": []}, "encrypted", False),
        ("versioning", {"versioningConfiguration": {"status": "Suspended"}}, "versioned", False),
        ("lifecycle", {"rules": []}, "expires_noncurrent", False),
        ("lifecycle", {"rules": UNKNOWN}, "aborts_uploads", UNKNOWN),
        ("policy", {"policy": UNKNOWN}, "tls_only", UNKNOWN),
        ("policy", {"policy": "{}"}, "tls_only", False),
        ("owner", {"rule": {"objectOwnership": "ObjectWriter"}}, "owner_enforced", False),
        ("block", {"bucket": "another-bucket"}, "public_blocked", False),
        ("block", {"bucket": UNKNOWN}, "public_blocked", UNKNOWN),
    ],
    ids=[
        *(
            "three blocks",
            "unknown block",
            "no rule",
            "suspended",
            "no lifecycle",
            "unknown rules",
        ),
        *("unknown policy", "empty policy", "writer", "another bucket", "unknown bucket"),
    ],
)
def test_each_companion_of_a_bucket_counts(part, change, fact, value):
    program, _, parts = stacks.good_bucket()
    program.change(parts[part], **change)
    assert getattr(observe(program.resources()).buckets[0], fact) is value


def test_a_lifecycle_rule_for_one_prefix_leaves_the_rest_for_ever():
    program, _, parts = stacks.good_bucket()
    (rule,) = parts["lifecycle"].inputs["rules"]
    program.change(parts["lifecycle"], rules=[{**rule, "filter": {"prefix": "tmp/"}}])
    (bucket,) = observe(program.resources()).buckets
    assert (bucket.expires_noncurrent, bucket.aborts_uploads) == (False, False)


def test_a_bare_bucket_has_what_s3_does_by_default():
    program, _ = stacks.bare_bucket()
    (bucket,) = observe(program.resources()).buckets
    declared = (bucket.encrypted, bucket.public_blocked, bucket.tls_only, bucket.versioned)
    assert declared == (True, False, False, False)
    assert bucket.size_gb is None


@pytest.mark.parametrize(
    ("inputs", "limit"),
    [
        ({"limitAmount": "500"}, Decimal(500)),
        ({"limitAmount": UNKNOWN}, UNKNOWN),
        ({"limitAmount": "500", "limitUnit": "EUR"}, UNKNOWN),
        ({"limitAmount": "500", "timeUnit": "ANNUALLY"}, None),
    ],
    ids=["monthly", "unknown", "euros", "yearly"],
)
def test_the_budget_in_the_cloud(inputs, limit):
    program = Program()
    whole = {"includeCredit": False, "includeRefund": False}
    common = {"budgetType": "COST", "timeUnit": "MONTHLY", "costTypes": whole}
    program.add("aws:budgets/budget:Budget", "b", **{**common, **inputs})
    assert observe(program.resources()).cloud_budget == limit


def test_what_no_table_knows_is_counted_and_components_are_not():
    program = Program()
    program.add("pulumi:pulumi:Stack", "shop-dev")
    program.add("pulumi:providers:aws", "east")
    for token in (
        "aws:rds/instance:Instance",
        "random:index/randomPassword:RandomPassword",
        "aws-native:ec2:Instance",
        "pulumi-python:dynamic:Resource",
    ):
        program.add(token, "thing")
    ours = Resource(urn="u", type="acme:infra:Cluster", name="ours", inputs={}, custom=False)
    seen = observe([*program.resources("preview"), ours])
    assert [row.type for row in seen.not_judged] == [
        "aws:rds/instance:Instance",
        "random:index/randomPassword:RandomPassword",
        "aws-native:ec2:Instance",
        "pulumi-python:dynamic:Resource",
    ]
    assert [(row.reason, row.may_start_machines) for row in seen.not_judged] == [
        ("no table has its type, so machines may be in it", True),
        ("a text or a number that the program makes", False),
        ("the package aws-native is unknown, so machines may be in its resources", True),
        ("the package pulumi-python is unknown, so machines may be in its resources", True),
    ]


@pytest.mark.parametrize(
    "token",
    ["runpod:index:Pod", "gpuinfra:index:Pod", "pulumi:gpu:Pod", "pulumiservice:index:Pod"],
)
def test_a_custom_resource_is_no_component_whatever_its_type_looks_like(token):
    thing = Resource(urn="u", type=token, name="d", inputs={"gpuCount": 8})
    assert [row.type for row in observe([thing]).not_judged] == [token]


def test_the_engine_s_own_resources_cost_nothing():
    stash = Resource(
        urn="u", type="pulumi:index:Stash", name="s", inputs={}, outputs={"id": "stash"}
    )
    assert observe([stash]).not_judged == ()


def test_types_that_only_state_facts_are_free_by_a_sourced_row():
    assert [token for token in FACTS if PRICES.free(token) is None] == []
    assert "aws:autoscaling/group:Group" in TYPES


def test_two_groups_of_one_name_keep_their_own_disks():
    program = Program()
    disk = {"rootBlockDevice": {"volumeSize": 10, "volumeType": "gp3"}}
    for token in ("aws:ec2/instance:Instance", "aws:autoscaling/group:Group"):
        inputs = {"instanceType": "g6.xlarge", **disk} if "instance:" in token else {}
        if not inputs:
            template = program.add(
                "aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="g5.xlarge"
            )
            inputs = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": template.id}}
        program.add(token, "same", **inputs)
    seen = observe(program.resources())
    assert [group.name for group in seen.groups] == ["same", "same (2)"]
    assert {item.group for item in seen.items} == {"same", "same (2)"}


@pytest.mark.parametrize(
    ("region", "inputs", "expected"),
    [
        (None, {"region": "eu-north-1"}, "eu-north-1"),
        ("us-west-2", {}, "us-west-2"),
        (None, {"availabilityZone": "us-east-1-atl-2a"}, "us-east-1-atl-2"),
        (None, {"availabilityZone": "us-gov-west-1b"}, "us-gov-west-1"),
        (None, {}, "unknown"),
    ],
    ids=["own", "provider", "local zone", "gov", "nowhere"],
)
def test_the_region_of_a_machine(region, inputs, expected):
    program = Program(region=region)
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", **inputs)
    resources = [
        Resource(urn=r.urn, type=r.type, name=r.name, inputs=r.inputs, region=r.region)
        for r in program.resources()
    ]
    assert observe(resources).groups[0].rung.region == expected


def test_an_arn_tells_the_region_when_nothing_else_does():
    program = Program(region=None)
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge")
    assert observe(program.resources()).groups[0].rung.region == "us-east-1"


@both
@pytest.mark.parametrize(
    "make",
    [stacks.mixed_pool, stacks.open_machine, stacks.network, lambda: cluster().program],
    ids=["pool", "machine", "network", "cluster"],
)
def test_one_resource_at_a_time_adds_up_to_the_whole(moment, make):
    resources = make().resources(moment)
    whole = observe(resources)
    known = Index()
    groups, items, missing = [], [], []
    for resource in resources:
        known.add(resource)
        seen = groups_and_items(resource, known)
        groups += seen.groups
        items += seen.items
        missing += seen.not_judged
    assert [(g.machines, g.rung, g.maximum) for g in groups] == [
        (g.machines, g.rung, g.maximum) for g in whole.groups
    ]
    assert tuple(items) == whole.items
    assert tuple(missing) == whole.not_judged


def test_a_bucket_may_declare_everything_inline_as_older_programs_do():
    program, bucket = stacks.bare_bucket()
    rule = {
        "enabled": True,
        "noncurrentVersionExpiration": {"days": 30},
        "abortIncompleteMultipartUploadDays": 7,
    }
    default = {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
    program.change(
        bucket,
        versioning={"enabled": True},
        serverSideEncryptionConfiguration={"rule": default},
        lifecycleRules=[rule],
        policy=stacks.deny_plain("tokens"),
    )
    (seen,) = observe(program.resources()).buckets
    assert (seen.versioned, seen.encrypted, seen.tls_only) == (True, True, True)
    assert (seen.expires_noncurrent, seen.aborts_uploads) == (True, True)
    program.change(bucket, lifecycleRules=[{**rule, "enabled": False}, {"enabled": True}])
    (seen,) = observe(program.resources()).buckets
    assert (seen.expires_noncurrent, seen.aborts_uploads) == (False, False)


@pytest.mark.parametrize(
    ("zones", "one_zone"),
    [
        (["us-east-1a"], True),
        (["us-east-1a", "us-east-1b"], False),
        (["us-east-1a", UNKNOWN], UNKNOWN),
        (UNKNOWN, UNKNOWN),
        (None, UNKNOWN),
    ],
    ids=["one", "two", "hidden", "unknown", "none"],
)
def test_a_group_may_name_zones_in_place_of_subnets(zones, one_zone):
    case = cluster()
    case.program.change(case.scaling, vpcZoneIdentifiers=None, availabilityZones=zones)
    assert observe(case.program.resources()).groups[0].fabric.one_zone is one_zone


@both
def test_of_several_templates_the_worst_counts(moment):
    case = cluster()
    weak = case.program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "weak",
        imageId="ami-1",
        blockDeviceMappings=[{"deviceName": "/dev/sda1", "ebs": {"volumeSize": 7}}],
    )
    templates = [{"launchTemplateId": template.id} for template in (case.template, weak)]
    overrides = [
        {"instanceType": "p5.48xlarge"},
        {"instanceType": "p5e.48xlarge", "launchTemplateSpecification": templates[1]},
    ]
    policy = {
        "launchTemplate": {"launchTemplateSpecification": templates[0], "overrides": overrides}
    }
    case.program.change(case.scaling, launchTemplate=None, mixedInstancesPolicy=policy)
    seen = observe(case.program.resources(moment))
    (group,) = seen.groups
    assert group.machines == ("p5.48xlarge", "p5e.48xlarge")
    assert seen.not_judged == ()
    assert (group.safety.metadata_v2, group.safety.disks_encrypted) == (False, False)
    assert group.fabric.interfaces == 0
    assert sum(item.quantity for item in seen.items if "storage" in item.item) == 507


def test_a_fleet_that_counts_in_processors_has_no_known_size():
    target = {
        "defaultTargetCapacityType": "on-demand",
        "totalTargetCapacity": 192,
        "targetCapacityUnitType": "vcpu",
    }
    overrides = [{"instanceType": "g6.xlarge"}]
    assert observe(stacks.fleet(target, overrides).resources()).groups[0].maximum is UNKNOWN


@both
def test_an_address_that_nobody_can_know_yet_counts_at_its_ceiling(moment):
    program = Program()
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", subnetId="subnet-1")
    (address,) = [
        item for item in observe(program.resources(moment)).items if item.kind == "address"
    ]
    assert address.quantity == 1
