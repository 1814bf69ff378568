"""Ingresses of the classes that AWS's controllers serve, whatever their name is."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.ingress_classes import CLASSES
from gpuinfra.model import UNKNOWN
from tests.rules.test_front_tls_cluster_listeners import (
    ALB,
    AWS,
    BAD,
    FACING,
    FINE,
    INGRESS,
    NONE,
    UNCERTAIN,
    ingress,
    resource,
    told,
)

CONTROLLER, AUTO = "ingress.k8s.aws/alb", "eks.amazonaws.com/alb"
PARAMETERS = {
    CONTROLLER: "kubernetes:elbv2.k8s.aws/v1beta1:IngressClassParams",
    AUTO: "kubernetes:eks.amazonaws.com/v1:IngressClassParams",
}
DEFAULT = {"ingressclass.kubernetes.io/is-default-class": "true"}
MODERN = "ELBSecurityPolicy-TLS13-1-2-2021-06"
OFFICE = {f"{ALB}/inbound-cidrs": "203.0.113.0/24"}


def class_of(controller: Any, name: str = "shop", annotations: Any = None) -> Any:
    metadata = {"name": name, "annotations": annotations or {}}
    spec = {"controller": controller, "parameters": {"name": "ours"}}
    return resource(CLASSES, name, {"metadata": metadata, "spec": spec})


@pytest.mark.parametrize(
    ("controller", "named", "expected"),
    [
        (CONTROLLER, "shop", BAD),
        (AUTO, "shop", BAD),
        ("k8s.io/ingress-nginx", "shop", NONE),
        (UNKNOWN, "shop", UNCERTAIN),
        (CONTROLLER, "other", NONE),
        (CONTROLLER, None, NONE),  # it is not the default class
        (CONTROLLER, UNKNOWN, BAD),  # the stack has no other
        ("k8s.io/ingress-nginx", UNKNOWN, NONE),
    ],
)
def test_a_class_is_of_its_controller(controller, named, expected):
    assert told(INGRESS, ingress(FACING, named), AWS, class_of(controller)) == expected


def test_one_of_several_classes_that_is_not_known_yet_may_be_of_aws():
    stack = [class_of(CONTROLLER), class_of("k8s.io/ingress-nginx", "inner")]
    assert told(INGRESS, ingress(FACING, UNKNOWN), AWS, *stack) == UNCERTAIN


def test_parameters_of_elsewhere_may_state_a_scheme():
    stack = class_of(CONTROLLER)
    assert told(INGRESS, ingress({}, "shop"), AWS, stack) == UNCERTAIN
    assert told(INGRESS, ingress({f"{ALB}/scheme": "internal"}, "shop"), AWS, stack) == NONE


def test_a_class_called_alb_may_be_of_another_controller():
    stack = class_of("k8s.io/ingress-nginx", "alb")
    assert told(INGRESS, ingress(FACING, "alb"), AWS, stack) == NONE


@pytest.mark.parametrize("controller", PARAMETERS)
@pytest.mark.parametrize(
    ("spec", "annotations", "expected"),
    [
        ({}, {}, NONE),
        ({"scheme": "internet-facing"}, {}, BAD),
        ({"scheme": UNKNOWN}, {}, UNCERTAIN),
        ({"scheme": "internal"}, FACING, NONE),  # the class decides
        ({"scheme": "internet-facing", "inboundCIDRs": ["203.0.113.0/24"]}, {}, FINE),
        ({"scheme": "internet-facing", "inboundCIDRs": []}, OFFICE, FINE),
        ({"scheme": ""}, FACING, BAD),  # an empty one says nothing
        (
            {"scheme": "internet-facing", "certificateARNs": ["arn"], "sslPolicy": MODERN},
            {},
            FINE,
        ),
        ({"scheme": "internet-facing", "certificateARNs": ["arn"]}, {}, BAD),  # old TLS
    ],
)
def test_the_parameters_of_a_class_hold_for_its_ingresses(controller, spec, annotations, expected):
    parameters = {"metadata": {"name": "ours"}, "spec": spec}
    stack = [
        class_of(controller, annotations=DEFAULT),
        resource(PARAMETERS[controller], "ours", parameters),
    ]
    assert told(INGRESS, ingress(annotations), AWS, *stack) == expected
