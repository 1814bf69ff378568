"""Ingresses of EKS that share one load balancer with others of their group."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.verdicts import verdicts
from tests.rules.test_front_tls_cluster_listeners import (
    ALB,
    AWS,
    BAD,
    FACING,
    FINE,
    INGRESS,
    UNCERTAIN,
    resource,
)
from tests.rules.test_front_tls_cluster_listeners import ingress as plain
from tests.rules.test_front_tls_cluster_listeners import told as tls
from tests.rules.test_front_tls_ingress_classes import AUTO, CONTROLLER, PARAMETERS, class_of
from tests.rules.test_open_login_routed_ports import CLOSED, OPEN, ingress, service, told

MODERN = "ELBSecurityPolicy-TLS13-1-2-2021-06"
INTERNAL = {f"{ALB}/scheme": "internal"}
OFFICE = {f"{ALB}/inbound-cidrs": "203.0.113.0/24"}
OFFICES = {f"{ALB}/inbound-cidrs": "203.0.113.0/24,198.51.100.0/24"}
SAME_OFFICES = {f"{ALB}/inbound-cidrs": "198.51.100.0/24, 203.0.113.0/24"}
REDIRECT = {f"{ALB}/ssl-redirect": "443"}
BOTH_PORTS = {f"{ALB}/listen-ports": '[{"HTTP": 80}, {"HTTPS": 443}]'}
SECURE = {f"{ALB}/certificate-arn": "arn"}
POLICY = {f"{ALB}/ssl-policy": MODERN}
HIDDEN = ["not-knowable"]


def member(annotations: Any, name: Any = "shop", urn: str = "other") -> Resource:
    grouped = {**annotations, **({f"{ALB}/group.name": name} if name else {})}
    return resource(INGRESS, urn, plain(grouped, "alb"))


def judged(own: Any, *others: Resource, name: Any = "shop") -> list[str]:
    """Return what is said of the TLS of an Ingress in the group of others."""
    grouped = {**own, f"{ALB}/group.name": name}
    it = resource(INGRESS, "it", plain(grouped, "alb"))
    plan = of_resources([resource(AWS, "c", {}), *others, it])
    return [each.outcome for each in findings(plan, "front-tls") if each.subject == it.urn]


def reached(own: Any, *others: Resource) -> Any:
    """Return what is said of the port behind an Ingress in the group of others."""
    inputs = ingress("alb", **{f"{ALB}/group.name": "shop"}, **own)
    return told(INGRESS, inputs, AWS, service(), *others)


def test_a_member_without_a_scheme_has_that_of_its_group():
    assert reached({}, member(FACING)) == OPEN
    assert reached({}, member(INTERNAL)) == CLOSED
    assert [each for each, _ in reached({})] == HIDDEN  # a member of elsewhere may be public
    assert reached({}, member(FACING, name="other"), member(INTERNAL, urn="m")) == CLOSED
    assert reached(INTERNAL) == CLOSED
    assert reached(FACING) == OPEN


def test_members_that_state_different_schemes_get_no_balancer_that_is_known():
    assert [each for each, _ in reached(INTERNAL, member(FACING))] == HIDDEN


def test_a_class_may_state_the_group_of_its_ingresses():
    parameters = {"metadata": {"name": "ours"}, "spec": {"group": {"name": "shop"}}}
    stack = [class_of(CONTROLLER), resource(PARAMETERS[CONTROLLER], "ours", parameters)]
    inputs = ingress("shop")
    assert told(INGRESS, inputs, AWS, service(), *stack, member(FACING)) == OPEN
    assert told(INGRESS, inputs, AWS, service(), *stack, member(INTERNAL)) == CLOSED


@pytest.mark.parametrize(("controller", "expected"), [(CONTROLLER, OPEN), (AUTO, CLOSED)])
def test_auto_mode_reads_no_group_from_annotations(controller, expected):
    inputs = ingress("own", **{f"{ALB}/group.name": "shop"})
    none = resource(PARAMETERS[controller], "ours", {"metadata": {"name": "ours"}})
    stack = [class_of(controller, "own"), none, member(FACING)]
    assert told(INGRESS, inputs, AWS, service(), *stack) == expected


def test_a_group_of_another_cluster_is_another_group():
    kind = "pulumi:providers:kubernetes"
    there = replace(member(FACING), provider=resource(kind, "there", {}))
    assert [each for each, _ in reached({}, there)] == HIDDEN
    assert [each for each, _ in reached(INTERNAL, there)] == []


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        (FACING, OFFICE, CLOSED),  # both listen on port 80
        (FACING, {**OFFICE, **SECURE}, OPEN),  # the ranges are of port 443
        ({**FACING, **OFFICE}, {f"{ALB}/inbound-cidrs": "0.0.0.0/0"}, None),
        ({**FACING, **OFFICE}, {}, CLOSED),
        (FACING, {f"{ALB}/inbound-cidrs": "10.0.0.0/8, 0.0.0.0/0"}, OPEN),
        (FACING, {f"{ALB}/security-group-prefix-lists": "pl-1"}, None),
        ({**FACING, **OFFICES}, SAME_OFFICES, CLOSED),
        ({**FACING, **OFFICE}, {f"{ALB}/security-groups": "sg-1"}, None),
    ],
)
def test_ranges_hold_for_the_ports_that_members_share(own, other, expected):
    found = reached(own, member(other))
    assert found == expected if expected is not None else [each for each, _ in found] == HIDDEN


def sending(
    path: str,
    kind: str,
    protocol: Any = "HTTPS",
    default: Any = None,
    served: Any = None,
    **more: Any,
) -> Any:
    """Return an Ingress on both ports whose first path is an action that redirects.

    After it comes a path that a Service serves.
    """
    action = {"type": "redirect", "redirectConfig": {"protocol": protocol, "port": "443"}}
    stated = {f"{ALB}/actions.away": json.dumps(action)}
    inputs = ingress("alb", **FACING, **BOTH_PORTS, **POLICY, **stated, **more)
    backend = {"service": {"name": "away", "port": {"name": "use-annotation"}}}
    first = {"path": path, "pathType": kind, "backend": backend}
    paths = inputs["spec"]["rules"][0]["http"]["paths"]
    paths[:] = [first, {**paths[0], **(served or {})}]
    return {**inputs, "spec": {**inputs["spec"], "defaultBackend": default}}


BEFORE_ALL, LONGER = {"path": "/api", "pathType": "Exact"}, {"path": "/api", "pathType": "Prefix"}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (sending("/*", "ImplementationSpecific"), FINE),
        (sending("/", "Prefix"), FINE),
        (sending("/", "Exact"), UNCERTAIN),
        (sending("/old", "Prefix"), UNCERTAIN),
        (sending("/*", "ImplementationSpecific", "HTTP"), UNCERTAIN),
        (sending("/*", "ImplementationSpecific", default={"service": {"name": "a"}}), UNCERTAIN),
        (sending("/*", "ImplementationSpecific", served=LONGER), UNCERTAIN),  # it goes first
        (sending("/", "Prefix", served=LONGER), UNCERTAIN),
        (sending("/", "Prefix", served=BEFORE_ALL), UNCERTAIN),
        (sending("/", "Prefix", served={"pathType": UNKNOWN}), UNCERTAIN),
        (sending("/", "Prefix", **{f"{ALB}/conditions.away": "[]"}), UNCERTAIN),
        (sending("/", "Prefix", **{f"{ALB}/conditions.lab": "[]"}), FINE),
    ],
)
def test_the_first_path_may_redirect_every_plain_request(inputs, expected):
    assert tls(INGRESS, inputs, AWS) == expected


def test_an_action_that_forwards_redirects_nothing():
    action = json.dumps({"type": "forward", "targetGroupARN": "arn"})
    assert tls(INGRESS, plain({**FACING, f"{ALB}/actions.a": action}, "alb"), AWS) == BAD


WALL = "aws:ec2/securityGroup:SecurityGroup"


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("port", "source", "expected"),
    [(80, "0.0.0.0/0", OPEN), (80, "203.0.113.0/24", CLOSED), (443, "0.0.0.0/0", CLOSED)],
)
def test_security_groups_of_the_stack_take_the_place_of_ranges(port, source, expected, own, known):
    rule = {"protocol": "tcp", "fromPort": port, "toPort": port, "cidrBlocks": [source]}
    wall = replace(resource(WALL, "wall", {"ingress": [rule]}), outputs={"id": "sg-1"})
    named = {f"{ALB}/security-groups": "sg-1" if known else UNKNOWN}
    inputs = ingress("alb", **FACING, **OFFICE, **{f"{ALB}/group.name": "shop"})
    other = member({} if own else named)
    it = resource(INGRESS, "it", inputs)
    if own:
        inputs["metadata"]["annotations"] |= named
    refers = {"relations": {"metadata": (wall.urn,)}}
    it, other = replace(it, **(refers if own else {})), replace(other, **({} if own else refers))
    plan = of_resources([resource(AWS, "c", {}), service(), wall, other, it])
    found = verdicts(plan, "open-login")
    assert [each for each in found if each[0] not in {"not-applicable", "fine"}] == expected


def test_a_firewall_of_one_member_stands_before_all():
    filtered = reached(FACING, member({f"{ALB}/wafv2-acl-arn": "arn"}))
    assert [each for each, _ in filtered] == HIDDEN


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ({}, FACING, BAD),
        ({}, INTERNAL, []),
        ({}, {}, UNCERTAIN),
        (FACING, REDIRECT, FINE),
        ({**BOTH_PORTS, **POLICY}, {**FACING, **REDIRECT}, FINE),
        ({**SECURE}, {**FACING, **SECURE, **POLICY}, FINE),
        ({**SECURE}, {**FACING, **POLICY}, BAD),  # the policy is of no port with TLS
        ({**SECURE, **POLICY}, FACING, FINE),  # the other member serves HTTP
        (FACING, OFFICE, FINE),
    ],
)
def test_the_listeners_of_a_group_merge(own, other, expected):
    assert judged(own, member(other)) == expected


def test_a_group_whose_name_is_not_known_may_be_of_anyone():
    assert judged({}, member(FACING), name=UNKNOWN) == UNCERTAIN
    assert judged(FACING, name=UNKNOWN) == BAD


NLB = {f"{ALB}/enable-frontend-nlb": "true", f"{ALB}/frontend-nlb-scheme": "internet-facing"}
MAPPED = f"{ALB}/frontend-nlb-listener-port-mapping"


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (NLB, OPEN),
        ({**NLB, **INTERNAL}, OPEN),
        ({**NLB, **OFFICE}, CLOSED),
        ({**NLB, f"{ALB}/frontend-nlb-scheme": "internal"}, CLOSED),
        ({**NLB, f"{ALB}/enable-frontend-nlb": "false"}, CLOSED),
        ({f"{ALB}/enable-frontend-nlb": "true"}, CLOSED),  # internal by default
        ({**NLB, MAPPED: "8080=80"}, OPEN),
        ({**NLB, MAPPED: "443=443"}, CLOSED),
        ({**NLB, f"{ALB}/frontend-nlb-security-groups": "sg-1"}, None),
    ],
)
def test_a_public_network_balancer_may_stand_before_an_internal_one(annotations, expected):
    found = told(INGRESS, ingress("alb", **annotations), AWS, service())
    assert found == expected if expected is not None else [each for each, _ in found] == HIDDEN


@pytest.mark.parametrize(("other", "expected"), [({}, OPEN), (SECURE, CLOSED)])
def test_another_member_may_have_the_network_balancer_listen_for_a_port(other, expected):
    own = {**NLB, **INTERNAL, MAPPED: "443=443"}
    assert reached(own, member({**other, **INTERNAL})) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({f"{ALB}/create-acm-cert": "false"}, BAD),
        ({f"{ALB}/create-acm-cert": "true"}, UNCERTAIN),  # by a feature that is off by default
        ({f"{ALB}/create-acm-cert": "true", **SECURE}, FINE),
        ({f"{ALB}/certificate-arn": ""}, BAD),
        ({f"{ALB}/certificate-arn": UNKNOWN}, FINE),
    ],
)
def test_a_certificate_has_an_ingress_listen_for_https(annotations, expected):
    assert tls(INGRESS, plain({**FACING, **POLICY, **annotations}, "alb"), AWS) == expected
