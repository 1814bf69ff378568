"""Just-in-time policies of Azure: only a request opens a port, and from where it says."""

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import findings, of_resources

TOKEN = "azure-native:security:JitNetworkAccessPolicy"
ANYWHERE = {"allowedSourceAddressPrefix": "*"}
MACHINES = [
    {
        "id": "/subscriptions/1/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm",
        "ports": [
            {"number": 22, "protocol": "*", "maxRequestAccessDuration": "PT3H", **ANYWHERE},
        ],
    }
]


def told(requests, rule="open-login"):
    inputs = {"kind": "Basic", "ascLocation": "westeurope", "virtualMachines": MACHINES}
    if requests is not None:
        inputs["requests"] = requests
    policy = Resource(
        urn=f"urn:pulumi:dev::shop::{TOKEN}::it", type=TOKEN, name="it", inputs=inputs
    )
    return [
        (finding.outcome, finding.message) for finding in findings(of_resources([policy]), rule)
    ]


def request(number=22, status="Initiated", **source):
    port = {"number": number, "status": status, "endTimeUtc": "2026-12-01T00:00:00Z", **source}
    return [{"requestor": "me", "virtualMachines": [{"id": MACHINES[0]["id"], "ports": [port]}]}]


def outcome(requests):
    return [outcome for outcome, _ in told(requests) if outcome != "not-applicable"]


def test_a_policy_without_requests_opens_nothing():
    assert outcome(None) == []
    assert outcome([]) == []


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        (request(**ANYWHERE), ["violated"]),
        (request(allowedSourceAddressPrefixes=["10.0.0.0/8", "0.0.0.0/0"]), ["violated"]),
        (request(3389.0, allowedSourceAddressPrefix="Internet"), ["violated"]),
        (request(allowedSourceAddressPrefix="203.0.113.7"), []),
        (request(status="Revoked", **ANYWHERE), []),
        (request(8443, **ANYWHERE), []),
        (request(allowedSourceAddressPrefix=UNKNOWN), ["not-knowable"]),
        (request(UNKNOWN, **ANYWHERE), ["not-knowable"]),
        (UNKNOWN, ["not-knowable"]),
        ([UNKNOWN], ["not-knowable"]),
        ([[]], []),
        ([{"virtualMachines": [{"ports": [None, {}, {"number": []}]}]}], None),
    ],
)
def test_a_request_opens_its_ports_to_its_addresses(requests, expected):
    seen = outcome(requests)
    assert expected is None or seen == expected


def test_the_words_name_the_port():
    assert any("22" in words for _, words in told(request(**ANYWHERE)))
