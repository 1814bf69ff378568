"""Objects of Kubernetes whose names are those of others in another namespace."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.test_front_tls_cluster_listeners import ALB, AWS, FACING, GCP, INGRESS, resource
from tests.rules.test_front_tls_gateways import EXTERNAL, GATEWAY, HTTPS, gateway, route
from tests.rules.test_open_login_routed_ports import (
    POLICY,
    SECURE,
    SERVICE,
    SETTINGS,
    ingress,
    outcomes,
    service,
)

GUARDED = {"iap": {"enabled": True}}
BACKEND = {"backendRefs": [{"name": "lab", "port": 80}]}
PLACES = pytest.mark.parametrize(
    ("namespace", "same"), [("ml", True), ("other", False), (None, True), (UNKNOWN, True)]
)
"""The namespace of another object beside one in `ml`, and whether it may be the same."""


def within(inputs: dict[str, Any], namespace: Any) -> dict[str, Any]:
    stated = {} if namespace is None else {"namespace": namespace}
    return {**inputs, "metadata": {**inputs.get("metadata", {}), **stated}}


def placed(each: Resource, namespace: Any) -> Resource:
    return resource(each.type, each.name, within(dict(each.inputs), namespace))


@PLACES
def test_an_ingress_leads_to_services_of_its_namespace(namespace, same):
    inputs = within(ingress("alb", **FACING), "ml")
    found = outcomes(INGRESS, inputs, AWS, placed(service(), namespace))
    assert found == (["violated"] if same else [])


@PLACES
def test_a_login_of_a_service_counts_in_its_namespace(namespace, same):
    asks = {f"{ALB}/auth-type": "oidc"}
    lab, namesake = placed(service(), "ml"), placed(service(annotations=asks), namespace)
    named = resource(SERVICE, "namesake", dict(namesake.inputs))
    inputs = within(ingress("alb", **SECURE), "ml")
    assert outcomes(INGRESS, inputs, AWS, lab, named) == ([] if same else ["violated"])


@PLACES
def test_settings_of_a_backend_count_in_their_namespace(namespace, same):
    names = {"cloud.google.com/backend-config": '{"default": "own"}'}
    spec = {"metadata": {"name": "own"}, "spec": GUARDED}
    config = placed(resource(SETTINGS, "own", spec), namespace)
    inputs = within(ingress(), "ml")
    found = outcomes(INGRESS, inputs, GCP, placed(service(annotations=names), "ml"), config)
    assert found == ([] if same else ["not-knowable"])


@PLACES
def test_a_policy_of_a_backend_counts_in_its_namespace(namespace, same):
    spec = {"targetRef": {"kind": "Service", "name": "lab"}, "default": GUARDED}
    policy = placed(resource(POLICY, "p", {"spec": spec}), namespace)
    inputs = within(ingress(), "ml")
    found = outcomes(INGRESS, inputs, GCP, placed(service(), "ml"), policy)
    assert found == ([] if same else ["violated"])


@PLACES
def test_a_route_is_of_a_gateway_of_its_namespace(namespace, same):
    inputs = within(gateway(EXTERNAL, HTTPS), "ml")
    found = outcomes(GATEWAY, inputs, GCP, placed(route(BACKEND), namespace), service())
    assert found == (["violated"] if same else [])


def test_a_route_may_name_the_namespaces_of_its_gateway_and_its_service():
    parent = {"name": "gw", "namespace": "edge"}
    rule = {"backendRefs": [{"name": "lab", "port": 80, "namespace": "ml"}]}
    of_edge = {"metadata": {"namespace": "web"}, "spec": {"parentRefs": [parent], "rules": [rule]}}
    made = resource(route().type, "r", of_edge)
    for namespace, service_place, expected in (
        ("edge", "ml", ["violated"]),
        ("web", "ml", []),
        ("edge", "web", []),
    ):
        inputs = within(gateway(EXTERNAL, HTTPS), namespace)
        lab = placed(service(), service_place)
        assert outcomes(GATEWAY, inputs, GCP, made, lab) == expected
