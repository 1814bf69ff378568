"""A distribution or an accelerator may hand a control port to the internet."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.aws_fronts import JUPYTER, OFFICE, WALL, WORLD, private
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import login, login_outcomes, verdicts


def distributed(program, origin, behavior=None, **inputs):
    given = {"targetOriginId": "o", **(behavior or {})}
    origins = [{"originId": "o", **origin}]
    viewer = {"cloudfrontDefaultCertificate": True}
    program.add(
        "aws:cloudfront/distribution:Distribution",
        "front",
        **{"enabled": True, "origins": origins, "defaultCacheBehavior": given, **inputs},
        viewerCertificate=viewer,
    )


def inside(program, arn, **config):
    given = {"arn": arn, "originProtocolPolicy": "http-only", **config}
    origin = program.add("aws:cloudfront/vpcOrigin:VpcOrigin", "o", vpcOriginEndpointConfig=given)
    return {"vpcOriginConfig": {"vpcOriginId": origin.id}}


@both
@pytest.mark.parametrize(
    ("behavior", "inputs", "expected"),
    [
        ({}, {}, ["violated"]),
        ({}, {"enabled": False}, []),
        ({}, {"webAclId": "arn:aws:wafv2:us-east-1:1:global/webacl/w/1"}, ["not-knowable"]),
        ({"trustedKeyGroups": ["k"]}, {}, []),
        ({"functionAssociations": [{"eventType": "viewer-request"}]}, {}, ["not-knowable"]),
        ({"targetOriginId": "another"}, {}, []),
    ],
)
def test_a_distribution_hands_on_what_its_private_origin_serves(
    behavior, inputs, expected, moment
):
    program, nlb, _, _ = private()
    distributed(program, inside(program, nlb.arn), behavior, **inputs)

    assert login_outcomes(program, moment) == expected


@both
@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ({"originId": "g", "members": [{"originId": "p"}, {"originId": "o"}]}, ["violated"]),
        ({"originId": "g", "members": [{"originId": "p"}]}, []),
        ({"originId": "g", "members": UNKNOWN}, ["not-knowable"]),
        ({"originId": "another", "members": [{"originId": "o"}]}, []),
    ],
)
def test_an_origin_may_be_in_a_group(group, expected, moment):
    program, nlb, _, _ = private()
    to = {"targetOriginId": "g"}
    distributed(program, inside(program, nlb.arn), to, originGroups=[group])

    assert login_outcomes(program, moment) == expected


def shared(program, nlb, tenants, behavior=None, **inputs):
    """A distribution that serves tenants alone."""
    origin = {key: [value] for key, value in inside(program, nlb.arn).items()}
    origins = [{"id": "o", "vpcOriginConfigs": origin["vpcOriginConfig"]}]
    given = {"targetOriginId": "o", "viewerProtocolPolicy": "https-only", **(behavior or {})}
    front = program.add(
        "aws:cloudfront/multitenantDistribution:MultitenantDistribution",
        "front",
        **{"enabled": True, "origins": origins, "defaultCacheBehavior": given, **inputs},
    )
    for number, tenant in enumerate(tenants):
        kind = "aws:cloudfront/distributionTenant:DistributionTenant"
        program.add(kind, f"t{number}", distributionId=front.id, **tenant)


@both
@pytest.mark.parametrize(
    ("tenants", "behavior", "inputs", "expected"),
    [
        ([{}], {}, {}, "violated"),
        ([{"enabled": True}], {}, {}, "violated"),
        ([], {}, {}, "not-knowable"),
        ([{"enabled": False}], {}, {}, "not-knowable"),
        ([{"customizations": {"webAcl": {"action": "override"}}}], {}, {}, "not-knowable"),
        ([{}], {}, {"enabled": False}, None),
        ([{}], {"trustedKeyGroups": {"enabled": True, "items": ["k"]}}, {}, None),
        ([{}], {"trustedKeyGroups": {"enabled": False, "items": []}}, {}, "violated"),
        (
            [{}],
            {"targetOriginId": "p"},
            {"cacheBehaviors": [{"targetOriginId": "o"}]},
            "violated",
        ),
        (
            [{}],
            {"targetOriginId": "g"},
            {"originGroups": [{"id": "g", "members": [{"originId": "o"}]}]},
            "violated",
        ),
    ],
)
def test_a_distribution_may_serve_tenants(tenants, behavior, inputs, expected, moment):
    program, nlb, _, _ = private()
    shared(program, nlb, tenants, behavior, **inputs)

    assert login_outcomes(program, moment) == ([expected] if expected else [])


MODERN = {"acmCertificateArn": "c", "minimumProtocolVersion": "TLSv1.2_2021"}


@pytest.mark.parametrize(
    ("policy", "certificate", "expected"),
    [
        ("https-only", MODERN, "fine"),
        ("allow-all", MODERN, "violated"),
        ("https-only", {"acmCertificateArn": "c", "minimumProtocolVersion": "TLSv1"}, "violated"),
        ("https-only", {"cloudfrontDefaultCertificate": True}, "not-knowable"),
    ],
)
def test_a_distribution_of_tenants_speaks_tls_of_today(policy, certificate, expected):
    program, nlb, _, _ = private()
    behavior = {"targetOriginId": "o", "viewerProtocolPolicy": policy}
    asks = {"cacheBehaviors": [behavior], "viewerCertificate": certificate}
    shared(program, nlb, [{}], **asks)
    found = verdicts(of_resources(program.resources()), "front-tls")

    assert [seen for seen, words in found if words != "not reachable from the internet"] == [
        expected
    ]


@pytest.mark.parametrize(("port", "expected"), [(8888, ["violated"]), (8080, [])])
def test_an_origin_may_be_a_machine(port, expected):
    program = Program()
    machine = program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge")
    distributed(program, inside(program, machine.arn, httpPort=port))
    front = [words for outcome, words in login(program) if outcome == "violated"]

    assert front == [JUPYTER.format("m")] * len(expected)


def test_a_balancer_may_be_an_origin_by_its_name():
    program, nlb, _, _ = private()
    distributed(program, {"domainName": nlb.out("dnsName")})

    assert login_outcomes(program, "preview") == ["violated"]


def test_a_private_origin_of_another_stack_has_the_name_of_its_balancer():
    program, nlb, _, _ = private()
    inside_of = {"vpcOriginConfig": {"vpcOriginId": "vo_theirs"}}
    distributed(program, {"domainName": nlb.out("dnsName"), **inside_of})

    assert login_outcomes(program, "preview") == ["violated"]


@pytest.mark.parametrize(
    ("spans", "moved", "groups", "expected"),
    [
        ([(80, 80)], [], None, ["violated"]),
        ([(443, 443)], [], None, []),
        ([(443, 443)], [{"listenerPort": 443, "endpointPort": 80}], None, ["violated"]),
        ([(80, 80)], [{"listenerPort": 80, "endpointPort": 8080}], None, []),
        ([(80, 80)], [{"listenerPort": 80, "endpointPort": UNKNOWN}], None, ["not-knowable"]),
        ([(80, 80)], [], OFFICE, []),
        ([(80, 80)], [], WORLD, ["violated"]),
    ],
)
def test_an_accelerator_reaches_a_private_balancer(spans, moved, groups, expected):
    program, nlb, _, _ = private()
    if groups:
        let = {"protocol": "tcp", "fromPort": 80, "toPort": 80, "cidrBlocks": groups}
        program.change(nlb, securityGroups=[program.add(WALL, "w", ingress=[let]).id])
    ranges = [{"fromPort": first, "toPort": last} for first, last in spans]
    entrance = program.add(
        "aws:globalaccelerator/listener:Listener", "e", protocol="TCP", portRanges=ranges
    )
    program.add(
        "aws:globalaccelerator/endpointGroup:EndpointGroup",
        "front",
        listenerArn=entrance.arn,
        endpointConfigurations=[{"endpointId": nlb.arn}],
        portOverrides=moved,
    )

    assert login_outcomes(program) == expected
