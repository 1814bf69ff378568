"""Containers that Cloud Run serves to everyone on a control port."""

import json

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import login, login_faults

INVOKER = {"role": "roles/run.invoker", "member": "allUsers"}
ON_SERVICE = "cloudrunv2/serviceIamMember:ServiceIamMember"
FIRST, SECOND = "cloudrun/service:Service", "cloudrunv2/service:Service"
JUPYTER = "TCP 8888 (Jupyter) of desk is open to the internet"
BALANCED = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"


def served(port=8888, **inputs):
    """A service of Cloud Run that serves a port, and its program."""
    program = GcpProgram()
    containers = [{"image": "x", "ports": {"containerPort": port}}, {"image": "sidecar"}]
    template = {"containers": containers}
    stated = {"name": "desk", "project": "shop-1", "location": "us-central1", **inputs}
    service = program.add(SECOND, "desk", template=template, **stated)
    return program, service


def granted(program, service, token=ON_SERVICE, key="name", **grant):
    program.add(token, "grant", **{key: service.out("name"), **INVOKER, **grant})


@both
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, ["violated"]),
        ({"ingress": "INGRESS_TRAFFIC_ALL"}, ["violated"]),
        ({"ingress": BALANCED}, []),
        ({"ingress": "INGRESS_TRAFFIC_INTERNAL_ONLY"}, []),
        ({"ingress": UNKNOWN}, ["not-knowable"]),
        ({"defaultUriDisabled": True}, []),
        ({"iapEnabled": True}, []),
        ({"iapEnabled": UNKNOWN}, ["not-knowable"]),
        ({"port": 8080}, []),
        ({"port": 8265}, ["violated"]),
        ({"port": 9000}, []),
    ],
)
def test_everyone_may_call_a_service(inputs, expected, moment):
    program, service = served(**inputs)
    granted(program, service)

    assert login_faults(program, moment) == expected


@both
def test_a_port_that_may_be_open_has_its_name(moment):
    program, service = served(ingress=UNKNOWN)
    granted(program, service)

    assert [words for _, words in login(program, moment)] == [f"it is unknown whether {JUPYTER}"]


@both
@pytest.mark.parametrize(
    ("grant", "expected"),
    [
        ({"member": "allAuthenticatedUsers"}, ["violated"]),
        ({"member": "group:team@example.com"}, []),
        ({"role": "roles/run.viewer"}, []),
        ({"role": "roles/run.servicesInvoker"}, ["violated"]),
        ({"condition": {"expression": "x"}}, ["not-knowable"]),
        ({"member": UNKNOWN}, ["not-knowable"]),
        ({"name": "other"}, []),
    ],
)
def test_the_invoker_is_whom_the_grant_names(grant, expected, moment):
    program, service = served()
    granted(program, service, **grant)

    assert login_faults(program, moment) == expected


@both
def test_a_service_without_a_grant_is_closed(moment):
    program, _ = served()

    assert login_faults(program, moment) == []


@both
def test_a_service_may_ask_for_no_invoker(moment):
    program, _ = served(invokerIamDisabled=True)

    assert [words for _, words in login(program, moment)] == [JUPYTER]


@both
@pytest.mark.parametrize(
    ("token", "grant", "expected"),
    [
        ("projects/iAMMember:IAMMember", {**INVOKER, "project": "shop-1"}, ["violated"]),
        ("projects/iAMMember:IAMMember", {**INVOKER, "project": "other"}, []),
        (
            "cloudrunv2/serviceIamPolicy:ServiceIamPolicy",
            {
                "name": "desk",
                "policyData": json.dumps(
                    {"bindings": [{"role": "roles/run.invoker", "members": ["allUsers"]}]}
                ),
            },
            ["violated"],
        ),
        ("cloudrun/iamMember:IamMember", {**INVOKER, "service": "desk"}, ["violated"]),
    ],
)
def test_other_grants_invoke_it_too(token, grant, expected, moment):
    program, _ = served()
    program.add(token, "grant", **grant)

    assert login_faults(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("annotations", "invoked", "expected"),
    [
        ({}, True, ["violated"]),
        ({}, False, []),
        ({"run.googleapis.com/ingress": "internal"}, True, []),
        ({"run.googleapis.com/ingress": "all"}, True, ["violated"]),
        ({"run.googleapis.com/invoker-iam-disabled": "true"}, False, ["violated"]),
    ],
)
def test_the_first_version_has_annotations(annotations, invoked, expected, moment):
    program = GcpProgram()
    containers = [{"image": "x", "ports": [{"containerPort": 8888}]}]
    service = program.add(
        FIRST,
        "desk",
        location="us-central1",
        metadata={"annotations": annotations},
        template={"spec": {"containers": containers}},
    )
    if invoked:
        granted(program, service, "cloudrun/iamMember:IamMember", "service")

    assert login_faults(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("member", "expected"), [("allUsers", ["violated"]), ("group:team@example.com", [])]
)
def test_its_own_proxy_may_let_everyone_in(member, expected, moment):
    program, service = served(iapEnabled=True)
    program.add(
        "iap/webCloudRunServiceIamMember:WebCloudRunServiceIamMember",
        "app",
        role="roles/iap.httpsResourceAccessor",
        member=member,
        cloudRunServiceName=service.out("name"),
    )

    assert login_faults(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("inputs", "backend", "group", "expected"),
    [
        ({"ingress": BALANCED}, {}, {}, ["violated"]),
        ({"ingress": "INGRESS_TRAFFIC_INTERNAL_ONLY"}, {}, {}, []),
        ({"ingress": BALANCED}, {"iap": {"enabled": True}}, {}, []),
        ({"ingress": BALANCED, "port": 8080}, {}, {}, []),
        (
            {"ingress": BALANCED},
            {},
            {"cloudRun": {"urlMask": "a.com/<service>"}},
            ["not-knowable"],
        ),
        ({"ingress": BALANCED}, {}, {"cloudRun": {"service": "other"}}, []),
    ],
)
def test_a_balancer_may_lead_to_a_service(inputs, backend, group, expected, moment):
    program, service = served(**inputs)
    granted(program, service)
    named = {"cloudRun": {"service": service.out("name")}, **group}
    kind = "compute/regionNetworkEndpointGroup:RegionNetworkEndpointGroup"
    endpoints = program.add(kind, "neg", networkEndpointType="SERVERLESS", **named)
    backends = [{"group": endpoints.out("id")}]
    kind = "compute/backendService:BackendService"
    behind = program.add(kind, "behind", backends=backends, **backend)
    ways = program.add("compute/uRLMap:URLMap", "ways", defaultService=behind.out("id"))
    kind = "compute/targetHttpsProxy:TargetHttpsProxy"
    proxy = program.add(kind, "proxy", urlMap=ways.out("id"))
    kind = "compute/globalForwardingRule:GlobalForwardingRule"
    scheme = {"loadBalancingScheme": "EXTERNAL_MANAGED"}
    program.add(kind, "front", target=proxy.out("id"), **scheme)

    assert login_faults(program, moment) == expected
