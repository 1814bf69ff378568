"""Machines that nobody sees and fixed prices without one, on raw resources of strangers."""

import pytest

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

UNSEEN = machineless_types._hidden_type_reasons()
PRICED_WITHOUT_A_SETTING = {
    "aws:glue/job:Job",
    "gcp:cloudrun/service:Service",
    "gcp:cloudrunv2/service:Service",
}
"""Their services state what counts where nothing is set: tests/clouds/observing."""


@pytest.mark.parametrize("token", sorted({*UNSEEN} - PRICED_WITHOUT_A_SETTING))
def test_what_starts_machines_unseen_is_not_judged_and_has_no_price(token):
    program = Program()
    hidden_machine = program.add(token, "hidden")
    judged = of_resources(program.resources())
    (missing,) = judged.not_judged
    assert (missing.subject, missing.type) == (hidden_machine.urn, token)
    assert missing.reason == UNSEEN[token]
    assert missing.reason != "unknown machine type"
    (finding,) = findings(judged, "price-unknown")
    assert (finding.outcome, finding.subject) == ("violated", hidden_machine.urn)


@pytest.mark.parametrize("enabled", [True, UNKNOWN])
def test_a_cluster_that_makes_pools_by_itself_is_not_judged(enabled):
    google = gcp_stacks.gke(clusterAutoscaling={"enabled": enabled})
    (missing,) = of_resources(google.resources()).not_judged
    assert missing.reason.startswith("node auto-provisioning may create node pools beyond any")
    inside = gcp_stacks.gke(clusterAutoscaling={"enabled": enabled}, removeDefaultNodePool=False)
    (missing,) = of_resources(inside.resources()).not_judged
    assert missing.reason.startswith("its default node pools are not counted: declare")
    assert "; node auto-provisioning" in missing.reason
    assert (
        of_resources(gcp_stacks.gke(clusterAutoscaling={"enabled": False}).resources()).not_judged
        == ()
    )


@pytest.mark.parametrize(
    ("enabled", "counted"), [(True, False), (UNKNOWN, False), (False, True), (None, True)]
)
def test_a_cluster_with_a_default_class_for_pods_of_elsewhere_is_not_judged(enabled, counted):
    google = gcp_stacks.gke(clusterAutoscaling={"defaultComputeClassEnabled": enabled})
    missing = of_resources(google.resources()).not_judged
    assert [row.reason[:22] for row in missing] == ([] if counted else ["a default ComputeClass"])


@pytest.mark.parametrize(
    ("mode", "counted"), [("Auto", False), (UNKNOWN, False), ("Manual", True)]
)
def test_an_azure_cluster_that_makes_pools_by_itself_is_not_judged(mode, counted):
    program = AzureProgram()
    token = "azure-native:containerservice:ManagedCluster"
    program.add(token, "aks", nodeProvisioningProfile={"mode": mode})
    missing = of_resources(program.resources()).not_judged
    assert [row.reason[:22] for row in missing] == ([] if counted else ["node auto-provisioning"])


@both
@pytest.mark.parametrize(
    ("token", "inputs", "outcome"),
    [
        ("aws:shield/subscription:Subscription", {}, "violated"),
        ("aws:shield/protection:Protection", {}, "fine"),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Premium"}}, "violated"),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Standard"}}, "fine"),
    ],
)
def test_what_costs_a_fixed_price_without_a_machine_is_refused(moment, token, inputs, outcome):
    program = Program()
    program.add(token, "held", **inputs)
    (finding,) = findings(of_resources(program.resources(moment)), "price-unknown")
    assert finding.outcome == outcome


def test_an_input_to_state_is_the_fix_alone():
    program = GcpProgram()
    disk = {"size": 100, "type": "hyperdisk-extreme"}
    program.add("compute/disk:Disk", "d", zone="us-central1-a", **disk)
    (finding,) = findings(of_resources(program.resources()), "price-unknown")

    assert finding.message.endswith("provisioned_iops, and Google's default is not known")
    assert finding.fix == "set provisioned_iops"


@pytest.mark.parametrize("rule", ["cap-per-hour", "cap-per-month"])
def test_a_cap_that_lacks_a_price_tells_to_give_it(rule):
    program = Program()
    program.add("aws:rds/instance:Instance", "db", instanceClass="db.t3.micro")
    (finding,) = findings(of_resources(program.resources()), rule)

    assert finding.outcome == "not-knowable"
    assert finding.fix.startswith("settle the findings of price-unknown: ")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("kubernetes:apps/v1:Deployment", "its cluster is not in this stack"),
        ("kubernetes:acme.example/v1:Thing", "no table has this kind of Kubernetes object"),
        ("kubernetes:helm.sh/v3:Release", "no table has what the chart ingress-nginx makes"),
        ("kubernetes:helm.sh/v3:Release", "use kubernetes:helm.sh/v4:Chart"),
        ("kubernetes:karpenter.sh/v1:NodePool", "Karpenter or EKS Auto Mode starts machines"),
        ("acme:infra:Thing", "no table has this type of the package acme"),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_an_object_of_kubernetes_is_of_a_known_package(kind, words, declared):
    program = Program()
    if declared:
        program.add("aws:eks/cluster:Cluster", "c", computeConfig={"enabled": True})
    thing = program.add(kind, "thing", kind="Thing", chart="oci://charts/ingress-nginx")
    found = findings(of_resources(program.resources()), "price-unknown")

    assert [words in each.message for each in found if each.subject == thing.urn] == [True]


@pytest.mark.parametrize(
    ("tier", "words"),
    [(None, ""), ("Standard", ""), ("Advanced", "Advanced"), (UNKNOWN, "not known yet")],
)
def test_only_a_standard_parameter_is_free(tier, words):
    program = Program()
    said_of_it = {} if tier is None else {"tier": tier}
    program.add("aws:ssm/parameter:Parameter", "p", type="String", value="x", **said_of_it)
    program.add("aws:ecs/taskDefinition:TaskDefinition", "t", family="f")
    reasons = [row.reason for row in observe(program.resources()).not_judged]
    expected = [f"no price is known for a parameter of tier {words}"] if words else []
    assert reasons == expected
