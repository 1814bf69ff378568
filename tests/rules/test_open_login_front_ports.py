"""An external load balancer of Google Cloud may hand a control port to the internet."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_fronts import fronted
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, login_outcomes

JUPYTER = "TCP 8888 (Jupyter) of {} is open to the internet through front"


@both
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["violated"]),
        ({"scheme": None}, ["violated"]),
        ({"scheme": "INTERNAL_MANAGED"}, []),
        ({"scheme": UNKNOWN}, ["not-knowable"]),
        ({"service": {"portName": "web"}}, []),
        ({"service": {"portName": UNKNOWN}}, ["not-knowable"]),
        ({"service": {"securityPolicy": "armor"}}, ["not-knowable"]),
        ({"service": {"iap": {"enabled": True}}}, []),
        ({"service": {"iap": {"oauth2ClientId": "c"}}}, []),
        ({"service": {"iap": {"enabled": False}}}, ["violated"]),
        ({"service": {"iap": {"enabled": UNKNOWN}}}, ["not-knowable"]),
        ({"proxy": {"serverTlsPolicy": "mutual"}}, ["not-knowable"]),
    ],
)
def test_a_balancer_hands_on_the_named_port_of_its_service(changes, expected, moment):
    program, _ = fronted(**changes)

    assert login_outcomes(program, moment) == expected


def test_it_says_which_port_and_through_what():
    program, _ = fronted()

    assert login(program) == [("violated", JUPYTER.format("desks"))]


def by_path(backend):
    rules = [{"paths": ["/desk"], "service": backend.out("id")}]
    return {"pathMatchers": [{"name": "m", "defaultService": "b", "pathRules": rules}]}


def by_weight(backend):
    weighted = [{"backendService": backend.out("id"), "weight": 1}]
    rules = [{"priority": 1, "routeAction": {"weightedBackendServices": weighted}}]
    return {"pathMatchers": [{"name": "m", "routeRules": rules}]}


@both
@pytest.mark.parametrize("routes", [by_path, by_weight])
def test_a_path_may_lead_to_the_service(routes, moment):
    program, _ = fronted(routes=routes)

    assert login_outcomes(program, moment) == ["violated"]


@both
@pytest.mark.parametrize("port", ["default", "own", "listed"])
def test_endpoints_have_ports_of_their_own(port, moment):
    program, backend = fronted()
    kind = "compute/networkEndpointGroup:NetworkEndpointGroup"
    group = program.add(kind, "neg", **({"defaultPort": 8888} if port == "default" else {}))
    program.change(backend, backends=[{"group": group.out("id")}])
    of = {"networkEndpointGroup": group.out("id")}
    if port == "own":
        program.add("compute/networkEndpoint:NetworkEndpoint", "e", port=8888, **of)
    if port == "listed":
        kind = "compute/networkEndpointList:NetworkEndpointList"
        program.add(kind, "e", networkEndpoints=[{"port": 8888}], **of)

    assert login(program, moment) == [("violated", JUPYTER.format("neg"))]


def published(program, backend, rule, data=None):
    """Put a service attachment and its endpoint group between a service and an internal rule."""
    kind = "compute/serviceAttachment:ServiceAttachment"
    attachment = program.add(kind, "published", targetService=rule.out("id"))
    group = program.add(
        "compute/regionNetworkEndpointGroup:RegionNetworkEndpointGroup",
        "psc",
        networkEndpointType="PRIVATE_SERVICE_CONNECT",
        pscTargetService=attachment.link,
        **({"pscData": {"producerPort": data}} if data else {}),
    )
    program.change(backend, backends=[{"group": group.out("id")}])
    return group


@both
@pytest.mark.parametrize(
    ("ports", "chosen", "expected"),
    [
        (["8888"], None, ["violated"]),
        (["8000"], None, []),
        (["8000", "8888"], None, []),  # the first one is meant
        (["8000", "8888"], "8888", ["violated"]),
    ],
)
def test_a_published_service_may_lead_to_an_internal_balancer(ports, chosen, expected, moment):
    program, backend = fronted()
    kind = "compute/forwardingRule:ForwardingRule"
    inner = program.add(kind, "inner", loadBalancingScheme="INTERNAL", ports=ports)
    published(program, backend, inner, chosen)

    assert login_outcomes(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("asks", "expected"), [({}, ["violated"]), ({"iap": {"enabled": True}}, [])]
)
def test_a_published_service_may_lead_to_a_proxy(asks, expected, moment):
    program, backend = fronted()
    kind = "compute/instanceGroup:InstanceGroup"
    desks = program.add(kind, "lab", namedPorts=[{"name": "desk", "port": 8888}])
    served = {"backends": [{"group": desks.out("id")}], "portName": "desk", **asks}
    inside = program.add("compute/regionBackendService:RegionBackendService", "in", **served)
    kind = "compute/targetTCPProxy:TargetTCPProxy"
    proxy = program.add(kind, "tcp", backendService=inside.out("id"))
    kind = "compute/forwardingRule:ForwardingRule"
    scheme = {"loadBalancingScheme": "INTERNAL_MANAGED"}
    inner = program.add(kind, "inner", target=proxy.out("id"), **scheme)
    published(program, backend, inner)

    assert login_outcomes(program, moment) == expected


def test_a_published_service_that_leads_back_ends_somewhere():
    program, backend = fronted()
    kind = "compute/targetTCPProxy:TargetTCPProxy"
    proxy = program.add(kind, "tcp", backendService=backend.out("id"))
    kind = "compute/forwardingRule:ForwardingRule"
    inner = program.add(
        kind, "inner", target=proxy.out("id"), loadBalancingScheme="INTERNAL_MANAGED"
    )
    published(program, backend, inner)

    assert login_outcomes(program) == []


@pytest.mark.parametrize(
    ("port", "name", "expected"),
    [(8888, "desk", ["violated"]), (8000, "desk", []), (8888, "other", [])],
)
def test_an_endpoint_group_of_gke_has_the_pods_of_a_service(port, name, expected):
    program, backend = fronted()
    exposed = f'{{"exposed_ports": {{"80": {{"name": "{name}"}}}}}}'
    metadata = {"name": "lab", "annotations": {"cloud.google.com/neg": exposed}}
    spec = {"ports": [{"port": 80, "targetPort": port}]}
    Program.add(program, "kubernetes:core/v1:Service", "lab", metadata=metadata, spec=spec)
    link = "projects/shop-1/zones/us-central1-a/networkEndpointGroups/desk"
    program.change(backend, backends=[{"group": link}])

    assert login_outcomes(program) == expected


@both
def test_a_proxy_of_tcp_names_its_service(moment):
    program, backend = fronted(scheme="INTERNAL_MANAGED")
    kind = "compute/targetTCPProxy:TargetTCPProxy"
    proxy = program.add(kind, "tcp", backendService=backend.out("id"))
    rule = "compute/globalForwardingRule:GlobalForwardingRule"
    program.add(rule, "front2", target=proxy.out("id"))

    assert login_outcomes(program, moment) == ["violated"]


@both
@pytest.mark.parametrize(
    "hidden",
    [
        {"service": {"backends": [{"group": UNKNOWN}]}},
        {"proxy": {"urlMap": UNKNOWN}},
        {"routes": lambda _: {"defaultService": UNKNOWN}},
    ],
)
def test_a_hidden_backend_may_be_any(hidden, moment):
    program, _ = fronted(**hidden)

    assert login_outcomes(program, moment) == ["not-knowable"]


@both
def test_a_known_backend_of_another_port_is_not_a_hidden_one(moment):
    program, _ = fronted(service={"portName": "web"})
    ports = {"namedPorts": [{"name": "web", "port": 8888}]}
    program.add("compute/instanceGroup:InstanceGroup", "others", **ports)

    assert login_outcomes(program, moment) == []
