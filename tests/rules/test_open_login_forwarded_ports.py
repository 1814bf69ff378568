"""A load balancer may hand a port for login or control to the internet."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.aws_fronts import (
    ATTACHMENT,
    BALANCER,
    LISTENER,
    OFFICE,
    RULE,
    TARGETS,
    WALL,
    WORLD,
    fronted,
)
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, login_outcomes

CLASSIC = "aws:elb/loadBalancer:LoadBalancer"
RAY = "TCP 8265 (Ray's dashboard and jobs) of ray is open to the internet through front"
SSH = "TCP 22 (SSH) of ssh is open to the internet through front"


@both
@pytest.mark.parametrize("group", ["elbv2.k8s.aws/v1beta1", "eks.amazonaws.com/v1"])
@pytest.mark.parametrize("key", ["targetGroupARN", "targetGroupName"])
@pytest.mark.parametrize(
    ("port", "name", "expected"),
    [
        (8888, "lab", ["TCP 8888 (Jupyter) of ray is open to the internet through front"]),
        (8000, "lab", []),
        (8888, "other", []),
    ],
)
def test_a_binding_registers_pods_in_a_target_group(port, name, expected, key, group, moment):
    program, targets, _ = fronted(port=80)
    program.change(targets, name="ray")
    ports = [{"port": 80, "targetPort": port}]
    service = {"metadata": {"name": "lab"}, "spec": {"ports": ports}}
    program.add("kubernetes:core/v1:Service", "lab", **service)
    named = targets.arn if key == "targetGroupARN" else "ray"
    spec = {key: named, "serviceRef": {"name": name, "port": 80}}
    program.add(f"kubernetes:{group}:TargetGroupBinding", "binding", spec=spec)
    found = [words for outcome, words in login(program, moment) if outcome == "violated"]
    assert found == expected


@both
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["violated"]),
        ({"port": 8000}, []),
        ({"port": 443}, []),
        ({"sources": OFFICE}, []),
        ({"internal": True}, []),
        ({"sources": [UNKNOWN]}, ["not-knowable"]),
        ({"internal": UNKNOWN}, ["not-knowable"]),
    ],
)
def test_a_balancer_that_the_internet_reaches_serves_no_control_port(changes, expected, moment):
    program, *_ = fronted(**changes)
    found = login(program, moment)

    assert [outcome for outcome, _ in found] == expected
    assert [words for outcome, words in found if outcome == "violated"] == (
        [RAY] if expected == ["violated"] else []
    )


@pytest.mark.parametrize(
    "listener",
    [
        {"mutualAuthentication": {"mode": "verify"}},
        {
            "defaultActions": [
                {"type": "authenticate-oidc"},
                {"type": "forward", "targetGroupArn": "arn:aws:any:us-east-1:1:ray-1a2b3c"},
            ]
        },
    ],
)
def test_who_signs_in_at_the_balancer_may_reach_it(listener):
    program, *_ = fronted(listener=listener)

    assert login(program) == []


@both
@pytest.mark.parametrize("key", ["authenticateOidc", "authenticateCognito"])
@pytest.mark.parametrize(
    ("reaction", "expected"),
    [("allow", ["violated"]), ("deny", []), ("authenticate", []), (UNKNOWN, ["not-knowable"])],
)
def test_who_need_not_sign_in_at_the_balancer_is_let_in(key, reaction, expected, moment):
    kind = {"authenticateOidc": "authenticate-oidc", "authenticateCognito": "authenticate-cognito"}
    signs_in = {"type": kind[key], key: {"onUnauthenticatedRequest": reaction}}
    program, targets, front = fronted()
    actions = [signs_in, {"type": "forward", "targetGroupArn": targets.arn}]
    program.change(front, defaultActions=actions)

    assert login_outcomes(program, moment) == expected

    program.change(front, defaultActions=[{"type": "fixed-response"}])
    program.add(RULE, "r", listenerArn=front.arn, actions=actions)

    assert login_outcomes(program, moment) == expected


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([{"pathPattern": {"values": ["/ray/*"]}}], "violated"),
        ([{"sourceIp": {"values": OFFICE}}], None),
        ([{"sourceIp": {"values": WORLD}}], "violated"),
        ([{"httpHeader": {"httpHeaderName": "X-Key", "values": ["k"]}}], "not-knowable"),
    ],
)
def test_a_rule_forwards_as_its_listener_does(conditions, expected):
    program, targets, front = fronted(listener={"defaultActions": [{"type": "fixed-response"}]})
    forward = {"targetGroups": [{"arn": targets.arn}]}
    actions = [{"type": "forward", "forward": forward}]
    program.add(RULE, "r", listenerArn=front.arn, actions=actions, conditions=conditions)

    assert login_outcomes(program) == ([expected] if expected else [])


def test_an_attachment_may_have_a_port_of_its_own():
    program, targets, _ = fronted(port=8000)
    program.add(ATTACHMENT, "a", targetGroupArn=targets.arn, targetId="i-1", port=8265)

    assert login(program) == [("violated", RAY)]


def test_a_firewall_of_requests_may_keep_them_out():
    program, *_ = fronted()
    balancer = next(each for each in program.handles.values() if each.type == BALANCER)
    program.add("aws:wafv2/webAclAssociation:WebAclAssociation", "w", resourceArn=balancer.arn)

    assert login_outcomes(program) == ["not-knowable"]


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ({"targetType": "ip"}, [("violated", SSH)]),
        ({"targetType": "ip", "preserveClientIp": "true"}, []),
        ({"targetType": "instance"}, []),
        ({"targetType": "instance", "preserveClientIp": "false"}, [("violated", SSH)]),
    ],
)
def test_a_network_balancer_without_groups_is_seen_in_place_of_its_clients(targets, expected):
    program = Program()
    balancer = program.add(BALANCER, "nlb", loadBalancerType="network")
    group = program.add(TARGETS, "ssh", port=22, protocol="TCP", **targets)
    forwards = [{"type": "forward", "targetGroupArn": group.arn}]
    on = {"loadBalancerArn": balancer.arn, "port": 443, "protocol": "TLS"}
    program.add(LISTENER, "front", defaultActions=forwards, **on)

    assert login(program) == expected


@pytest.mark.parametrize(("sources", "expected"), [(WORLD, ["violated"]), (OFFICE, [])])
def test_a_classic_balancer_says_itself_where_it_forwards(sources, expected):
    program = Program()
    let = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": sources}
    wall = program.add(WALL, "wall", ingress=[let])
    listeners = [{"instancePort": 8888, "lbPort": 443, "instanceProtocol": "http"}]
    program.add(CLASSIC, "clb", securityGroups=[wall.id], listeners=listeners)

    assert login_outcomes(program) == expected


HIDDEN = {"type": "forward", "targetGroupArn": UNKNOWN}
ELSEWHERE = {"type": "forward", "targetGroupArn": "arn:aws:elasticloadbalancing:theirs"}


@both
@pytest.mark.parametrize("protocol", ["HTTPS", "TLS"])
@pytest.mark.parametrize(
    ("actions", "port", "expected"),
    [
        ([HIDDEN], 8265, ["not-knowable"]),
        (UNKNOWN, 8265, ["not-knowable"]),
        ([{"type": "forward", "forward": {"targetGroups": UNKNOWN}}], 8265, ["not-knowable"]),
        ([{"type": "fixed-response", "fixedResponse": {"statusCode": "404"}}], 8265, []),
        ([HIDDEN], 8000, []),
        ([ELSEWHERE], 8265, []),
    ],
)
def test_a_hidden_target_may_be_any_target_group(actions, port, expected, protocol, moment):
    program, *_ = fronted(port, listener={"defaultActions": actions, "protocol": protocol})

    assert login_outcomes(program, moment) == expected


@both
def test_a_hidden_target_beside_a_known_one_takes_nothing_from_it(moment):
    program, targets, front = fronted()
    known = {"type": "forward", "targetGroupArn": targets.arn}
    program.change(front, defaultActions=[known, HIDDEN])

    assert login(program, moment) == [("violated", RAY)]
