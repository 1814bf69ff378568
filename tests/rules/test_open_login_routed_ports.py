"""Ingresses and Gateways that lead requests of the internet to control ports."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.observing.ingress_classes import CLASSES
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts
from tests.rules.test_front_tls_aks_ingresses import MANAGED, routing
from tests.rules.test_front_tls_cluster_listeners import ALB, AWS, FACING, GCP, INGRESS, resource
from tests.rules.test_front_tls_gateways import EXTERNAL, GATEWAY, HTTPS, gateway, route

SERVICE = "kubernetes:core/v1:Service"
SETTINGS = "kubernetes:cloud.google.com/v1:BackendConfig"
POLICY = "kubernetes:networking.gke.io/v1:GCPBackendPolicy"
NGINX = "nginx.ingress.kubernetes.io"
OPEN = [("violated", "TCP 8888 (Jupyter) of lab is open to the internet through it")]
CLOSED: list[Any] = []
UNCERTAIN = ["not-knowable"]
SECURE = {**FACING, f"{ALB}/certificate-arn": "arn"}
TO_SERVICE = {"serviceName": "lab", "servicePort": 80}


def service(
    ports: Any = None, annotations: Any = None, name: Any = "lab", **spec: Any
) -> Resource:
    stated = [{"name": "web", "port": 80, "targetPort": 8888}] if ports is None else ports
    metadata = {"name": "lab", "annotations": annotations or {}}
    return resource(SERVICE, "lab", {"metadata": metadata, "spec": {"ports": stated, **spec}})


def ingress(class_: Any = None, port: Any = 80, name: Any = "lab", **annotations: Any) -> Any:
    key = "name" if isinstance(port, str) else "number"
    backend = {"service": {"name": name, "port": {key: port}}}
    rules = [{"http": {"paths": [{"path": "/", "backend": backend}]}}]
    spec = {"ingressClassName": class_, "rules": rules}
    return {"metadata": {"annotations": annotations}, "spec": spec}


def told(kind: str, inputs: Any, *stack: Resource | str) -> list[tuple[str, str]]:
    others = [resource(each, "c", {}) if isinstance(each, str) else each for each in stack]
    found = verdicts(of_resources([*others, resource(kind, "it", inputs)]), "open-login")
    return [row for row in found if row[0] not in {"not-applicable", "fine"}]


def outcomes(*args: Any) -> list[str]:
    return [outcome for outcome, _ in told(*args)]


@pytest.mark.parametrize(
    ("stack", "inputs"),
    [
        (GCP, ingress()),
        (GCP, {"spec": {"defaultBackend": {"service": {"name": "lab", "port": {"number": 80}}}}}),
        (GCP, {"spec": {"backend": {"serviceName": "lab", "servicePort": 80}}}),
        (GCP, ingress(**{"kubernetes.io/ingress.class": "gce"})),
        (AWS, ingress("alb", **FACING)),
        (routing(), ingress(MANAGED)),
    ],
)
def test_a_public_ingress_opens_the_port_of_the_pods_behind_it(stack, inputs):
    assert told(INGRESS, inputs, stack, service()) == OPEN


@pytest.mark.parametrize(
    ("stack", "inputs"),
    [
        (GCP, ingress("gce-internal")),
        (GCP, ingress("nginx")),
        (AWS, ingress("alb")),
        (AWS, ingress("alb", **FACING, **{f"{ALB}/inbound-cidrs": "203.0.113.0/24"})),
        (routing("Internal"), ingress(MANAGED)),
    ],
)
def test_an_ingress_that_the_internet_does_not_reach_opens_nothing(stack, inputs):
    assert told(INGRESS, inputs, stack, service()) == CLOSED


@pytest.mark.parametrize(
    ("port", "ports", "expected"),
    [
        (80, [{"port": 80, "targetPort": 8000}], []),
        (8888, [{"port": 8888, "targetPort": 8000}], []),
        (8888, [{"port": 8888}], ["violated"]),
        (8888.0, [{"port": "8888"}], ["violated"]),
        ("web", [{"name": "web", "port": 80, "targetPort": 8888}], ["violated"]),
        ("api", [{"name": "web", "port": 80, "targetPort": 8888}], []),
        (81, [{"port": 80, "targetPort": 8888}], []),
        (UNKNOWN, [{"port": 80, "targetPort": 8888}], UNCERTAIN),
        (80, [{"port": 80, "targetPort": UNKNOWN}], UNCERTAIN),
    ],
)
def test_the_port_that_the_pods_listen_on_tells(port, ports, expected):
    assert outcomes(INGRESS, ingress(port=port), GCP, service(ports)) == expected


def test_a_named_port_is_that_of_the_pods():
    container = {"ports": [{"name": "notebook", "containerPort": 8888}]}
    pod = {"metadata": {"labels": {"app": "lab"}}, "spec": {"containers": [container]}}
    deployment = resource("kubernetes:apps/v1:Deployment", "d", {"spec": {"template": pod}})
    named = service([{"port": 80, "targetPort": "notebook"}], selector={"app": "lab"})
    assert told(INGRESS, ingress(), GCP, named, deployment) == OPEN


@pytest.mark.parametrize(("port", "expected"), [(8888, UNCERTAIN), (80, [])])
def test_where_a_service_of_elsewhere_leads_is_not_known(port, expected):
    assert outcomes(INGRESS, ingress(port=port), GCP) == expected


@pytest.mark.parametrize(("port", "expected"), [(80, UNCERTAIN), (81, [])])
def test_a_name_that_is_not_known_yet_may_be_of_each_service(port, expected):
    assert outcomes(INGRESS, ingress(port=port, name=UNKNOWN), GCP, service()) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({f"{ALB}/auth-type": "none"}, ["violated"]),
        ({f"{ALB}/auth-type": "oidc"}, []),
        ({f"{ALB}/auth-type": "cognito"}, UNCERTAIN),
        (
            {f"{ALB}/auth-type": "oidc", f"{ALB}/auth-on-unauthenticated-request": "allow"},
            ["violated"],
        ),
        ({f"{ALB}/jwt-validation": "{}"}, UNCERTAIN),
        ({f"{ALB}/wafv2-acl-arn": "arn"}, UNCERTAIN),
        ({f"{ALB}/conditions.lab": "[]"}, UNCERTAIN),
        ({f"{ALB}/conditions.other": "[]"}, ["violated"]),
    ],
)
def test_a_login_may_stand_before_an_ingress_of_eks(annotations, expected):
    inputs = ingress("alb", **SECURE, **annotations)
    assert outcomes(INGRESS, inputs, AWS, service()) == expected


@pytest.mark.parametrize(
    ("controller", "login", "expected"),
    [
        ("eks.amazonaws.com/alb", "oidc", UNCERTAIN),
        ("eks.amazonaws.com/alb", "none", ["violated"]),
        ("ingress.k8s.aws/alb", "oidc", []),
    ],
)
@pytest.mark.parametrize("of_service", [False, True])
def test_auto_mode_does_not_support_a_login_by_oidc(controller, login, expected, of_service):
    metadata, asks = {"name": "shop"}, {f"{ALB}/auth-type": login}
    class_ = resource(CLASSES, "shop", {"metadata": metadata, "spec": {"controller": controller}})
    inputs = ingress("shop", **SECURE, **({} if of_service else asks))
    behind = service(annotations=asks if of_service else {})
    assert outcomes(INGRESS, inputs, AWS, behind, class_) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ["violated"]),
        ({f"{ALB}/listen-ports": '[{"HTTP": 80}, {"HTTPS": 443}]'}, ["violated"]),
        (
            {
                f"{ALB}/listen-ports": '[{"HTTP": 80}, {"HTTPS": 443}]',
                f"{ALB}/ssl-redirect": "443",
            },
            [],
        ),
        ({f"{ALB}/listen-ports": UNKNOWN}, UNCERTAIN),
    ],
)
def test_a_plain_listener_of_eks_asks_for_no_login(more, expected):
    inputs = ingress("alb", **FACING, **{f"{ALB}/auth-type": "oidc"}, **more)
    assert outcomes(INGRESS, inputs, AWS, service()) == expected


@pytest.mark.parametrize(
    ("own", "of_service", "expected"),
    [
        ({}, {f"{ALB}/auth-type": "oidc"}, []),
        ({f"{ALB}/auth-type": "oidc"}, {f"{ALB}/auth-type": "none"}, ["violated"]),
    ],
)
def test_the_login_of_a_service_goes_before_that_of_its_ingress(own, of_service, expected):
    inputs = ingress("alb", **SECURE, **own)
    assert outcomes(INGRESS, inputs, AWS, service(annotations=of_service)) == expected


TO_LAB_BY_ACTION = {"type": "forward", "forwardConfig": {"targetGroups": [TO_SERVICE]}}
SEVERAL = {
    "Type": "forward",
    "ForwardConfig": {
        "TargetGroups": [
            {"ServiceName": "a", "ServicePort": 80},
            {"ServiceName": "lab", "ServicePort": "80"},
        ]
    },
}
ANSWER = {"type": "fixed-response", "fixedResponseConfig": {"statusCode": "404"}}


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (TO_LAB_BY_ACTION, ["violated"]),
        (SEVERAL, ["violated"]),
        (ANSWER, []),
        ({"type": "redirect", "redirectConfig": {"host": "example.com"}}, []),
        (UNKNOWN, UNCERTAIN),
    ],
)
@pytest.mark.parametrize("place", ["rule", "default"])
def test_an_action_leads_to_services_that_no_rule_names(action, expected, place):
    stated = action if action is UNKNOWN else json.dumps(action)
    inputs = ingress("alb", "use-annotation", "go", **FACING, **{f"{ALB}/actions.go": stated})
    if place == "default":
        backend = inputs["spec"].pop("rules")[0]["http"]["paths"][0]["backend"]
        inputs["spec"]["defaultBackend"] = backend
    assert outcomes(INGRESS, inputs, AWS, service()) == expected


@pytest.mark.parametrize("odd", ["[]", '{"type": {}}', '{"type": "forward"}', "{", "7", '"x"'])
def test_an_odd_action_leads_to_nothing_that_is_known(odd):
    inputs = ingress("alb", "use-annotation", "go", **FACING, **{f"{ALB}/actions.go": odd})
    assert "violated" not in outcomes(INGRESS, inputs, AWS, service())


@pytest.mark.parametrize("depth", [300, 500, 700, 900, 100_000])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"A":', "}")])
def test_an_action_of_any_depth_is_read_or_unknown(depth, opens, closes):
    deep = f"{opens * depth}1{closes * depth}"
    stated = f'{{"type": "forward", "serviceName": "lab", "servicePort": 80, "more": {deep}}}'
    inputs = ingress("alb", "use-annotation", "go", **FACING, **{f"{ALB}/actions.go": stated})
    assert outcomes(INGRESS, inputs, AWS, service()) in (["violated"], UNCERTAIN)


@pytest.mark.parametrize("odd", ["x", 7, [], {"annotations": "x"}, {"annotations": {"a": []}}])
def test_odd_metadata_is_no_reason_to_fail(odd):
    assert outcomes(INGRESS, {**ingress("alb"), "metadata": odd}, AWS, service()) == []


def test_an_action_that_no_rule_names_leads_nowhere():
    stated = json.dumps(TO_LAB_BY_ACTION)
    inputs = ingress("alb", 80, "web", **FACING, **{f"{ALB}/actions.go": stated})
    assert outcomes(INGRESS, inputs, AWS, service()) == []


@pytest.mark.parametrize("key", ["targetGroupARN", "targetGroupName"])
@pytest.mark.parametrize(("port", "expected"), [(8888, ["violated"]), (8000, [])])
def test_an_action_may_lead_to_a_target_group_of_the_stack(key, port, expected):
    named = {"type": "forward", key: "desk"}
    stated = {f"{ALB}/actions.go": json.dumps(named)}
    inputs = ingress("alb", "use-annotation", "go", **FACING, **stated)
    desk = resource("aws:lb/targetGroup:TargetGroup", "desk", {"name": "desk", "port": port})
    assert outcomes(INGRESS, inputs, AWS, desk) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({f"{NGINX}/auth-url": "https://login.example.com"}, []),
        ({f"{NGINX}/auth-type": "basic"}, []),
        ({f"{NGINX}/whitelist-source-range": "203.0.113.0/24"}, []),
        ({f"{NGINX}/whitelist-source-range": "0.0.0.0/0"}, ["violated"]),
    ],
)
def test_a_login_may_stand_before_a_managed_nginx(annotations, expected):
    inputs = ingress(MANAGED, **annotations)
    assert outcomes(INGRESS, inputs, routing(), service()) == expected


@pytest.mark.parametrize(
    ("spec", "named", "expected"),
    [
        ({"iap": {"enabled": True}}, '{"default": "own"}', []),
        ({"iap": {"enabled": True}}, '{"ports": {"80": "own"}}', []),
        ({"iap": {"enabled": False}}, '{"default": "own"}', ["violated"]),
        ({"iap": {"enabled": UNKNOWN}}, '{"default": "own"}', UNCERTAIN),
        ({"securityPolicy": {"name": "p"}}, '{"default": "own"}', UNCERTAIN),
        ({}, '{"default": "elsewhere"}', UNCERTAIN),
        ({}, UNKNOWN, UNCERTAIN),
    ],
)
def test_a_proxy_of_gke_may_ask_for_a_login(spec, named, expected):
    config = resource(SETTINGS, "own", {"metadata": {"name": "own"}, "spec": spec})
    behind = service(annotations={"cloud.google.com/backend-config": named})
    assert outcomes(INGRESS, ingress(), GCP, config, behind) == expected


TO_LAB = {"backendRefs": [{"name": "lab", "port": 80}]}


def test_a_gateway_opens_the_ports_that_its_routes_lead_to():
    inputs = gateway(EXTERNAL, HTTPS)
    assert told(GATEWAY, inputs, GCP, route(TO_LAB), service()) == OPEN
    assert told(GATEWAY, inputs, GCP, route(TO_LAB, to="other"), service()) == CLOSED
    assert told(GATEWAY, gateway("gke-l7-rilb", HTTPS), GCP, route(TO_LAB), service()) == CLOSED


def test_a_policy_of_a_backend_may_ask_for_a_login():
    spec = {"default": {"iap": {"enabled": True}}, "targetRef": {"name": "lab"}}
    policy = resource(POLICY, "p", {"spec": spec})
    inputs = gateway(EXTERNAL, HTTPS)
    assert told(GATEWAY, inputs, GCP, route(TO_LAB), service(), policy) == CLOSED


def test_an_ingress_of_several_clusters_leads_to_their_services():
    ports = [{"port": 80, "targetPort": 8888}]
    kind = "kubernetes:networking.gke.io/v1:MultiCluster"
    spec = {"template": {"spec": {"ports": ports}}}
    behind = resource(f"{kind}Service", "lab", {"metadata": {"name": "lab"}, "spec": spec})
    backend = {"backend": {"serviceName": "lab", "servicePort": 80}}
    inputs = {"spec": {"template": {"spec": backend}}}
    assert told(f"{kind}Ingress", inputs, GCP, behind) == OPEN


def test_a_patch_may_open_what_it_leads_to():
    assert outcomes(f"{INGRESS}Patch", ingress(), GCP, service()) == UNCERTAIN
