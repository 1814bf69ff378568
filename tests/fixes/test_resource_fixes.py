"""Fixes of foreign stacks: the property, the value and the resource, each of which settles."""

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from importlib import import_module

import pytest

from gpuinfra import cost, planning, rules
from gpuinfra.catalog import CATALOG
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.fixes.edited_resources import with_edits
from gpuinfra.fixes.python_edits import edit_as_python
from gpuinfra.fixes.remedies import remedies, tunables
from gpuinfra.fixes.resource_fixes import canonical, propose_resource_fixes
from gpuinfra.fixes.trials import outcome
from gpuinfra.fixes.tunables import tunable_dimensions
from gpuinfra.model import UNKNOWN, Caps, Plan, Resource
from tests.rules import test_rules_on_azure as azure
from tests.rules import test_rules_on_gcp as gcp
from tests.rules import test_rules_on_resources as aws
from tests.rules.cases.azure_cluster import cluster as azure_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.gcp_stacks import gke
from tests.rules.cases.program import Program

DAY = date(2026, 11, 21)
CAPS = Caps(per_hour=Decimal(1000))


@dataclass(frozen=True)
class Judged:
    plan: Plan
    quote: cost.Quote
    verdict: rules.Verdict


def judge(resources, caps=CAPS):
    plan = planning.from_resources(resources, name="foreign", caps=caps)
    quote = cost.estimate(plan, cost.PricingTerms(as_of=DAY, accept_outdated=True))
    return Judged(plan, quote, rules.judge(plan, quote, {}, (), DAY))


def proposed(resources, caps=CAPS, *, thorough=True):
    before = judge(resources, caps)
    return propose_resource_fixes(
        resources, lambda plan: judge(plan, caps), before, CATALOG, thorough=thorough
    )


def of_aws(rule):
    case = cluster()
    aws.BROKEN[rule][0](case)
    return case.program


def of_gcp(rule):
    make, spoil, _ = gcp.BROKEN[rule]
    case = make()
    spoil(case)
    return case.program


def of_azure(rule):
    case = azure_cluster()
    azure.BROKEN[rule][0](case)
    return case.program


TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate `node`: "
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet `workers`: "
GCP_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate `node`: "

CASES = {
    ("aws", "metadata-v2"): f"{TEMPLATE}metadataOptions.httpTokens = required",
    ("aws", "disk-encrypted"): f'{TEMPLATE}blockDeviceMappings[0].ebs.encrypted = "true"',
    (
        "aws",
        "public-address",
    ): f"{TEMPLATE}networkInterfaces[*].associatePublicIpAddress = ",
    ("aws", "fabric-one-zone"): "aws:autoscaling/group:Group `workers`: vpcZoneIdentifiers = [",
    ("aws", "fabric-interfaces"): f"{TEMPLATE}networkInterfaces = [{{networkCardIndex: 0, ",
    ("aws", "fabric-cards"): f"{TEMPLATE}networkInterfaces = [{{networkCardIndex: 0, ",
    ("aws", "fabric-capable"): f"{TEMPLATE}instanceType = g6.8xlarge, now g5.xlarge",
    ("aws", "fabric-placement"): "add aws:ec2/placementGroup:PlacementGroup for `workers`: "
    "{strategy: cluster}; aws:autoscaling/group:Group `workers`: "
    'placementGroup = "${workers-PlacementGroup.name}"',
    (
        "aws",
        "fabric-self-ingress",
    ): "add aws:vpc/securityGroupIngressRule:SecurityGroup"
    'IngressRule for `mpi`: {securityGroupId: "${mpi.id}", referencedSecurityGroupId: "${mpi.id}"',
    ("aws", "fabric-self-egress"): "add aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
    ("aws", "open-login"): "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule `ssh`: "
    "cidrIpv4 = 10.0.0.0/8, now 0.0.0.0/0",
    ("aws", "administrator-role"): "aws:iam/role:Role `node`: remove managedPolicyArns[0]",
    ("gcp", "gpu-maintenance"): f"{GCP_TEMPLATE}scheduling.onHostMaintenance = TERMINATE",
    ("gcp", "spot-settings"): f"{GCP_TEMPLATE}scheduling.automaticRestart = false, now true",
    ("gcp", "public-address"): f"{GCP_TEMPLATE}remove networkInterfaces[0].accessConfigs",
    ("gcp", "open-login"): "gcp:compute/firewall:Firewall `ssh`: sourceRanges = [10.0.0.0/8]",
    ("gcp", "administrator-role"): "gcp:projects/iAMMember:IAMMember `logs`: remove it",
    ("azure", "fabric-scale-set"): f"{SCALE_SET}overprovision = false, now true",
    ("azure", "fabric-one-zone"): f'{SCALE_SET}zones = ["1"], now ["1", "2"]',
    ("azure", "eviction-policy"): f"{SCALE_SET}remove virtualMachineProfile.evictionPolicy",
    (
        "azure",
        "administrator-role",
    ): "azure-native:authorization:RoleAssignment `blobs`: remove",
    ("azure", "open-login"): "azure-native:network:NetworkSecurityGroup `closed`: "
    "securityRules[0].sourceAddressPrefix = VirtualNetwork",
}
MAKE = {"aws": of_aws, "gcp": of_gcp, "azure": of_azure}


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["preview", "created"])
@pytest.mark.parametrize(("cloud", "rule"), CASES)
def test_a_fix_names_the_property_the_value_and_the_resource(cloud, rule, moment):
    resources = MAKE[cloud](rule).resources(moment)

    proposal = proposed(resources)

    of_rule = [fix for fix in proposal.fixes if rule in dict(fix.settled_findings)]
    fix = min(of_rule, key=lambda fix: len(fix.settled_findings))
    assert fix.change.startswith(CASES[cloud, rule])
    before, after = outcome(judge(resources)), outcome(judge(with_edits(resources, fix.edits)))
    assert rule not in dict(after.open_findings)
    assert after.open_findings < before.open_findings
    assert before.judged_subjects <= after.judged_subjects
    assert after.unjudged_subjects <= before.unjudged_subjects


def test_several_findings_are_settled_together():
    case = cluster()
    for rule in ("metadata-v2", "open-login"):
        aws.BROKEN[rule][0](case)

    whole, *single = proposed(case.program.resources("preview")).fixes

    assert whole.passes_check
    assert {rule for rule, _ in whole.settled_findings} == {"metadata-v2", "open-login"}
    assert [len(fix.edits) for fix in (whole, *single)] == [2, 1, 1]


def test_what_no_table_and_no_knob_settles_is_told():
    proposal = proposed(of_aws("long-lived-key").resources("preview"))

    assert "long-lived-key" in dict(proposal.unfixed_findings)


def test_over_a_cap_something_has_to_go_and_it_is_said():
    fix, *_ = proposed(cluster().program.resources("preview"), Caps(per_hour=Decimal(120))).fixes

    assert fix.rule == "cap-per-hour"
    assert fix.passes_check
    assert fix.effect.per_hour.before > 120 >= fix.effect.per_hour.after
    assert fix.effect.losses


def test_a_machine_that_no_table_knows_is_not_replaced():
    box = Resource(
        urn="urn:pulumi:dev::shop::aws:ec2/instance:Instance::box",
        type="aws:ec2/instance:Instance",
        name="box",
        inputs={"instanceType": "t3.small"},
    )

    assert [
        tunable.name for tunable in tunable_dimensions(box, box.type, CATALOG, lambda _: None)
    ] == []


def test_a_stack_that_is_fine_needs_no_trial():
    proposal = proposed(cluster().program.resources("preview"), thorough=False)

    assert (proposal.fixes, proposal.trial_count) == ((), 0)


def test_a_large_stack_is_not_tried_beside_a_table():
    machines = of_aws("metadata-v2").resources("preview")
    many = [
        Resource(urn=f"urn:{at}", type="random:index/id:Id", name=f"{at}", inputs={})
        for at in range(1_001)
    ]

    assert (
        propose_resource_fixes(
            [*machines, *many],
            lambda _: pytest.fail("tried"),
            judge(machines),
            CATALOG,
            thorough=False,
        ).fixes
        == ()
    )


def test_a_table_of_remedies_names_rules_types_and_sources():
    known = {rule.id for rule in rules.RULES}
    for cloud, row in [
        (remedy_cloud, row) for remedy_cloud in CLOUDS for row in remedies(remedy_cloud)
    ]:
        assert row.rule in known, row
        assert row.source.startswith("https://"), row
        assert bool(row.set) + row.drop + (row.add is not None) >= 1, row
        for value in row.set.values():
            if isinstance(value, dict) and "computed" in value:
                assert value["computed"] in provider_of(cloud).computed
    assert {knob.kind for cloud in CLOUDS for knob in tunables(cloud)} == {
        *("machine", "count", "max_price", "base", "share"),
        *("throughput", "iops", "storage"),
    }


def test_every_type_of_the_table_is_one_that_the_rooms_judge():
    added = [row for cloud in CLOUDS for row in remedies(cloud)]
    types = {kind for row in added for kind in row.types}
    types |= {kind for cloud in CLOUDS for row in tunables(cloud) for kind in row.types}
    types |= {row.add[0] for row in added if row.add is not None}
    judged = {
        kind
        for cloud in CLOUDS
        for known in (import_module(f"gpuinfra.clouds.{cloud}.observe.observers"),)
        for kind in (*known.OBSERVERS, *known.resource_types.UNPRICED_TYPES)
    }
    assert {canonical(kind) for kind in types} <= judged


def test_a_value_that_is_not_known_is_never_written_over():
    case = of_aws("metadata-v2")
    resources = [
        (
            Resource(
                **{
                    **vars_of(resource),
                    "inputs": {**resource.inputs, "blockDeviceMappings": UNKNOWN},
                }
            )
            if resource.type.endswith("LaunchTemplate")
            else resource
        )
        for resource in case.resources("preview")
    ]

    for fix in proposed(resources).fixes:
        assert not any("blockDeviceMappings" in edit.path for edit in fix.edits)


def vars_of(resource):
    return {name: getattr(resource, name) for name in Resource.__dataclass_fields__}


def test_a_stack_that_is_too_large_for_any_trial_says_that_it_stopped(monkeypatch):
    monkeypatch.setattr("gpuinfra.fixes.resource_fixes.THOROUGH_WORK", 5)

    proposal = proposed(of_aws("metadata-v2").resources("preview"))

    assert (proposal.fixes, proposal.trial_count, proposal.is_incomplete) == ((), 0, True)
    assert "metadata-v2" in dict(proposal.unfixed_findings)


def listener(protocol, **inputs):
    kind = "aws:lb/listener:Listener"
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::front",
        type=kind,
        name="front",
        inputs={"protocol": protocol, "port": 443, **inputs},
    )


@pytest.mark.parametrize(("kind", "protocol"), [("application", "HTTPS"), ("network", "TLS")])
def test_a_listener_without_a_policy_gets_one_and_stays_on_the_internet(kind, protocol):
    balancer = Resource(
        urn="urn:pulumi:dev::shop::aws:lb/loadBalancer:LoadBalancer::lb",
        type="aws:lb/loadBalancer:LoadBalancer",
        name="lb",
        inputs={"loadBalancerType": kind, "internal": False},
    )
    front = listener(
        protocol,
        loadBalancerArn=UNKNOWN,
        defaultActions=[{"type": "forward", "targetGroupArn": "arn:x"}],
    )
    front = replace(front, relations={"loadBalancerArn": (balancer.urn,)})

    (fix,) = (fix for fix in proposed([balancer, front]).fixes if fix.rule == "front-tls")

    assert "sslPolicy = ELBSecurityPolicy-TLS13-1-2-2021-06" in fix.change
    assert len(fix.edits) == 1


@pytest.mark.parametrize(("protocol", "offered"), [("HTTPS", True), ("TLS", False), (None, False)])
def test_plain_http_is_redirected_only_to_a_listener_that_is_there(protocol, offered):
    balancer = Resource(
        urn="urn:pulumi:dev::shop::aws:lb/loadBalancer:LoadBalancer::lb",
        type="aws:lb/loadBalancer:LoadBalancer",
        name="lb",
        inputs={"loadBalancerType": "application", "internal": False},
    )
    given = {
        "loadBalancerArn": UNKNOWN,
        "defaultActions": [{"type": "forward", "targetGroupArn": "arn:x"}],
    }
    plain = replace(listener("HTTP", **given), urn="urn:pulumi:dev::shop::l::plain", name="plain")
    stack = [balancer, replace(plain, inputs={**plain.inputs, "port": 80})]
    if protocol is not None:
        policy = "ELBSecurityPolicy-TLS13-1-2-2021-06"
        stack.append(listener(protocol, sslPolicy=policy, **given))
    stack = [
        replace(each, relations={"loadBalancerArn": (balancer.urn,)}) if each != balancer else each
        for each in stack
    ]

    changes = [fix.change for fix in proposed(stack).fixes if fix.rule == "front-tls"]

    assert any("HTTP_301" in change for change in changes) is offered


def test_a_policy_names_the_bucket_by_reference():
    kind = "aws:s3/bucket:Bucket"
    bucket = Resource(urn=f"urn:pulumi:dev::shop::{kind}::data", type=kind, name="data", inputs={})

    fix = next(fix for fix in proposed([bucket]).fixes if fix.rule == "bucket-tls")

    policy = fix.edits[0].after["policy"]
    assert '["${data.arn}", "${data.arn}/*"]' in policy
    assert "arn:aws:s3:::data" not in policy


def test_a_rule_that_denies_is_never_rewritten():
    case = azure_cluster()
    azure.BROKEN["open-login"][0](case)
    denies = {
        "name": "no",
        "priority": 100,
        "direction": "Inbound",
        "access": "Deny",
        "protocol": "Udp",
        "sourceAddressPrefix": "*",
        "destinationPortRange": "53",
    }
    resources = [
        replace(
            resource,
            inputs={
                **resource.inputs,
                "securityRules": [denies, *resource.inputs["securityRules"]],
            },
        )
        if resource.type.endswith(":NetworkSecurityGroup")
        else resource
        for resource in case.program.resources("preview")
    ]

    fix = next(fix for fix in proposed(resources).fixes if fix.rule == "open-login")

    assert [edit.path for edit in fix.edits] == [("securityRules", 1, "sourceAddressPrefix")]


REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"


def bid_of(cap):
    """What is proposed as the bid of a p5.48xlarge on spot under a cap per hour."""
    program = Program()
    program.add(
        REQUEST,
        "workers",
        ami="ami-1",
        instanceType="p5.48xlarge",
        availabilityZone="us-east-1a",
        spotPrice="90",
        metadataOptions={"httpTokens": "required"},
        rootBlockDevice={"encrypted": True, "volumeSize": 100},
    )
    resources = program.resources("preview")
    edits = [edit for fix in proposed(resources, cap).fixes for edit in fix.edits]
    return {Decimal(edit.after) for edit in edits if edit.path == ("spotPrice",)}


def test_a_bid_is_lowered_to_fit_a_cap():
    (bid,) = bid_of(Caps(per_hour=Decimal(80)))

    assert Decimal("55.04") <= bid < 80


def test_a_bid_may_be_the_last_spot_price_of_the_dearest_zone():
    assert bid_of(Caps(per_hour=Decimal("55.4"))) == {Decimal("55.04")}


def test_no_bid_is_below_the_last_spot_price_of_the_dearest_zone():
    assert bid_of(Caps(per_hour=Decimal(40))) == set()


def test_no_bid_is_proposed_where_no_spot_price_is_known():
    resource = Resource(urn="u", type=REQUEST, name="n", inputs={"spotPrice": "9"})

    def bids(floor):
        return [
            tunable.name
            for tunable in tunable_dimensions(resource, REQUEST, CATALOG, lambda _: floor)
        ]

    assert "max_price" in bids(Decimal(3))
    assert "max_price" not in bids(None)


def pool_edits(config, caps=CAPS):
    """The edits that are proposed for a node pool of GKE, as Python."""
    resources = gke({"nodeConfig": config, "nodeCount": 3}).resources()
    proposal = proposed(resources, caps)
    fixes = (*proposal.fixes, *proposal.advisory_fixes)
    return {edit_as_python(edit).partition(": ")[2] for fix in fixes for edit in fix.edits}


def test_of_a_node_pool_only_what_changes_is_proposed():
    edits = pool_edits({"machineType": "a2-highgpu-1g", "oauthScopes": ["cloud-platform"]})

    assert "node_config.shielded_instance_config.enable_secure_boot = True" in edits
    assert 'network_config={"enable_private_nodes": True}' in edits


def test_no_machine_whose_gpus_are_attached_is_proposed_in_place_of_another():
    caps = Caps(per_hour=Decimal(3))

    assert not [edit for edit in pool_edits({"machineType": "a2-highgpu-1g"}, caps) if "+" in edit]
