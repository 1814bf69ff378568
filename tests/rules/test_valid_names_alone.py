"""Names of resources that stand without machines."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

ALONE = {
    "gcp": (
        GcpProgram,
        [
            ("serviceaccount/account:Account", "accountId", "gke-nodes", "vllm"),
            ("projects/iAMCustomRole:IAMCustomRole", "roleId", "poolReader", "pool-reader"),
            ("container/cluster:Cluster", "name", "shop", "Shop"),
            ("compute/network:Network", "name", "shop", "shop_net"),
        ],
    ),
    "aws": (
        Program,
        [
            ("aws:iam/role:Role", "name", "a" * 64, "a" * 65),
            ("aws:iam/policy:Policy", "name", "a+b@c", "a b"),
            ("aws:eks/cluster:Cluster", "name", "shop_1", "-shop"),
        ],
    ),
    "azure": (
        AzureProgram,
        [
            ("azure-native:containerservice:ManagedCluster", "resourceName", "a", "a_"),
            ("azure-native:managedidentity:UserAssignedIdentity", "resourceName", "ids", "id"),
        ],
    ),
}

CASES = [(make, *case) for make, cases in ALONE.values() for case in cases]


@both
@pytest.mark.parametrize(("make", "token", "key", "good", "bad"), CASES)
def test_names_of_resources_without_machines(make, token, key, good, bad, moment):
    def refused(name: Any) -> list[str]:
        program = make()
        program.add(token, "it", **{key: name})
        judged = of_resources(program.resources(moment))
        found = findings(judged, "valid-names")
        return [each.message for each in found if each.outcome == "violated"]

    assert refused(good) == refused(UNKNOWN) == []
    (message,) = refused(bad)
    assert repr(bad) in message
