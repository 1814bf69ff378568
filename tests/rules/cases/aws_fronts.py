"""Balancers and APIs of AWS that hand a port of a network on, and what they lead to."""

import json

from tests.rules.cases.program import Program

WALL = "aws:ec2/securityGroup:SecurityGroup"
BALANCER, LISTENER = "aws:lb/loadBalancer:LoadBalancer", "aws:lb/listener:Listener"
RULE, TARGETS = "aws:lb/listenerRule:ListenerRule", "aws:lb/targetGroup:TargetGroup"
ATTACHMENT = "aws:lb/targetGroupAttachment:TargetGroupAttachment"
OFFICE = ["203.0.113.0/24"]
WORLD = ["0.0.0.0/0"]
API, INTEGRATION = "aws:apigatewayv2/api:Api", "aws:apigatewayv2/integration:Integration"
ROUTE, LINK = "aws:apigatewayv2/route:Route", "aws:apigatewayv2/vpcLink:VpcLink"
REST, METHOD = "aws:apigateway/restApi:RestApi", "aws:apigateway/method:Method"
REST_INTEGRATION = "aws:apigateway/integration:Integration"
REST_LINK = "aws:apigateway/vpcLink:VpcLink"
INTEGRATED = "x-amazon-apigateway-integration"
AUTHORIZER = "x-amazon-apigateway-authorizer"
JUPYTER = "TCP 8888 (Jupyter) of {} is open to the internet through front"


def fronted(port=8265, sources=WORLD, listener=None, internal=False):
    """A target group behind a listener, and the listener."""
    program = Program()
    let = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": sources}
    wall = program.add(WALL, "wall", ingress=[let])
    balancer = program.add(BALANCER, "alb", internal=internal, securityGroups=[wall.id])
    targets = program.add(TARGETS, "ray", port=port, protocol="HTTP", targetType="instance")
    on = {"loadBalancerArn": balancer.arn, "port": 443, "protocol": "HTTPS"}
    forwards = [{"type": "forward", "targetGroupArn": targets.arn}]
    front = program.add(
        LISTENER, "front", **{**on, "defaultActions": forwards, **(listener or {})}
    )
    return program, targets, front


def private(port=8888, **balancer):
    """A balancer that only its network reaches, before machines."""
    program = Program()
    nlb = program.add(BALANCER, "nlb", loadBalancerType="network", internal=True, **balancer)
    targets = program.add(TARGETS, "desk", port=port, protocol="TCP", targetType="ip")
    actions = [{"type": "forward", "targetGroupArn": targets.arn}]
    listener = program.add(
        LISTENER, "l", loadBalancerArn=nlb.arn, port=80, protocol="TCP", defaultActions=actions
    )
    return program, nlb, listener, targets


def routed(program, uri, api=None, route=None):
    """An HTTP API in front of a URI."""
    own = program.add(API, "api", **{"protocolType": "HTTP", **(api or {})})
    link = program.add(LINK, "link")
    front = program.add(
        INTEGRATION,
        "front",
        apiId=own.id,
        connectionType="VPC_LINK",
        connectionId=link.id,
        integrationUri=uri,
    )
    given = {"routeKey": "$default", **(route or {})}
    program.add(ROUTE, "r", apiId=own.id, target=front.id, **given)
    return own


def called(program, nlb, api=None, method=None, uri="http://nlb.example/{proxy}", link_id=None):
    """A REST API in front of a balancer."""
    rest = program.add(REST, "api", **(api or {}))
    link = program.add(REST_LINK, "link", targetArn=nlb.arn)
    place = {"restApi": rest.id, "resourceId": "r", "httpMethod": "ANY"}
    program.add(METHOD, "m", **{**place, "authorization": "NONE", **(method or {})})
    to = {"connectionType": "VPC_LINK", "connectionId": link_id or link.id, "uri": uri}
    program.add(REST_INTEGRATION, "front", **place, **to)
    return rest, link


def policy(**statement):
    allowed = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": "execute-api:Invoke",
        "Resource": "*",
    }
    return json.dumps({"Statement": [{**allowed, **statement}]})
