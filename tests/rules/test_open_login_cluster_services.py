"""Services of Kubernetes for which a cloud makes a load balancer that opens control ports."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.cluster_services import CLUSTERS
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts

AWS, GCP, AZURE = CLUSTERS.values()
BUCKETS = {
    AWS: "aws:s3/bucket:Bucket",
    GCP: "gcp:storage/bucket:Bucket",
    AZURE: "azure-native:storage:StorageAccount",
}
SERVICE = "kubernetes:core/v1:Service"
RAY = "kubernetes:ray.io/v1:RayCluster"
RELEASE = "kubernetes:helm.sh/v3:Release"
K8S = "service.beta.kubernetes.io"
OFFICE = ["203.0.113.0/24"]
SSH = [("violated", "TCP 22 (SSH) of it is open to the internet")]
CLOSED: list[Any] = []
UNCERTAIN = ["not-knowable"]


def resource(kind: str, name: str, inputs: dict[str, Any], **more: Any) -> Resource:
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::{name}", type=kind, name=name, inputs=inputs, **more
    )


def service(ports: Any = None, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    stated = [{"port": 22}] if ports is None else ports
    metadata = {"name": "it", "annotations": annotations or {}}
    return {"metadata": metadata, "spec": {"type": "LoadBalancer", "ports": stated, **spec}}


def told(
    inputs: dict[str, Any],
    *stack: str,
    kind: str = SERVICE,
    settings: Any = None,
    more: Any = (),
) -> list[tuple[str, str]]:
    """What is said of an object beside resources of some types."""
    provider = settings and resource("pulumi:providers:kubernetes", "p", settings)
    it = resource(kind, "it", inputs, provider=provider)
    others = [
        resource(each, f"c{place}", {"name": f"c{place}"}) for place, each in enumerate(stack)
    ]
    found = verdicts(of_resources((*others, *more, it)), "open-login")
    return [row for row in found if row[0] not in {"not-applicable", "fine"}]


def outcomes(*args: Any, **more: Any) -> list[str]:
    return [outcome for outcome, _ in told(*args, **more)]


@pytest.mark.parametrize("stack", [GCP, AZURE, BUCKETS[GCP], BUCKETS[AZURE]])
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (service(), SSH),
        (service([{"port": 80, "targetPort": 22}]), SSH),
        (service([{"port": 80, "targetPort": 8000}]), CLOSED),
        (service([{"port": 22, "protocol": "UDP"}]), CLOSED),
        (service([{"port": 22, "protocol": "SCTP"}]), CLOSED),
        (service(type="ClusterIP"), CLOSED),
        (service(type="NodePort"), CLOSED),
        ({"spec": {"ports": [{"port": 22}]}}, CLOSED),
        (service(loadBalancerSourceRanges=OFFICE), CLOSED),
        (service(loadBalancerSourceRanges=[]), SSH),
        (service(loadBalancerSourceRanges=["0.0.0.0/1", "128.0.0.0/1"]), SSH),
        (
            service(
                annotations={f"{K8S}/load-balancer-source-ranges": "203.0.113.0/24,10.0.0.0/8"}
            ),
            CLOSED,
        ),
    ],
)
def test_a_balanced_service_is_open_to_everyone_by_default(inputs, expected, stack):
    assert told(inputs, stack) == expected


def test_every_port_is_named_with_what_listens_on_it():
    ports = [{"port": 80, "targetPort": 8888}, {"port": 6379}, {"port": 161, "protocol": "UDP"}]
    ((outcome, message),) = told(service(ports), GCP)
    assert outcome == "violated"
    assert "6379 (Redis and Ray's head), 8888 (Jupyter) of it are open to the internet" in message
    assert "UDP 161 (SNMP) of it is open to the internet" in message


@pytest.mark.parametrize("stack", [GCP, AZURE])
@pytest.mark.parametrize(
    "inputs",
    [
        service(type=UNKNOWN),
        service(UNKNOWN),
        service([{"port": UNKNOWN}]),
        service([{"port": 22, "protocol": UNKNOWN}]),
        service(annotations=UNKNOWN),
        service(loadBalancerSourceRanges=UNKNOWN),
        service(loadBalancerSourceRanges=[UNKNOWN]),
        service(loadBalancerClass="example.com/own"),
        {"metadata": {}, "spec": UNKNOWN},
    ],
)
def test_what_is_not_known_yet_stays_unknown(inputs, stack):
    assert outcomes(inputs, stack) == UNCERTAIN


@pytest.mark.parametrize(
    ("stack", "annotations", "expected"),
    [
        (GCP, {"networking.gke.io/load-balancer-type": "Internal"}, []),
        (GCP, {"cloud.google.com/load-balancer-type": "Internal"}, []),
        (GCP, {"networking.gke.io/load-balancer-type": "External"}, ["violated"]),
        (GCP, {"networking.gke.io/load-balancer-type": UNKNOWN}, UNCERTAIN),
        (GCP, {"networking.gke.io/load-balancer-type": "INTERNAL"}, ["violated"]),
        (GCP, {f"{K8S}/azure-load-balancer-internal": "true"}, ["violated"]),
        (AZURE, {f"{K8S}/azure-load-balancer-internal": "true"}, []),
        (AZURE, {f"{K8S}/azure-load-balancer-internal": "false"}, ["violated"]),
        (AZURE, {f"{K8S}/azure-load-balancer-internal": "True"}, ["violated"]),
        (AZURE, {f"{K8S}/azure-load-balancer-internal": UNKNOWN}, UNCERTAIN),
        (AZURE, {f"{K8S}/azure-allowed-ip-ranges": "203.0.113.0/24"}, []),
        (AZURE, {f"{K8S}/azure-allowed-ip-ranges": "0.0.0.0/0"}, ["violated"]),
        (AZURE, {f"{K8S}/azure-allowed-service-tags": "AzureFrontDoor.Backend"}, []),
        (AZURE, {f"{K8S}/azure-allowed-service-tags": "Storage, AzureCloud.eastus"}, ["violated"]),
        (AZURE, {f"{K8S}/azure-allowed-service-tags": UNKNOWN}, UNCERTAIN),
        (AWS, {}, UNCERTAIN),
        (AWS, {f"{K8S}/aws-load-balancer-scheme": "internet-facing"}, ["violated"]),
        (AWS, {f"{K8S}/aws-load-balancer-scheme": "internal"}, []),
        (AWS, {f"{K8S}/aws-load-balancer-internal": "true"}, []),
        (AWS, {f"{K8S}/aws-load-balancer-internal": "false"}, ["violated"]),
        (AWS, {f"{K8S}/aws-load-balancer-type": "external"}, []),
        (AWS, {f"{K8S}/aws-load-balancer-type": "nlb"}, UNCERTAIN),
        (
            AWS,
            {
                f"{K8S}/aws-load-balancer-scheme": "internet-facing",
                f"{K8S}/aws-load-balancer-security-groups": "sg-1",
            },
            UNCERTAIN,
        ),
    ],
)
def test_annotations_keep_a_balancer_inside(stack, annotations, expected):
    assert outcomes(service(annotations=annotations), stack) == expected


@pytest.mark.parametrize(
    ("stack", "name", "expected"),
    [
        (GCP, "networking.gke.io/l4-regional-external", ["violated"]),
        (GCP, "networking.gke.io/l4-regional-internal", []),
        (AWS, "service.k8s.aws/nlb", []),
        (AWS, "eks.amazonaws.com/nlb", []),
        (AWS, "example.com/own", UNCERTAIN),
    ],
)
def test_a_class_says_who_makes_the_balancer(stack, name, expected):
    assert outcomes(service(loadBalancerClass=name), stack) == expected


def test_eks_says_nothing_of_ports_for_requests():
    assert told(service([{"port": 443}, {"port": 80, "targetPort": "http"}]), AWS) == CLOSED


def test_the_provider_says_in_which_cloud_a_service_is():
    inside = service(annotations={"networking.gke.io/load-balancer-type": "Internal"})
    google = {"context": "gke_shop_us-central1-a_c0"}
    assert outcomes(service(), GCP, AZURE) == ["violated"]
    assert outcomes(inside, GCP, AZURE) == UNCERTAIN
    assert outcomes(inside, GCP, AZURE, settings=google) == CLOSED
    assert outcomes(service(), GCP, BUCKETS[AWS]) == ["violated"]
    assert outcomes(service(), AWS, BUCKETS[GCP]) == UNCERTAIN
    assert outcomes(service(), GCP, settings={"context": "another"}) == UNCERTAIN
    assert outcomes(service(), BUCKETS[GCP], BUCKETS[AWS]) == UNCERTAIN
    assert outcomes(service()) == UNCERTAIN


@pytest.mark.parametrize(
    ("labels", "expected"), [({"app": "j"}, ["violated"]), ({"app": "k"}, [])]
)
def test_a_port_of_pods_is_found_by_its_name(labels, expected):
    container = {"ports": [{"name": "web", "containerPort": 8888}, {"containerPort": 22}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    pods = resource("kubernetes:apps/v1:Deployment", "d", {"spec": {"template": template}})
    inputs = service([{"port": 80, "targetPort": "web"}], selector={"app": "j"})
    assert outcomes(inputs, GCP, more=(pods,)) == expected


SLICE = "kubernetes:discovery.k8s.io/v1:EndpointSlice"
OWNER = "kubernetes.io/service-name"


@pytest.mark.parametrize(
    ("kind", "metadata", "ports", "selector", "expected"),
    [
        (SLICE, {"labels": {OWNER: "it"}}, [{"port": 8888}], None, ["violated"]),
        (SLICE, {"labels": {OWNER: "it"}}, [{"port": 8000}], None, []),
        (SLICE, {"labels": {OWNER: "it"}}, [{"port": UNKNOWN}], None, ["not-knowable"]),
        (SLICE, {"labels": {OWNER: "other"}}, [{"port": 8888}], None, []),
        (SLICE, {"labels": UNKNOWN}, [{"port": 8888}], None, ["violated"]),
        (SLICE, {"labels": {OWNER: "it"}}, [{"port": 8888}], {"app": "j"}, []),
        ("kubernetes:core/v1:Endpoints", {"name": "it"}, [{"port": 8888}], None, ["violated"]),
        ("kubernetes:core/v1:Endpoints", {"name": "other"}, [{"port": 8888}], None, []),
    ],
)
def test_written_endpoints_tell_the_port_of_a_service_without_a_selector(
    kind, metadata, ports, selector, expected
):
    parts = {"ports": ports} if kind == SLICE else {"subsets": [{"ports": ports}]}
    endpoints = resource(kind, "e", {"metadata": metadata, **parts})
    inputs = service([{"port": 443, "targetPort": 8000}], selector=selector)
    assert outcomes(inputs, GCP, more=(endpoints,)) == expected


def test_a_list_and_a_patch_are_read_too():
    assert outcomes(
        {"items": [service([{"port": 80}]), service()]}, GCP, kind=f"{SERVICE}List"
    ) == ["violated"]
    assert outcomes(service(), GCP, kind=f"{SERVICE}Patch") == UNCERTAIN
    assert outcomes({"spec": {"ports": [{"port": 22}]}}, GCP, kind=f"{SERVICE}Patch") == UNCERTAIN
    assert outcomes({"spec": {"type": "LoadBalancer"}}, GCP, kind=f"{SERVICE}Patch") == CLOSED


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (RAY, {"headGroupSpec": {"serviceType": "LoadBalancer"}}, ["violated"]),
        (RAY, {"headGroupSpec": {"serviceType": "ClusterIP"}}, []),
        (RAY, {"headGroupSpec": {}}, []),
        (
            RAY,
            {"headGroupSpec": {"headService": {"spec": {"type": "LoadBalancer"}}}},
            ["violated"],
        ),
        (
            RAY,
            {
                "headGroupSpec": {"serviceType": "LoadBalancer"},
                "headServiceAnnotations": {"networking.gke.io/load-balancer-type": "Internal"},
            },
            [],
        ),
        (
            RAY.replace("Cluster", "Service"),
            {"rayClusterConfig": {"headGroupSpec": {"serviceType": "LoadBalancer"}}},
            ["violated"],
        ),
    ],
)
def test_the_head_of_a_ray_cluster_is_served_as_well(kind, spec, expected):
    assert outcomes({"spec": spec}, GCP, kind=kind) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"master": {"service": {"type": "LoadBalancer", "ports": {"redis": 6379}}}}, UNCERTAIN),
        ({"service": {"type": "LoadBalancer", "port": 80}}, []),
        ({"master": {"service": {"type": "LoadBalancer"}}}, UNCERTAIN),  # the chart's own port
        ({"service": {"type": "LoadBalancer", "port": UNKNOWN}}, UNCERTAIN),
        ({"service": {"type": "LoadBalancer", "nodePorts": {"http": 30080}}}, UNCERTAIN),
        ({"service": {"type": "LoadBalancer", "loadBalancerSourceRanges": OFFICE}}, []),
        ({"service": {"type": "ClusterIP", "port": 6379}}, []),
        (
            {
                "service": {
                    "type": "LoadBalancer",
                    "port": 22,
                    "loadBalancerSourceRanges": OFFICE,
                }
            },
            [],
        ),
    ],
)
def test_the_values_of_a_chart_tell_what_may_be_open(values, expected):
    assert outcomes({"chart": "redis", "values": values}, GCP, kind=RELEASE) == expected


@pytest.mark.parametrize(
    ("chart", "more", "expected"),
    [
        ("ingress-nginx", {}, []),
        ("oci://charts/traefik", {}, []),
        ("jupyterhub", {}, []),
        ("ingress-nginx", {"tcp": {"22": "shop/git:22"}}, UNCERTAIN),
        (UNKNOWN, {}, UNCERTAIN),
    ],
)
def test_charts_of_the_web_open_the_ports_of_the_web(chart, more, expected):
    values = {"controller": {"service": {"type": "LoadBalancer"}}, **more}
    assert outcomes({"chart": chart, "values": values}, GCP, kind=RELEASE) == expected
