"""Services that are published to other tenants or to the internet, or reached from inside."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

SERVICE = "compute/serviceAttachment:ServiceAttachment"
NETWORK = "compute/networkAttachment:NetworkAttachment"
RULE = "compute/globalForwardingRule:GlobalForwardingRule"
CIDR = "allowedCidrBlocks"
WORLD = "0.0.0.0/0"


def on_google(token, rule, **inputs):
    program = GcpProgram()
    program.add(token, "it", **inputs)
    return verdicts(of_resources(program.resources()), rule)


@pytest.mark.parametrize(
    ("token", "allows"),
    [(SERVICE, "the resources behind the service attachment"), (NETWORK, "machines of their own")],
)
def test_an_attachment_accepts_only_whom_it_names(token, allows):
    ((outcome, message),) = on_google(
        token, "wildcard-policy", connectionPreference="ACCEPT_AUTOMATIC"
    )
    assert outcome == "violated"
    assert "lets everyone connect" in message
    assert allows in message
    ((unknown, _),) = on_google(token, "wildcard-policy", connectionPreference=UNKNOWN)
    assert unknown == "not-knowable"
    manual = on_google(token, "wildcard-policy", connectionPreference="ACCEPT_MANUAL")
    assert {outcome for outcome, _ in manual} == {"not-applicable"}


@pytest.mark.parametrize(
    ("visible", "approved", "expected"),
    [
        (["*"], ["*"], "violated"),
        (["*"], UNKNOWN, "not-knowable"),
        (["*"], ["00000000-0000-0000-0000-000000000001"], "not-applicable"),
        (["00000000-0000-0000-0000-000000000001"], ["*"], "not-applicable"),
        (["*"], None, "not-applicable"),
    ],
)
def test_a_private_link_service_approves_only_whom_it_names(visible, approved, expected):
    program = AzureProgram()
    program.add(
        "azure-native:network:PrivateLinkService",
        "it",
        visibility={"subscriptions": visible},
        **({} if approved is None else {"autoApproval": {"subscriptions": approved}}),
    )
    assert outcomes(of_resources(program.resources()), "wildcard-policy") == [expected]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"accessType": "EXTERNAL", "externalConfig": {CIDR: [WORLD]}}, "violated"),
        ({"accessType": UNKNOWN, "externalConfig": {CIDR: [WORLD]}}, "not-knowable"),
        ({"accessType": "EXTERNAL", "externalConfig": {CIDR: ["203.0.113.0/24"]}}, "fine"),
        ({"accessType": "INTERNAL"}, "fine"),
    ],
)
def test_a_server_of_sftp_lets_only_some_addresses_in(inputs, expected):
    given = {
        outcome for outcome, _ in on_google("storage/ftpServer:FtpServer", "open-login", **inputs)
    }
    assert given == {"not-applicable" if expected == "fine" else expected}


def test_a_server_of_sftp_costs_what_no_table_has():
    given = dict(on_google("storage/ftpServer:FtpServer", "price-unknown", accessType="INTERNAL"))
    assert "billed by the hour" in given["violated"]
    other = on_google("storage/folder:Folder", "price-unknown")
    assert "violated" not in dict(other)


@pytest.mark.parametrize("target", ["all-apis", "vpc-sc"])
def test_an_endpoint_for_google_s_apis_is_inside_its_network(target):
    inside = on_google(RULE, "front-tls", target=target, loadBalancingScheme="")
    assert {outcome for outcome, _ in inside} <= {"fine", "not-applicable"}


@both
def test_an_endpoint_for_a_service_of_the_stack_is_inside_its_network(moment):
    program = GcpProgram()
    attachment = program.add(SERVICE, "s", connectionPreference="ACCEPT_MANUAL")
    program.add(RULE, "it", target=attachment.link, loadBalancingScheme="")
    judged = of_resources(program.resources(moment))
    assert outcomes(judged, "front-tls") == ["not-applicable"]
    elsewhere = on_google(RULE, "front-tls", target=UNKNOWN)
    assert "not-knowable" in dict(elsewhere)
