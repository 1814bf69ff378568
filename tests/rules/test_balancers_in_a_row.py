"""A network load balancer may hand requests to an application load balancer."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.aws_fronts import (
    ATTACHMENT,
    BALANCER,
    JUPYTER,
    LISTENER,
    OFFICE,
    TARGETS,
    WALL,
    WORLD,
)
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, verdicts

MODERN = {"protocol": "HTTPS", "sslPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06"}


def allowing(program, name, sources=(), groups=()):
    let = {"protocol": "tcp", "fromPort": 443, "toPort": 443}
    let |= {"cidrBlocks": [*sources], "securityGroups": [*groups]}
    return program.add(WALL, name, ingress=[let])


def in_a_row(sources=WORLD, outer=None, groups=(), port=443, inner=None, internal=False):
    """An application load balancer before Jupyter, behind a network load balancer."""
    program = Program()
    entrance = [allowing(program, "entrance", outer)] if outer else []
    named = [group.id for group in entrance] if groups else []
    wall = allowing(program, "wall", sources, named)
    alb = program.add(BALANCER, "alb", internal=True, securityGroups=[wall.id])
    desk = program.add(TARGETS, "desk", port=8888, protocol="HTTP")
    forwards = [{"type": "forward", "targetGroupArn": desk.arn}]
    on = {"loadBalancerArn": alb.arn, "port": 443, "defaultActions": forwards}
    program.add(LISTENER, "inner", **on, **(inner or MODERN))
    allowed = {"securityGroups": [group.id for group in entrance]} if entrance else {}
    allowed["internal"] = internal
    nlb = program.add(BALANCER, "nlb", loadBalancerType="network", **allowed)
    albs = program.add(TARGETS, "albs", port=port, protocol="TCP", targetType="alb")
    program.add(ATTACHMENT, "a", targetGroupArn=albs.arn, targetId=alb.arn)
    forwards = [{"type": "forward", "targetGroupArn": albs.arn}]
    on = {"loadBalancerArn": nlb.arn, "port": 443, "protocol": "TCP"}
    program.add(LISTENER, "front", **on, defaultActions=forwards)
    return program


@both
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "violated"),
        ({"sources": OFFICE}, None),
        ({"port": 80}, None),
        ({"outer": WORLD}, "violated"),
        ({"outer": OFFICE}, None),
        ({"outer": WORLD, "sources": OFFICE}, None),
        ({"outer": WORLD, "sources": (), "groups": True}, "not-knowable"),
    ],
)
def test_the_internet_reaches_what_the_second_balancer_serves(changes, expected, moment):
    found = login(in_a_row(**changes), moment)

    assert [outcome for outcome, _ in found] == ([expected] if expected else [])
    assert [words for outcome, words in found if outcome == "violated"] == (
        [JUPYTER.format("desk")] if expected == "violated" else []
    )


@both
@pytest.mark.parametrize(
    ("inner", "port", "expected"),
    [
        (MODERN, 443, ["fine", "fine"]),
        ({"protocol": "HTTP"}, 443, ["violated", "violated"]),
        ({"protocol": "HTTPS"}, 443, ["violated", "violated"]),
        (MODERN, 8443, ["not-knowable"]),  # no listener is behind the first
    ],
)
def test_the_listeners_of_both_balancers_face_the_internet(inner, port, expected, moment):
    assert spoken(in_a_row(inner=inner, port=port), moment) == expected


def spoken(program, moment):
    """Return what is said of the TLS of listeners that the internet may reach."""
    found = verdicts(of_resources(program.resources(moment)), "front-tls")
    return [outcome for outcome, words in found if words != "not reachable from the internet"]


@both
@pytest.mark.parametrize(
    ("internal", "expected"),
    [(False, ["violated", "violated"]), (True, []), (UNKNOWN, ["not-knowable", "not-knowable"])],
)
def test_behind_a_private_balancer_is_no_internet(internal, expected, moment):
    program = in_a_row(inner={"protocol": "HTTP"}, internal=internal)
    assert spoken(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("span", "moved", "expected"),
    [
        ((443, 443), [], ["violated"]),
        ((8080, 8080), [], []),
        ((8080, 8080), [{"listenerPort": 8080, "endpointPort": 443}], ["violated"]),
    ],
)
def test_an_accelerator_makes_a_private_listener_face_the_internet(span, moved, expected, moment):
    program = Program()
    alb = program.add(BALANCER, "alb", internal=True)
    program.add(LISTENER, "inner", loadBalancerArn=alb.arn, port=443, protocol="HTTPS")
    first, last = span
    ranges = [{"fromPort": first, "toPort": last}]
    kind = "aws:globalaccelerator/listener:Listener"
    entrance = program.add(kind, "e", protocol="TCP", portRanges=ranges)
    program.add(
        "aws:globalaccelerator/endpointGroup:EndpointGroup",
        "front",
        listenerArn=entrance.arn,
        endpointConfigurations=[{"endpointId": alb.arn}],
        portOverrides=moved,
    )
    assert spoken(program, moment) == expected
