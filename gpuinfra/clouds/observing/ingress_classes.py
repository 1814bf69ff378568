"""Classes of Ingresses that the AWS Load Balancer Controller, or EKS Auto Mode, serves.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/ingress_class
https://docs.aws.amazon.com/eks/latest/userguide/auto-configure-alb.html
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import all_of, any_of, at, equals, flag, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

TABLE: Final = Path(__file__).parents[1] / "balancer_classes.json"
CLASSES: Final = "kubernetes:networking.k8s.io/v1:IngressClass"
INGRESSES: Final = frozenset(
    f"kubernetes:{group}:Ingress"
    for group in ("networking.k8s.io/v1", "networking.k8s.io/v1beta1", "extensions/v1beta1")
)
"""The types of an Ingress, without those of lists and patches of any."""

PREFIX: Final = "alb.ingress.kubernetes.io/"
_ALB: Final = "alb"
CLASS: Final = "kubernetes.io/ingress.class"
ALLOWS_HTTP: Final = "kubernetes.io/ingress.allow-http"
_AUTO_MODE: Final = "eks.amazonaws.com/alb"
_CONTROLLERS: Final = ("ingress.k8s.aws/alb", _AUTO_MODE)
_UNSUPPORTED: Final = frozenset(
    f"{PREFIX}{each}" for each in ("group.name", "waf-acl-id", "web-acl-id", "create-acm-cert")
)
"""The annotations that EKS Auto Mode does not read: the second of the pages above, "Ingress
annotations" (2026-11-27)."""

_UNSUPPORTED_VALUES: Final = {f"{PREFIX}auth-type": "oidc"}
"""Values that EKS Auto Mode does not support, by the same page; what it does then is not said
(https://github.com/awsdocs/amazon-eks-user-guide auto-configure-alb.adoc @1eb6aa4)."""

_PARAMETERS: Final = (
    "kubernetes:elbv2.k8s.aws/v1beta1:IngressClassParams",
    "kubernetes:eks.amazonaws.com/v1:IngressClassParams",
)
_DEFAULT: Final = "ingressclass.kubernetes.io/is-default-class"
_CAPACITY: Final = "minimumLoadBalancerCapacity.capacityUnits"
_ANNOTATION_NAMES: Final = {
    "scheme": "scheme",
    "group.name": "group.name",
    "inboundCIDRs": "inbound-cidrs",
    "PrefixListsIDs": "security-group-prefix-lists",
    "prefixListsIDs": "security-group-prefix-lists",
    "certificateArn": "certificate-arn",
    "certificateARNs": "certificate-arn",
    "sslPolicy": "ssl-policy",
    "sslRedirectPort": "ssl-redirect",
    "ipAddressType": "ip-address-type",
    _CAPACITY: "minimum-load-balancer-capacity",
    "subnets.ids": "subnets",
    "wafv2AclArn": "wafv2-acl-arn",
    "wafv2AclName": "wafv2-acl-name",
}
"""What the parameters of a class say for all of its Ingresses, over their own annotations:
the first of the pages above (read 2026-11-27); `certificateARNs` is of the second."""

Frontend = tuple[Known, Known | None, Known | None]
"""Whether the internet reaches a frontend, whether it speaks TLS alone, and only 1.2 or newer.

The last two are None for one that passes packets on."""

LetsIn = Callable[[Resource, Any, int], Known]
"""Whether firewalls that the metadata of an object names let everyone in to a TCP port."""


@record
class ObjectContext:
    """What declares an object, and how its cloud judges the firewalls that it names."""

    resource: Resource
    lets_anyone_in: LetsIn


PartFrontend = tuple[Any, Frontend]
"""A frontend, after the part of the object that it is made for."""


def class_of(ingress: Any) -> str | Unknown | None:
    """Return the class of an Ingress, by its annotation or else its field."""
    class_name = text(at(ingress, "metadata", "annotations", CLASS))
    return class_name if class_name is not None else text(at(ingress, "spec", "ingressClassName"))


def has_annotation(ingress: Any) -> bool:
    """Return whether an Ingress names its class in the annotation, or may do so."""
    return bool(text(at(ingress, "metadata", "annotations", CLASS)))


def with_default_class(ingress: Resource, index: Index) -> Resource:
    """Return an Ingress of the class that its cluster gives to a new one without any.

    It does where the class is there before: it exists, or the Ingress waits for it.
    https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class
    """
    default = None if class_of(ingress.inputs) else _class_called(None, index)
    if default is None or not _comes_before(default, ingress):
        return ingress
    name = at(default.inputs, "metadata", "name")
    stated_spec = ingress.outputs.get("spec")
    if not isinstance(name, str) or (
        isinstance(stated_spec, Mapping) and stated_spec.get("ingressClassName") != name
    ):
        return ingress
    spec = ingress.inputs.get("spec")
    stated = spec if isinstance(spec, Mapping) else {}
    inputs = {**ingress.inputs, "spec": {**stated, "ingressClassName": name}}
    return replace(ingress, inputs=inputs)


def _comes_before(class_: Resource, ingress: Resource) -> bool:
    """Return whether a class is there before an Ingress of the same cluster."""
    is_there = "id" in class_.outputs or class_.urn in ingress.depends_on
    return is_there and class_.provider == ingress.provider


def may_have_default(index: Index) -> bool:
    """Return whether a class of the stack is, or may be, the default of an Ingress."""
    return any(
        flag(at(ingress_class.inputs.get("metadata"), "annotations", _DEFAULT)) in (True, UNKNOWN)
        for ingress_class in index.of_kind(CLASSES)
    )


def is_in_cluster(ingress: Resource, index: Index) -> bool:
    """Return whether a controller serves an Ingress from pods of its cluster."""
    class_name = class_of(ingress.inputs) if index.of_kind(CLASSES) else None
    controller = controller_of(class_name, index) if class_name else None
    return controller in {name for name, _ in digests.table(TABLE)["in_cluster"]}


def eks_class(name: str | Unknown | None, index: Index) -> tuple[Known, Mapping[str, Any]]:
    """Return whether AWS's controllers serve a class, and the annotations that it prescribes.

    Without a name it is the default class of the stack. One that is not known yet may be any.
    """
    classes = index.of_kind(CLASSES)
    if isinstance(name, Unknown):
        facts = [_is_alb(ingress_class) for ingress_class in classes]
        is_served = all_of(facts) if facts else False
        return (UNKNOWN if is_served is False and any_of(facts) is not False else is_served), {}
    class_ = _class_called(name, index)
    if class_ is None:
        return name == _ALB, {}
    return _is_alb(class_), dict(_prescribed_annotations(class_, index))


def read_annotations(
    annotations: Mapping[str, Any], name: str | Unknown | None, index: Index
) -> Mapping[str, Any]:
    """Return the annotations that the controller of a class of the stack reads.

    UNKNOWN takes the place of a value that it does not support.
    """
    if controller_of(name, index) != _AUTO_MODE:
        return annotations
    return {
        key: UNKNOWN if value == _UNSUPPORTED_VALUES.get(key, UNKNOWN) else value
        for key, value in annotations.items()
        if key not in _UNSUPPORTED
    }


def has_parameters_elsewhere(name: str | Unknown | None, index: Index) -> bool:
    """Return whether a class of the stack names parameters that the stack does not have."""
    class_ = _class_called(name, index)
    parameters_name = at(class_.inputs.get("spec"), "parameters", "name") if class_ else None
    return parameters_name is not None and next(_parameters(parameters_name, index), None) is None


def controller_of(name: str | Unknown | None, index: Index) -> str | Unknown | None:
    """Return the controller of a class of the stack; None for a class of elsewhere."""
    class_ = _class_called(name, index)
    return text(at(class_.inputs.get("spec"), "controller")) if class_ else None


def _class_called(name: str | Unknown | None, index: Index) -> Resource | None:
    """Return the class of the stack that a name means; None for one that is not known yet."""
    if isinstance(name, Unknown):
        return None
    classes = [
        ingress_class for ingress_class in index.of_kind(CLASSES) if _has_name(ingress_class, name)
    ]
    return classes[-1] if classes else None


def _has_name(class_: Resource, name: str | None) -> bool:
    metadata = class_.inputs.get("metadata")
    if name is None:
        return flag(at(metadata, "annotations", _DEFAULT)) is True
    return bool(at(metadata, "name") == name)


def _is_alb(class_: Resource) -> Known:
    controller = at(class_.inputs.get("spec"), "controller")
    return any_of(equals(controller, known_controller) for known_controller in _CONTROLLERS)


def _prescribed_annotations(class_: Resource, index: Index) -> Iterator[tuple[str, Any]]:
    """Yield the annotations equivalent to a class's parameters, where the stack has them."""
    for parameters in _parameters(at(class_.inputs.get("spec"), "parameters", "name"), index):
        for key, annotation in _ANNOTATION_NAMES.items():
            value = _comma_joined(at(parameters.inputs.get("spec"), *key.split(".")))
            if key == _CAPACITY and isinstance(value, (int, float)):
                value = f"CapacityUnits={value:.0f}"
            if value is not None:
                yield f"{PREFIX}{annotation}", value


def _parameters(name: Any, index: Index) -> Iterator[Resource]:
    """Yield the parameters of a name in the stack."""
    for kind in _PARAMETERS:
        for parameters in index.of_kind(kind):
            if name is not None and at(parameters.inputs, "metadata", "name") == name:
                yield parameters


def annotation_parts(annotation_text: str) -> list[str]:
    """Return what an annotation lists."""
    return [annotation.strip() for annotation in annotation_text.split(",")]


def _comma_joined(value: Any) -> Any:
    """Return a parameter as an annotation has it; None for an empty one, which says nothing."""
    if isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value):
        return ",".join(value) or None
    return UNKNOWN if isinstance(value, (list, tuple)) else None if value == "" else value
