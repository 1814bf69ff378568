"""The API servers of Kubernetes clusters, on raw resources of strangers on three clouds."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

OPEN = "anyone can reach its API server from the internet"
LOCAL = "it takes certificates of local accounts"
RENTED = "gcpPublicCidrsAccessEnabled"
OFFICE = "203.0.113.0/24"


def judged(program: Program, token: str, inputs: dict[str, Any], moment: Any) -> tuple[str, str]:
    program.add(token, "shop", **inputs)
    (finding,) = findings(of_resources(program.resources(moment)), "cluster-access")
    assert not finding.refuses
    return finding.outcome, finding.message


@both
@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ({}, "violated"),
        ({"endpointPublicAccess": True}, "violated"),
        ({"endpointPublicAccess": False}, "fine"),
        ({"publicAccessCidrs": [OFFICE]}, "fine"),
        ({"publicAccessCidrs": ["0.0.0.0/1", "128.0.0.0/1"]}, "violated"),
        ({"publicAccessCidrs": UNKNOWN}, "not-knowable"),
        ({"publicAccessCidrs": UNKNOWN, "endpointPublicAccess": False}, "fine"),
        (UNKNOWN, "not-knowable"),
    ],
)
def test_who_reaches_the_api_server_of_eks(network, expected, moment):
    found = judged(Program(), "aws:eks/cluster:Cluster", {"vpcConfig": network}, moment)

    assert found[0] == expected
    assert found[1] == OPEN or expected != "violated"


def _by_name(external: Any) -> dict[str, Any]:
    """A cluster without addresses, whose name in the DNS takes external traffic or not."""
    ways = {"ipEndpointsConfig": {"enabled": False}}
    named = {"dnsEndpointConfig": {"allowExternalTraffic": external}}
    return {"controlPlaneEndpointsConfig": {**ways, **named}}


@both
@pytest.mark.parametrize(
    ("inputs", "expected", "words"),
    [
        ({}, "violated", OPEN),
        ({"enableAutopilot": True}, "violated", OPEN),
        ({"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": OFFICE}]}}, "fine", ""),
        ({"masterAuthorizedNetworksConfig": {}}, "fine", ""),
        ({"masterAuthorizedNetworksConfig": {RENTED: True}}, "violated", OPEN),
        ({"masterAuthorizedNetworksConfig": {RENTED: "false"}}, "fine", ""),
        ({"masterAuthorizedNetworksConfig": {RENTED: UNKNOWN}}, "not-knowable", "it is unknown"),
        (
            {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "0.0.0.0/0"}]}},
            "violated",
            OPEN,
        ),
        ({"masterAuthorizedNetworksConfig": UNKNOWN}, "not-knowable", "it is unknown"),
        ({"masterAuthorizedNetworksConfig": {"cidrBlocks": UNKNOWN}}, "not-knowable", ""),
        ({"privateClusterConfig": {"enablePrivateEndpoint": True}}, "fine", ""),
        ({"controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": False}}}, "fine", ""),
        (_by_name(True), "violated", OPEN),
        (_by_name(False), "fine", ""),
        (_by_name(UNKNOWN), "not-knowable", "it is unknown"),
        (
            {
                "privateClusterConfig": {"enablePrivateEndpoint": True},
                "masterAuth": {"clientCertificateConfig": {"issueClientCertificate": True}},
            },
            "violated",
            LOCAL,
        ),
    ],
)
def test_who_reaches_the_api_server_of_gke(inputs, expected, words, moment):
    given = {"location": "europe-west4-a", "initialNodeCount": 1, **inputs}
    found = judged(GcpProgram(), "container/cluster:Cluster", given, moment)

    assert found[0] == expected
    assert found[1].startswith(words)


SAFE = {"disableLocalAccounts": True, "apiServerAccessProfile": {"authorizedIPRanges": [OFFICE]}}


@both
@pytest.mark.parametrize(
    ("inputs", "expected", "words"),
    [
        ({}, "violated", f"{OPEN}; {LOCAL}"),
        (SAFE, "fine", ""),
        ({**SAFE, "disableLocalAccounts": False}, "violated", LOCAL),
        ({**SAFE, "disableLocalAccounts": UNKNOWN}, "not-knowable", "it is unknown whether it"),
        ({**SAFE, "apiServerAccessProfile": {"enablePrivateCluster": True}}, "fine", ""),
        ({**SAFE, "apiServerAccessProfile": UNKNOWN}, "not-knowable", ""),
        ({**SAFE, "apiServerAccessProfile": {"authorizedIPRanges": []}}, "violated", OPEN),
        (
            {"disableLocalAccounts": True, "publicNetworkAccess": "Disabled"},
            "fine",
            "",
        ),
    ],
)
def test_who_reaches_the_api_server_of_aks_and_how(inputs, expected, words, moment):
    token = "azure-native:containerservice:ManagedCluster"
    found = judged(AzureProgram(), token, inputs, moment)

    assert found[0] == expected
    assert found[1].startswith(words)


def test_without_a_cluster_nothing_is_judged():
    assert outcomes(plan(), "cluster-access") == ["not-applicable"]
