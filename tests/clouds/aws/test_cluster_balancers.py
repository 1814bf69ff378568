"""The load balancers that EKS makes for Services, Ingresses and Gateways have their prices."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program

SERVICE = "kubernetes:core/v1:Service"
INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
GATEWAY = "kubernetes:gateway.networking.k8s.io/v1:Gateway"
OF_SERVICE = "service.beta.kubernetes.io/aws-load-balancer-"
OF_INGRESS = "alb.ingress.kubernetes.io/"
NLB = {"nlb-hour": 1, "nlb-lcu": None}
ALB = {"alb-hour": 1, "alb-lcu": None}
CLASSIC = {"clb-hour": 1, "clb-data": None}
FACING = "internet-facing"


def cluster(subnets: int | None = None) -> Program:
    """A cluster, in a network of the stack with a number of subnets if one is given."""
    program = Program()
    if subnets is not None:
        program.add("aws:ec2/vpc:Vpc", "net", cidrBlock="10.0.0.0/16")
        for number in range(subnets):
            program.add("aws:ec2/subnet:Subnet", f"s{number}", cidrBlock=f"10.0.{number}.0/24")
    program.add("aws:eks/cluster:Cluster", "c")
    return program


def add(program: Program, kind: str, name: str = "it", annotations: Any = None, **spec: Any):
    metadata = {"name": name, "annotations": annotations}
    return program.add(kind, name, metadata=metadata, spec=spec)


def quantities(judged: Plan, name: str = "it") -> dict[str, Any]:
    return {item.item: item.quantity for item in judged.items if item.name.startswith(name)}


def of_service(annotations: Any = None, subnets: int | None = None, **spec: Any) -> dict[str, Any]:
    program = cluster(subnets)
    stated = {"type": "LoadBalancer", "ports": [{"port": 443}], **spec}
    add(program, SERVICE, annotations=annotations, **stated)
    return quantities(of_resources(program.resources()))


@pytest.mark.parametrize(
    ("annotations", "spec", "balancer"),
    [
        (None, {}, CLASSIC),
        ({f"{OF_SERVICE}type": "nlb"}, {}, NLB),
        ({f"{OF_SERVICE}type": "external"}, {}, NLB),
        ({f"{OF_SERVICE}type": "other"}, {}, CLASSIC),
        (None, {"loadBalancerClass": "service.k8s.aws/nlb"}, NLB),
        (None, {"loadBalancerClass": "eks.amazonaws.com/nlb"}, NLB),
    ],
)
def test_a_service_pays_for_the_balancer_that_its_class_makes(annotations, spec, balancer):
    made = of_service(annotations, **spec)
    made.pop("public-ipv4-hour", None)
    assert made == balancer


@pytest.mark.parametrize(
    ("annotations", "subnets", "addresses"),
    [
        ({f"{OF_SERVICE}scheme": FACING}, None, 6),
        ({f"{OF_SERVICE}scheme": FACING}, 2, 2),
        ({f"{OF_SERVICE}scheme": FACING}, 9, 6),
        ({f"{OF_SERVICE}scheme": FACING, f"{OF_SERVICE}subnets": "subnet-1, b"}, 4, 2),
        ({f"{OF_SERVICE}scheme": FACING, f"{OF_SERVICE}eip-allocations": "eipalloc-1"}, 2, None),
        ({f"{OF_SERVICE}scheme": "internal"}, 2, None),
        ({f"{OF_SERVICE}internal": "true"}, 2, None),
        (None, 2, 2),
    ],
)
def test_a_public_service_has_an_address_in_each_zone(annotations, subnets, addresses):
    assert of_service(annotations, subnets).get("public-ipv4-hour") == addresses


@pytest.mark.parametrize(
    ("written", "units"),
    [("CapacityUnits=3000", 3000), ("CapacityUnits=0", 0), ("3000", UNKNOWN), (None, None)],
)
def test_reserved_capacity_is_paid_whether_it_is_used_or_not(written, units):
    annotations = {f"{OF_SERVICE}minimum-load-balancer-capacity": written}
    made = of_service(annotations, loadBalancerClass="service.k8s.aws/nlb")
    assert made["nlb-lcu"] == units


@pytest.mark.parametrize(
    ("annotations", "spec"),
    [
        (None, {"loadBalancerClass": "io.cilium/l2-announcer"}),
        ({f"{OF_SERVICE}type": UNKNOWN}, {}),
        (None, {"loadBalancerClass": UNKNOWN}),
    ],
)
def test_a_balancer_of_an_unknown_kind_has_no_price(annotations, spec):
    program = cluster()
    stated = {"type": "LoadBalancer", "ports": [{"port": 443}], **spec}
    add(program, SERVICE, annotations=annotations, **stated)
    judged = of_resources(program.resources())
    assert not quantities(judged)
    assert "violated" in {finding.outcome for finding in findings(judged, "price-unknown")}


def ingresses(*annotations: dict[str, Any], class_: str | None = "alb") -> Plan:
    program = cluster(2)
    for number, each in enumerate(annotations):
        settings = {f"{OF_INGRESS}{key}": value for key, value in each.items()}
        add(program, INGRESS, f"it{number}", settings, ingressClassName=class_)
    return of_resources(program.resources())


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, ALB),
        ({"scheme": "internal"}, ALB),
        ({"scheme": FACING}, {**ALB, "public-ipv4-hour": 2}),
        ({"scheme": FACING, "subnets": "a,b,c"}, {**ALB, "public-ipv4-hour": 3}),
        ({"scheme": FACING, "ip-address-type": "dualstack-without-public-ipv4"}, ALB),
        ({"minimum-load-balancer-capacity": "CapacityUnits=9"}, {**ALB, "alb-lcu": 9}),
        ({"enable-frontend-nlb": "true"}, {**ALB, **NLB}),
        (
            {"enable-frontend-nlb": "true", "frontend-nlb-scheme": FACING},
            {**ALB, **NLB, "public-ipv4-hour": 2},
        ),
    ],
)
def test_an_ingress_pays_for_an_application_balancer(annotations, expected):
    judged = ingresses(annotations)
    assert quantities(judged) == expected
    assert "violated" not in {each.outcome for each in findings(judged, "price-unknown")}


def test_ingresses_of_a_group_pay_for_their_balancer_once():
    judged = ingresses({"group.name": "web"}, {"group.name": "web"}, {"group.name": "other"}, {})
    hours = [item.name for item in judged.items if item.item == "alb-hour"]
    assert hours == ["it0", "it2", "it3"]
    assert "violated" not in {each.outcome for each in findings(judged, "price-unknown")}


@pytest.mark.parametrize(("class_", "count"), [("nginx", 0), ("alb", 1), (None, 1), (UNKNOWN, 0)])
def test_an_ingress_of_another_controller_makes_no_balancer_of_its_own(class_, count):
    judged = ingresses({"scheme": FACING}, class_=class_)
    assert sum(item.item == "alb-hour" for item in judged.items) == count


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"minimumLoadBalancerCapacity": {"capacityUnits": 1500}}, {**ALB, "alb-lcu": 1500}),
        ({"minimumLoadBalancerCapacity": {"capacityUnits": UNKNOWN}}, {**ALB, "alb-lcu": UNKNOWN}),
        ({"scheme": FACING, "subnets": {"ids": ["a"]}}, {**ALB, "public-ipv4-hour": 1}),
        ({"scheme": FACING, "ipAddressType": "dualstack-without-public-ipv4"}, ALB),
        (None, {**ALB, "alb-lcu": UNKNOWN, "public-ipv4-hour": 2}),  # they are elsewhere
    ],
)
def test_the_parameters_of_a_class_say_what_its_ingresses_cost(parameters, expected):
    program = cluster(2)
    if parameters is not None:
        add(program, "kubernetes:elbv2.k8s.aws/v1beta1:IngressClassParams", "set", **parameters)
    named = {"apiGroup": "elbv2.k8s.aws", "kind": "IngressClassParams", "name": "set"}
    kind = "kubernetes:networking.k8s.io/v1:IngressClass"
    add(program, kind, "mine", controller="ingress.k8s.aws/alb", parameters=named)
    annotations = {f"{OF_INGRESS}minimum-load-balancer-capacity": "CapacityUnits=1"}
    add(program, INGRESS, annotations=annotations if parameters else None, ingressClassName="mine")
    if parameters and "minimumLoadBalancerCapacity" not in parameters:
        expected = {**expected, "alb-lcu": 1}
    assert quantities(of_resources(program.resources())) == expected


@pytest.mark.parametrize(
    ("controller", "settings", "expected"),
    [
        ("gateway.k8s.aws/alb", {}, ALB),
        ("gateway.k8s.aws/nlb", {}, NLB),
        ("gateway.k8s.aws/alb", {"scheme": FACING}, {**ALB, "public-ipv4-hour": 2}),
        (
            "gateway.k8s.aws/nlb",
            {"minimumLoadBalancerCapacity": {"capacityUnits": 100}},
            {**NLB, "nlb-lcu": 100},
        ),
        (
            "gateway.k8s.aws/nlb",
            {
                "scheme": FACING,
                "loadBalancerSubnets": [{"identifier": "a", "eipAllocation": "eipalloc-1"}],
            },
            NLB,
        ),
        ("istio.io/gateway-controller", {}, {**CLASSIC, "public-ipv4-hour": 2}),
        (UNKNOWN, {"scheme": FACING}, {**ALB, "public-ipv4-hour": 2}),
    ],
)
def test_a_gateway_pays_for_the_balancer_of_its_class(controller, settings, expected):
    program = cluster(2)
    add(program, "kubernetes:gateway.k8s.aws/v1beta1:LoadBalancerConfiguration", "set", **settings)
    add(
        program,
        "kubernetes:gateway.networking.k8s.io/v1:GatewayClass",
        "class",
        controllerName=controller,
        parametersRef={"group": "gateway.k8s.aws", "name": "set"},
    )
    listeners = [{"name": "a", "port": 443, "protocol": "TLS"}]
    add(program, GATEWAY, gatewayClassName="class", listeners=listeners)
    assert quantities(of_resources(program.resources())) == expected


@pytest.mark.parametrize(
    ("class_", "expected"),
    [
        ("of-another-stack", {**CLASSIC, "public-ipv4-hour": 2}),
        ("amazon-vpc-lattice", {}),
    ],
)
def test_a_gateway_of_a_class_of_elsewhere_has_a_balancer_at_most(class_, expected):
    program = cluster(2)
    add(program, GATEWAY, gatewayClassName=class_, listeners=[])
    assert quantities(of_resources(program.resources())) == expected


@pytest.mark.parametrize(
    ("inputs", "addresses"),
    [
        ({"internal": True, "subnets": ["a", "b"]}, None),
        ({"subnets": ["a", "b"]}, 2),
        ({"availabilityZones": ["us-east-1a"]}, 1),
        ({"availabilityZones": ["us-east-1a", UNKNOWN]}, UNKNOWN),
    ],
)
def test_a_classic_balancer_pays_for_hours_data_and_addresses(inputs, addresses):
    program = Program()
    program.add("aws:elb/loadBalancer:LoadBalancer", "it", **inputs)
    made = quantities(of_resources(program.resources()))
    assert made.pop("public-ipv4-hour", None) == addresses
    assert made == CLASSIC
