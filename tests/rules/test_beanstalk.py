"""What the internet reaches of environments of Elastic Beanstalk."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

BEANSTALK = "aws:elasticbeanstalk:environment"
DEFAULT_LISTENER = "aws:elbv2:listener:default"
OVER_TLS = {
    f"{DEFAULT_LISTENER} ListenerEnabled": "false",
    "aws:elbv2:listener:443 Protocol": "HTTPS",
    "aws:elbv2:listener:443 SSLPolicy": "ELBSecurityPolicy-TLS13-1-2-2021-06",
}
PLAIN = "aws:elbv2:listener:8080"
EXTRA = {f"{PLAIN} Protocol": "HTTP"}
SSH = "TCP 22 (SSH) of web is open to the internet"


def found(rule: str, options: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    program = Program()
    settings = [
        {"namespace": where, "name": name, "value": value}
        for key, value in options.items()
        for where, name in (key.split(),)
    ]
    inputs = {"application": "a", "settings": settings, **more}
    program.add("aws:elasticbeanstalk/environment:Environment", "web", **inputs)
    return verdicts(of_resources(program.resources()), rule)


@pytest.mark.parametrize(
    ("options", "more", "outcome"),
    [
        ({}, {}, "violated"),
        ({"aws:ec2:vpc ELBScheme": "public"}, {}, "violated"),
        ({"aws:ec2:vpc ELBScheme": "internal"}, {}, "fine"),
        ({"aws:ec2:vpc ELBScheme": UNKNOWN}, {}, "not-knowable"),
        ({"aws:ec2:vpc VPCId": UNKNOWN}, {}, "violated"),  # which network it is in changes nothing
        ({f"{BEANSTALK} ServiceRole": UNKNOWN}, {}, "violated"),
        ({f"{BEANSTALK} EnvironmentType": UNKNOWN}, {}, "not-knowable"),
        ({f"{DEFAULT_LISTENER} ListenerEnabled": UNKNOWN}, {}, "not-knowable"),
        ({}, {"templateName": "saved"}, "not-knowable"),
        ({}, {"settings": UNKNOWN}, "not-knowable"),
        ({}, {"tier": "Worker"}, "not-applicable"),
        ({f"{BEANSTALK} EnvironmentType": "SingleInstance"}, {}, "not-applicable"),
        ({f"{BEANSTALK} LoadBalancerIsShared": "true"}, {}, "not-applicable"),
        (OVER_TLS, {}, "fine"),
        ({**OVER_TLS, "aws:elbv2:listener:443 SSLPolicy": None}, {}, "violated"),  # TLS 1.0
        ({**OVER_TLS, "aws:elbv2:listener:443 SSLPolicy": UNKNOWN}, {}, "not-knowable"),
        ({**OVER_TLS, f"{DEFAULT_LISTENER} ListenerEnabled": "true"}, {}, "not-knowable"),
        ({f"{DEFAULT_LISTENER} ListenerEnabled": "false"}, {}, "not-applicable"),
        ({f"{DEFAULT_LISTENER} Protocol": "HTTPS"}, {}, "violated"),  # TLS 1.0
        ({"aws:elb:listener:443 ListenerProtocol": "HTTPS"}, {}, "not-knowable"),
        ({f"{DEFAULT_LISTENER} ListenerEnabled": "false", **EXTRA}, {}, "violated"),
        ({**OVER_TLS, **EXTRA}, {}, "not-knowable"),  # the app may redirect
        ({**OVER_TLS, **EXTRA, f"{PLAIN} ListenerEnabled": "false"}, {}, "fine"),
        ({**OVER_TLS, f"{PLAIN} ListenerEnabled": "true"}, {}, "not-knowable"),
        ({f"{DEFAULT_LISTENER} Protocol": "TCP"}, {}, "not-knowable"),  # what it passes on
        ({f"{BEANSTALK} LoadBalancerType": "network"}, {}, "not-knowable"),
    ],
)
def test_an_environment_serves_http_by_default(options, more, outcome):
    assert [seen for seen, _ in found("front-tls", options, **more)] == [outcome]


CLASSIC, PROCESS = "aws:elb:listener:2222", f"{BEANSTALK}:process:shell"
THROUGH = [("violated", f"{SSH} through its load balancer")]
MAYBE_THROUGH = [("not-knowable", f"it is unknown whether {SSH} through its load balancer")]
INTERNAL = {"aws:ec2:vpc ELBScheme": "internal"}
NETWORK = {
    f"{BEANSTALK} LoadBalancerType": "network",
    "aws:elbv2:listener:2222 DefaultProcess": "shell",
    f"{PROCESS} Port": "22",
}
BY_RULE = {
    "aws:elbv2:listener:default Rules": "a, b",
    "aws:elbv2:listenerrule:b Process": "shell",
    f"{PROCESS} Port": "22",
}
UNUSED = {
    "aws:elbv2:listener:default DefaultProcess": "site",
    f"{BEANSTALK}:process:default Port": "22",
}
TO_SSH = {f"{CLASSIC} ListenerProtocol": "TCP", f"{CLASSIC} InstancePort": "22"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, []),
        (TO_SSH, THROUGH),
        ({"aws:elb:listener:22 ListenerProtocol": "TCP"}, THROUGH),  # to the same port
        ({**TO_SSH, f"{CLASSIC} ListenerEnabled": "false"}, []),
        ({**TO_SSH, f"{CLASSIC} InstancePort": "8000"}, []),
        ({**TO_SSH, **INTERNAL}, []),
        ({**TO_SSH, f"{BEANSTALK} EnvironmentType": "SingleInstance"}, []),
        (NETWORK, THROUGH),
        ({**NETWORK, f"{PROCESS} Port": "8000"}, []),
        (BY_RULE, THROUGH),
        ({**BY_RULE, "aws:elbv2:listener:default Rules": "a"}, []),
        (UNUSED, []),
        ({**TO_SSH, "aws:ec2:vpc Subnets": UNKNOWN}, THROUGH),
        ({**TO_SSH, "aws:elb:loadbalancer SecurityGroups": "sg-1"}, ["not-knowable"]),
        ({**TO_SSH, "aws:ec2:vpc ELBScheme": UNKNOWN}, MAYBE_THROUGH),
    ],
)
def test_a_listener_may_lead_to_a_control_port_of_machines(options, expected):
    seen = [each for each in found("open-login", options) if each[0] not in NOTHING]
    assert seen == expected or [outcome for outcome, _ in seen] == expected


NOTHING = {"fine", "not-applicable"}
RESTRICTION = "aws:autoscaling:launchconfiguration SSHSourceRestriction"


@pytest.mark.parametrize(
    ("source", "opens"),
    [
        ("tcp, 22, 22, 0.0.0.0/0", True),
        ("tcp,20,30,0.0.0.0/0", True),
        ("tcp, 22, 22, 203.0.113.0/24", False),
        ("tcp, 22, 22, sg-1", False),
        ("tcp, 80, 80, 0.0.0.0/0", False),
        ("tcp", False),
    ],
)
@pytest.mark.parametrize("kind", ["LoadBalanced", "SingleInstance"])
def test_the_group_of_the_machines_may_let_everyone_log_in(source, opens, kind):
    options = {RESTRICTION: source, f"{BEANSTALK} EnvironmentType": kind}
    words = [words for outcome, words in found("open-login", options) if outcome == "violated"]
    assert (f"{SSH} on its machines" in " ".join(words)) is opens
