"""The pool that a GKE cluster keeps by its own inputs, judged as a node pool is."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.rules import RULES
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]


def gke(*, inline, location="us-central1-a", **changed):
    program = GcpProgram()
    network = program.add("compute/network:Network", "net", autoCreateSubnetworks=False)
    account = program.add("serviceaccount/account:Account", "sa", accountId="sa", project="shop-1")
    nodes = {
        "machineType": "g2-standard-48",
        "serviceAccount": account.out("email"),
        "oauthScopes": SCOPES,
        "maxRunDuration": "3600s",
        "resourceLabels": {"owner": "team"},
    }
    whole = {
        "location": location,
        "network": network.out("id"),
        "privateClusterConfig": {"enablePrivateNodes": True},
    }
    if inline:
        own = {"initialNodeCount": 8, "nodeConfig": nodes, **changed}
        program.add("container/cluster:Cluster", "k", **whole, **own)
        return program
    cluster = program.add(
        "container/cluster:Cluster",
        "k",
        initialNodeCount=1,
        removeDefaultNodePool=True,
        **whole,
    )
    program.add(
        "container/nodePool:NodePool",
        "k",
        cluster=cluster.out("name"),
        location=location,
        nodeCount=8,
        nodeConfig=nodes,
    )
    return program


@both
@pytest.mark.parametrize(("location", "nodes"), [("us-central1-a", 8), ("us-central1", 24)])
def test_it_is_judged_as_a_pool_of_its_own(moment, location, nodes):
    told = []
    for inline in (True, False):
        resources = gke(inline=inline, location=location).resources(moment)
        (group,) = observe(resources).groups
        assert (group.rung.machine, group.maximum) == ("g2-standard-48", nodes)
        plan = of_resources(resources)
        told.append(
            {
                (rule.id, each.outcome, each.message)
                for rule in RULES
                for each in findings(plan, rule.id)
            }
        )
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "changed",
    [
        {"nodeConfig": UNKNOWN},
        {"initialNodeCount": UNKNOWN},
        {"removeDefaultNodePool": UNKNOWN},
        {"nodePools": [{"nodeCount": 3}]},
    ],
)
def test_one_that_is_not_whole_stays_uncounted(changed):
    rows = observe(gke(inline=True, **changed).resources("preview"))
    assert any("default node pools are not counted" in row.reason for row in rows.not_judged)


@pytest.mark.parametrize("inline", [True, False])
def test_pods_run_on_its_counted_nodes(inline):
    spec = {"template": {"spec": {"containers": [{"image": "i"}]}}}
    pods = Resource(
        urn="pods", type="kubernetes:apps/v1:Deployment", name="pods", inputs={"spec": spec}
    )
    plan = of_resources([*gke(inline=inline).resources(), pods])
    (row,) = (row for row in plan.not_judged if row.subject == "pods")
    assert not row.may_start_machines
