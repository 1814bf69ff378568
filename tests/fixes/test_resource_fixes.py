"""Fixes of foreign stacks: the property, the value and the resource, each of which settles."""

from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.fixes.edited_resources import with_edits
from gpuinfra.fixes.resource_fixes import propose_resource_fixes
from gpuinfra.fixes.trials import outcome
from gpuinfra.model import Caps, Resource
from tests.fixes.resources import judge, of_aws, proposed
from tests.rules.cases import aws_faults as aws
from tests.rules.cases import azure_faults as azure
from tests.rules.cases import gcp_faults as gcp
from tests.rules.cases.azure_cluster import cluster as azure_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.moments import both


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
@both
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


def test_a_stack_that_is_too_large_for_any_trial_says_that_it_stopped(monkeypatch):
    monkeypatch.setattr("gpuinfra.fixes.resource_fixes.THOROUGH_WORK", 5)

    proposal = proposed(of_aws("metadata-v2").resources("preview"))

    assert (proposal.fixes, proposal.trial_count, proposal.is_incomplete) == ((), 0, True)
    assert "metadata-v2" in dict(proposal.unfixed_findings)
