"""A distribution or an accelerator may hand a control port to the internet."""

import pytest

from tests.rules.cases.program import Program
from tests.rules.test_api_fronts import JUPYTER, MOMENTS, outcomes, private
from tests.rules.test_forwarded_ports import OFFICE, WALL, WORLD, login


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


@MOMENTS
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

    assert outcomes(program, moment) == expected


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

    assert outcomes(program, "preview") == ["violated"]


@pytest.mark.parametrize(
    ("spans", "moved", "groups", "expected"),
    [
        ([(80, 80)], [], None, ["violated"]),
        ([(443, 443)], [], None, []),
        ([(443, 443)], [{"listenerPort": 443, "endpointPort": 80}], None, ["violated"]),
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

    assert outcomes(program) == expected
