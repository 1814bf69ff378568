"""Ingresses and Services of Kubernetes that serve plain HTTP, or old TLS, to the internet."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.observing import ssl_policies
from gpuinfra.clouds.observing.cluster_services import CLUSTERS
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import findings, of_resources, outcomes

AWS, GCP, AZURE = CLUSTERS.values()
INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
FRONT = "kubernetes:networking.gke.io/v1beta1:FrontendConfig"
ALB = "alb.ingress.kubernetes.io"
FACING = {f"{ALB}/scheme": "internet-facing"}
NONE = ["not-applicable"]
BAD, UNCERTAIN, FINE = ["violated"], ["not-knowable"], ["fine"]


def resource(kind: str, name: str, inputs: dict[str, Any]) -> Resource:
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::{name}", type=kind, name=name, inputs=inputs
    )


def told(kind: str, inputs: dict[str, Any], *stack: Resource | str) -> list[str]:
    others = [resource(each, "c", {}) if isinstance(each, str) else each for each in stack]
    return outcomes(of_resources([*others, resource(kind, "it", inputs)]), "front-tls")


def ingress(annotations: Any = None, class_: Any = None) -> dict[str, Any]:
    return {"metadata": {"annotations": annotations or {}}, "spec": {"ingressClassName": class_}}


@pytest.mark.parametrize(
    ("annotations", "class_", "expected"),
    [
        ({}, None, BAD),
        ({"kubernetes.io/ingress.class": "gce"}, None, BAD),
        ({"kubernetes.io/ingress.class": "gce-regional-external"}, None, BAD),
        ({"kubernetes.io/ingress.class": "gce-multi-cluster"}, None, BAD),
        ({"kubernetes.io/ingress.class": "gce-internal"}, None, NONE),
        ({}, "nginx", NONE),
        ({}, "gce", NONE),
        ({"kubernetes.io/ingress.class": "gce"}, "nginx", BAD),
        ({}, UNKNOWN, UNCERTAIN),
        (UNKNOWN, None, UNCERTAIN),
        ({"kubernetes.io/ingress.allow-http": "false"}, None, BAD),  # TLS 1.0 by default
        ({"networking.gke.io/v1beta1.FrontendConfig": "elsewhere"}, None, UNCERTAIN),
        ({"networking.gke.io/v1beta1.FrontendConfig": "sends"}, None, UNCERTAIN),
        ({"networking.gke.io/v1beta1.FrontendConfig": "serves"}, None, BAD),
    ],
)
def test_an_ingress_of_gke_serves_http_by_default(annotations, class_, expected):
    sends = {"redirectToHttps": {"enabled": True}, "sslPolicy": "modern"}
    fronts = [
        resource(FRONT, name, {"metadata": {"name": name}, "spec": spec})
        for name, spec in (("sends", sends), ("serves", {"sslPolicy": "modern"}))
    ]
    assert told(INGRESS, ingress(annotations, class_), GCP, *fronts) == expected


@pytest.mark.parametrize(
    ("named", "policies", "expected"),
    [
        ("ours", {"ours": "TLS_1_2"}, FINE),
        ("ours", {"ours": "TLS_1_0"}, BAD),
        ("ours", {"ours": None}, BAD),
        ("ours", {"ours": UNKNOWN}, UNCERTAIN),
        ("of-elsewhere", {"ours": "TLS_1_2"}, UNCERTAIN),
        (UNKNOWN, {"ours": "TLS_1_2"}, FINE),  # by what the program refers to
        (None, {"ours": "TLS_1_2"}, BAD),
    ],
)
def test_the_ssl_policy_of_an_ingress_of_gke_may_be_of_the_stack(named, policies, expected):
    stack = [
        resource(ssl_policies.POLICY, name, {"name": name, "minTlsVersion": least})
        for name, least in policies.items()
    ]
    spec = {"redirectToHttps": {"enabled": True}, "sslPolicy": named}
    front = resource(FRONT, "f", {"metadata": {"name": "f"}, "spec": spec})
    refers = {"spec": tuple(each.urn for each in stack)} if named is UNKNOWN else {}
    names = {"networking.gke.io/v1beta1.FrontendConfig": "f"}
    stack = [replace(each, account="shop") for each in (*stack, resource(GCP, "c", {}))]
    judged = told(INGRESS, ingress(names), *stack, replace(front, relations=refers))
    assert judged == expected


def test_an_ingress_that_may_have_another_class_is_told_how_to_get_the_default_one():
    release = resource("kubernetes:helm.sh/v3:Release", "r", {})
    stack = [resource(GCP, "c", {}), release, resource(INGRESS, "it", ingress())]
    (finding,) = findings(of_resources(stack), "front-tls")
    assert "depends on it (dependsOn)" in finding.fix
    (finding,) = findings(of_resources([stack[0], stack[2]]), "front-tls")
    assert "dependsOn" not in finding.fix


def test_another_controller_may_have_the_default_class_of_gke():
    release = "kubernetes:helm.sh/v3:Release"
    assert told(INGRESS, ingress(), GCP, release) == UNCERTAIN
    assert told(INGRESS, ingress({"kubernetes.io/ingress.class": "gce"}), GCP, release) == BAD


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, NONE),
        (FACING, BAD),
        ({**FACING, f"{ALB}/certificate-arn": "arn"}, BAD),  # a policy of old TLS by default
        (
            {
                **FACING,
                f"{ALB}/certificate-arn": "arn",
                f"{ALB}/ssl-policy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
            },
            FINE,
        ),
        (
            {
                **FACING,
                f"{ALB}/listen-ports": '[{"HTTP": 80}, {"HTTPS": 443}]',
                f"{ALB}/ssl-redirect": "443",
                f"{ALB}/ssl-policy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
            },
            FINE,
        ),
        ({**FACING, f"{ALB}/listen-ports": '[{"HTTP": 80}, {"HTTPS": 443}]'}, BAD),
        ({**FACING, f"{ALB}/listen-ports": "[{"}, BAD),  # HTTP, or old TLS
        (
            {
                **FACING,
                f"{ALB}/listen-ports": UNKNOWN,
                f"{ALB}/ssl-policy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
            },
            UNCERTAIN,
        ),
        ({**FACING, f"{ALB}/inbound-cidrs": "203.0.113.0/24"}, FINE),
        ({f"{ALB}/scheme": UNKNOWN}, UNCERTAIN),
    ],
)
def test_an_ingress_of_eks_is_internal_by_default(annotations, expected):
    assert told(INGRESS, ingress(annotations, "alb"), AWS) == expected


@pytest.mark.parametrize(
    ("disabled", "expected"),
    [
        ([UNKNOWN], UNCERTAIN),
        ([True, False], UNCERTAIN),
        ([True, None], UNCERTAIN),
        ([True, UNKNOWN], UNCERTAIN),
        ([True, True], NONE),
        ([False, None], BAD),
    ],
)
def test_gke_serves_an_ingress_only_where_its_add_on_is_on(disabled, expected):
    clusters = [
        resource(GCP, f"c{each}", {"addonsConfig": {"httpLoadBalancing": {"disabled": value}}})
        for each, value in enumerate(disabled)
    ]
    assert told(INGRESS, ingress({"kubernetes.io/ingress.class": "gce"}), *clusters) == expected


@pytest.mark.parametrize(("stack", "expected"), [(GCP, BAD), (AZURE, BAD), (AWS, NONE)])
def test_a_service_that_says_http_is_a_front(stack, expected):
    ports = [{"port": 80, "appProtocol": "http"}]
    inputs = {"spec": {"type": "LoadBalancer", "ports": ports}}
    assert told("kubernetes:core/v1:Service", inputs, stack) == expected
    inside = {"spec": {"type": "ClusterIP", "ports": ports}}
    assert told("kubernetes:core/v1:Service", inside, stack) == NONE
    silent = {"spec": {"type": "LoadBalancer", "ports": [{"port": 443}]}}
    assert told("kubernetes:core/v1:Service", silent, stack) == NONE


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ({"port": 80}, UNCERTAIN),
        ({"port": 80, "appProtocol": "https"}, NONE),
        ({"port": 443, "targetPort": 80}, NONE),
        ({"port": UNKNOWN}, NONE),
    ],
)
@pytest.mark.parametrize("stack", [GCP, AZURE])
def test_port_80_of_a_service_may_be_plain_http(stack, port, expected):
    spec = {"type": "LoadBalancer", "ports": [port]}
    assert told("kubernetes:core/v1:Service", {"spec": spec}, stack) == expected
    closed = {**spec, "loadBalancerSourceRanges": ["203.0.113.0/24"]}
    assert told("kubernetes:core/v1:Service", {"spec": closed}, stack) == NONE


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, BAD),
        ({"networking.gke.io/frontend-config": "sends"}, BAD),  # its SSL policy is the default
        ({"networking.gke.io/frontend-config": "elsewhere"}, UNCERTAIN),
    ],
)
@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_an_ingress_of_several_clusters_is_external(annotations, expected, version):
    kind = f"kubernetes:networking.gke.io/{version}:MultiClusterIngress"
    spec = {"redirectToHttps": {"enabled": True}}
    front = resource(FRONT, "sends", {"metadata": {"name": "sends"}, "spec": spec})
    assert told(kind, {"metadata": {"annotations": annotations}}, GCP, front) == expected


PLAIN_PORT = [{"port": 80, "appProtocol": "http"}]


@pytest.mark.parametrize("stack", [AWS, GCP, AZURE])
@pytest.mark.parametrize(
    ("kind", "inputs", "expected"),
    [
        (INGRESS, {"spec": {"tls": []}}, UNCERTAIN),
        (INGRESS, {"metadata": {"annotations": {f"{ALB}/scheme": "internal"}}}, UNCERTAIN),
        (INGRESS, {"metadata": {"annotations": UNKNOWN}}, UNCERTAIN),
        (INGRESS, {"metadata": {"labels": {"team": "a"}}}, NONE),
        (INGRESS, {"metadata": {"annotations": {"cert-manager.io/issuer": "a"}}}, NONE),
        (FRONT, {"spec": {"sslPolicy": "old"}}, UNCERTAIN),
        ("kubernetes:elbv2.k8s.aws/v1beta1:IngressClassParams", {"spec": {}}, UNCERTAIN),
        ("kubernetes:core/v1:Service", {"spec": {"ports": PLAIN_PORT}}, UNCERTAIN),
        ("kubernetes:core/v1:Service", {"spec": {"type": "ClusterIP"}}, NONE),
    ],
)
def test_what_a_patch_makes_of_an_object_is_not_known(kind, inputs, expected, stack):
    assert told(f"{kind}Patch", inputs, stack) == expected
