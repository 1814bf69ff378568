"""Front Door may reach a control port of machines by an internal load balancer."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import login

JUPYTER = "TCP 8888 (Jupyter) behind inner is open to the internet through front"


def linked(moment, rule=None, origin=None, route=None, more=None, endpoint=None):
    """An internal load balancer, published by Private Link, behind a route of Front Door."""
    program = AzureProgram()
    stated = {"name": "r", "frontendPort": 80, "backendPort": 8888, **(rule or {})}
    inner = program.add(
        "azure-native:network:LoadBalancer",
        "inner",
        frontendIPConfigurations=[{"name": "f", "subnet": {"id": "s"}}],
        loadBalancingRules=[stated],
    )
    kind = "azure-native:network:PrivateLinkService"
    made = f"{program.handles[inner.urn].outputs['id']}/frontendIPConfigurations/f"
    fronts = [{"id": inner.out("front") if moment == "preview" else made}]
    service = program.add(kind, "published", loadBalancerFrontendIpConfigurations=fronts)
    group = program.add("azure-native:cdn:AFDOriginGroup", "origins", profileName="p")
    link = {"sharedPrivateLinkResource": {"privateLink": {"id": service.id}}}
    program.add(
        "azure-native:cdn:AFDOrigin",
        "origin",
        originGroupName=group.out("name"),
        hostName="inner.example.com",
        **{**link, **(origin or {})},
    )
    if endpoint is not None:
        made_by = program.add("azure-native:cdn:AFDEndpoint", "e", profileName="p", **endpoint)
        route = {**(route or {}), "endpointName": made_by.out("name")}
    ways = {"originGroup": {"id": group.id}, "forwardingProtocol": "HttpOnly", **(route or {})}
    program.add("azure-native:cdn:Route", "front", **ways)
    if more == "firewall":
        program.add("azure-native:cdn:SecurityPolicy", "waf", profileName="p")
    return program


@both
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "violated"),
        ({"rule": {"backendPort": 8000}}, None),
        ({"rule": {"frontendPort": 81}}, None),
        ({"rule": {"frontendPort": 0, "backendPort": 0}}, None),  # it keeps port 80
        (
            {"rule": {"frontendPort": 0, "backendPort": 0}, "origin": {"httpPort": 8888}},
            "violated",
        ),
        ({"rule": {"frontendPort": 443}}, None),
        (
            {"rule": {"frontendPort": 443}, "route": {"forwardingProtocol": "MatchRequest"}},
            "violated",
        ),
        ({"origin": {"httpPort": 8080}}, None),
        ({"origin": {"sharedPrivateLinkResource": None}}, None),
        ({"origin": {"enabledState": "Disabled"}}, None),
        ({"route": {"enabledState": "Disabled"}}, None),
        ({"route": {"enabledState": UNKNOWN}}, "not-knowable"),
        ({"endpoint": {}}, "violated"),
        ({"endpoint": {"enabledState": "Enabled"}}, "violated"),
        ({"endpoint": {"enabledState": "Disabled"}}, None),
        ({"endpoint": {"enabledState": UNKNOWN}}, "not-knowable"),
        ({"more": "firewall"}, "not-knowable"),
    ],
)
def test_a_route_leads_by_private_link_to_the_port_of_machines(changes, expected, moment):
    found = [each for each in login(linked(moment, **changes), moment) if each[0] != "fine"]

    assert [outcome for outcome, _ in found] == ([expected] if expected else [])
    assert [words for outcome, words in found if outcome == "violated"] == (
        [JUPYTER] if expected == "violated" else []
    )
