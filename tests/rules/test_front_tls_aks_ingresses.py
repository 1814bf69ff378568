"""Ingresses of AKS: of the application gateway's controller, and of the managed NGINX."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.ingress_classes import CLASSES
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.test_front_tls_cluster_listeners import (
    AZURE,
    BAD,
    FINE,
    INGRESS,
    NONE,
    UNCERTAIN,
    resource,
    told,
)

AGIC, MANAGED = "azure/application-gateway", "webapprouting.kubernetes.azure.com"
PRIVATE = {"appgw.ingress.kubernetes.io/use-private-ip": "true"}
CONTROLLER = "kubernetes:approuting.kubernetes.azure.com/v1alpha1:NginxIngressController"
RELEASE = "kubernetes:helm.sh/v3:Release"
NGINX = "nginx.ingress.kubernetes.io"
INTERNAL = {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"}
TLS = [{"hosts": ["a.example.com"], "secretName": "s"}]


def cluster(**inputs: Any) -> Resource:
    return resource(AZURE, "aks", inputs)


def ingress(class_: Any, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    rules = [{"host": "a.example.com"}]
    return {
        "metadata": {"annotations": annotations or {}},
        "spec": {"ingressClassName": class_, "rules": rules, **spec},
    }


GATEWAY = cluster(addonProfiles={"ingressApplicationGateway": {"enabled": True}})


def routing(kind: Any = None) -> Resource:
    nginx = {} if kind is None else {"nginx": {"defaultIngressControllerType": kind}}
    return cluster(ingressProfile={"webAppRouting": {"enabled": True, **nginx}})


def nginx(name: str, class_: str, annotations: Any) -> Resource:
    spec = {"ingressClassName": class_, "loadBalancerAnnotations": annotations}
    return resource(CONTROLLER, name, {"metadata": {"name": name}, "spec": spec})


def chart(**values: Any) -> Resource:
    return resource(RELEASE, "agic", {"chart": "oci://x/ingress-azure", "values": values})


@pytest.mark.parametrize("class_", [AGIC, "azure-application-gateway"])
@pytest.mark.parametrize(
    ("stack", "annotations", "spec", "expected"),
    [
        ([GATEWAY], {}, {}, BAD),
        ([GATEWAY], PRIVATE, {}, FINE),
        ([GATEWAY], {"appgw.ingress.kubernetes.io/use-private-ip": UNKNOWN}, {}, UNCERTAIN),
        ([GATEWAY], {}, {"tls": TLS}, FINE),
        ([GATEWAY], {}, {"tls": UNKNOWN}, UNCERTAIN),
        ([GATEWAY], {}, {"tls": [{"hosts": ["b.example.com"]}]}, UNCERTAIN),
        ([GATEWAY], {}, {"tls": [{"secretName": "s"}]}, FINE),
        ([GATEWAY], {"appgw.ingress.kubernetes.io/appgw-ssl-certificate": "c"}, {}, FINE),
        ([cluster()], {}, {}, UNCERTAIN),  # a controller of elsewhere
        ([cluster()], {}, {"tls": TLS}, FINE),
        ([cluster(), chart()], {}, {}, BAD),
        ([cluster(), chart(appgw={"usePrivateIP": True})], {}, {}, FINE),
    ],
)
def test_an_application_gateway_serves_http_without_a_certificate(
    class_, stack, annotations, spec, expected
):
    assert told(INGRESS, ingress(class_, annotations, **spec), *stack) == expected


def test_a_class_of_the_stack_may_be_the_application_gateways():
    own = resource(CLASSES, "own", {"metadata": {"name": "own"}, "spec": {"controller": AGIC}})
    assert told(INGRESS, ingress("own"), GATEWAY, own) == BAD
    assert told(INGRESS, ingress("nginx"), GATEWAY, own) == NONE


@pytest.mark.parametrize(
    ("stack", "annotations", "spec", "expected"),
    [
        ([routing()], {}, {}, BAD),
        ([routing("AnnotationControlled")], {}, {}, BAD),
        ([routing("External")], {}, {}, BAD),
        ([routing("Internal")], {}, {}, NONE),
        ([routing("None")], {}, {}, NONE),
        ([routing(UNKNOWN)], {}, {}, UNCERTAIN),
        ([routing()], {}, {"tls": TLS}, FINE),
        ([routing()], {f"{NGINX}/ssl-redirect": "false"}, {"tls": TLS}, BAD),
        ([routing()], {f"{NGINX}/force-ssl-redirect": "true"}, {}, FINE),
        ([routing(), nginx("default", MANAGED, INTERNAL)], {}, {}, NONE),
        ([routing("External"), nginx("default", MANAGED, INTERNAL)], {}, {}, BAD),
        ([cluster()], {}, {}, UNCERTAIN),
    ],
)
def test_the_managed_nginx_is_public_by_default(stack, annotations, spec, expected):
    assert told(INGRESS, ingress(MANAGED, annotations, **spec), *stack) == expected


@pytest.mark.parametrize(
    ("class_", "annotations", "expected"),
    [("own", {}, BAD), ("own", INTERNAL, NONE), ("own", UNKNOWN, UNCERTAIN), ("other", {}, NONE)],
)
def test_a_managed_nginx_of_a_class_of_its_own(class_, annotations, expected):
    own = nginx("own", "own", annotations)
    assert told(INGRESS, ingress(class_), routing(), own) == expected


FURTHER = "approuting.kubernetes.azure.com"


@pytest.mark.parametrize(
    ("controller", "stack", "expected"),
    [
        (f"{MANAGED}/nginx", [routing()], BAD),
        (f"{MANAGED}/nginx", [routing("Internal")], NONE),
        (f"{MANAGED}/nginx", [cluster()], UNCERTAIN),
        (f"{FURTHER}/second", [routing(), nginx("second", "other", {})], BAD),
        (f"{FURTHER}/second", [routing(), nginx("second", "other", INTERNAL)], NONE),
        (f"{FURTHER}/second", [routing()], UNCERTAIN),
        ("k8s.io/ingress-nginx", [routing()], NONE),
        (UNKNOWN, [routing()], UNCERTAIN),
        (UNKNOWN, [GATEWAY], UNCERTAIN),
        (UNKNOWN, [cluster()], NONE),
    ],
)
def test_a_class_of_the_stack_may_be_the_managed_nginx(controller, stack, expected):
    inputs = {"metadata": {"name": "own"}, "spec": {"controller": controller}}
    assert told(INGRESS, ingress("own"), resource(CLASSES, "own", inputs), *stack) == expected


@pytest.mark.parametrize(
    ("stack", "expected"), [(GATEWAY, UNCERTAIN), (routing(), UNCERTAIN), (cluster(), NONE)]
)
def test_a_class_that_is_not_known_may_be_of_an_add_on(stack, expected):
    assert told(INGRESS, ingress(UNKNOWN), stack) == expected


def test_an_application_gateway_for_containers_is_public():
    assert told(INGRESS, ingress("azure-alb-external"), cluster()) == BAD
    assert told(INGRESS, ingress("azure-alb-external", tls=TLS), cluster()) == NONE
