"""What a fix of resources writes, and what it leaves as it is."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.fixes.program_edits import WRITERS
from gpuinfra.fixes.tunables import tunable_dimensions
from gpuinfra.model import UNKNOWN, Caps, Resource
from tests.fixes.resources import CAPS, of_aws, proposed
from tests.rules.cases import azure_faults as azure
from tests.rules.cases.azure_cluster import cluster as azure_cluster
from tests.rules.cases.gcp_stacks import gke


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


def test_a_value_that_is_not_known_is_never_written_over():
    case = of_aws("metadata-v2")
    resources = [
        (
            replace(resource, inputs={**resource.inputs, "blockDeviceMappings": UNKNOWN})
            if resource.type.endswith("LaunchTemplate")
            else resource
        )
        for resource in case.resources("preview")
    ]

    for fix in proposed(resources).fixes:
        assert not any("blockDeviceMappings" in edit.path for edit in fix.edits)


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


def pool_edits(config, caps=CAPS):
    """The edits that are proposed for a node pool of GKE, as Python."""
    resources = gke({"nodeConfig": config, "nodeCount": 3}).resources()
    proposal = proposed(resources, caps)
    fixes = (*proposal.fixes, *proposal.advisory_fixes)
    return {WRITERS["python"](edit).partition(": ")[2] for fix in fixes for edit in fix.edits}


def test_of_a_node_pool_only_what_changes_is_proposed():
    edits = pool_edits({"machineType": "a2-highgpu-1g", "oauthScopes": ["cloud-platform"]})

    assert "node_config.shielded_instance_config.enable_secure_boot = True" in edits
    assert 'network_config={"enable_private_nodes": True}' in edits


def test_no_machine_whose_gpus_are_attached_is_proposed_in_place_of_another():
    caps = Caps(per_hour=Decimal(3))

    assert not [edit for edit in pool_edits({"machineType": "a2-highgpu-1g"}, caps) if "+" in edit]
