"""Kubernetes objects that are a Service or become one, and the ports of the pods behind it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list, at, whole_number
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.records import record

_SERVICE: Final = re.compile(r"kubernetes:core/v1:Service(?:Patch|List)?")
_RAY: Final = re.compile(r"kubernetes:ray\.io/v\w+:Ray(?:Cluster|Service|Job)(?:Patch)?")
RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_PATCH: Final = "Patch"
_LOAD_BALANCER_TYPE: Final = "LoadBalancer"
_OBJECTS: Final = "kubernetes:"

_ENDPOINTS: Final = (
    ("kubernetes:core/v1:Endpoints", ("name",), "subsets"),
    ("kubernetes:discovery.k8s.io/v1:EndpointSlice", ("labels", "kubernetes.io/service-name"), ""),
)
"""Where the addresses behind a Service are written: how they name it, where their ports are."""

_RAY_PARTS: Final = ("rayClusterConfig", "rayClusterSpec")
"""Where a RayService and a RayJob have their cluster."""

_RAY_PORTS: Final = ({"port": 6379}, {"port": 8265}, {"port": 10001})
"""The ports of a head's Service where its container states none:
https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/config.html (the defaults of the
operator are *unverified*)"""

_WEB: Final = frozenset({"ingress-nginx", "jupyterhub", "traefik"})
"""Charts whose Service has the ports 80 and 443 by default:
https://github.com/kubernetes/ingress-nginx/blob/main/charts/ingress-nginx/values.yaml
https://github.com/traefik/traefik-helm-chart/blob/master/traefik/values.yaml
https://github.com/jupyterhub/zero-to-jupyterhub-k8s/blob/main/jupyterhub/values.yaml
(none of them re-read: *unverified*)"""

_DEFAULTS: Final = ({"port": UNKNOWN},)
_NO_PORTS: Final = frozenset(
    {"annotations", "healthCheckNodePort", "labels", "nodePort", "nodePorts"}
)
"""Keys of a Service in values whose numbers are no ports of the balancer."""


@record(kw_only=False)
class ServedObject:
    """A Service.

    Attributes:
        spec: in the spelling of a Service, as far as it is known.
        annotations: its own.
        partial: whether there may be more to it: it is a patch, or the values of a chart.
        name: of a Service itself.
    """

    spec: Any
    annotations: Any
    partial: bool = False
    name: Any = None


def is_ray(resource: Resource) -> bool:
    """Return whether the operator of Ray makes a Service for an object."""
    return _RAY.fullmatch(resource.type) is not None


def served_by(resource: Resource) -> Iterator[ServedObject]:
    """Yield the Services that an object is, or that its operator or chart makes of it."""
    inputs = resource.inputs
    if _SERVICE.fullmatch(resource.type):
        for item in as_list(inputs.get("items")) or (inputs,):
            metadata, partial = at(item, "metadata"), resource.type.endswith(_PATCH)
            yield ServedObject(
                at(item, "spec"), at(metadata, "annotations"), partial, at(metadata, "name")
            )
    elif _RAY.fullmatch(resource.type):
        yield from _ray_services(inputs.get("spec"), partial=resource.type.endswith(_PATCH))
    elif resource.type == RELEASE:
        values = inputs.get("values")
        yield from _chart_services(
            values, () if _is_web(inputs.get("chart"), values) else _DEFAULTS
        )


def _ray_services(spec: Any, *, partial: bool) -> Iterator[ServedObject]:
    """Yield the Service of the head of a Ray cluster."""
    cluster = next((at(spec, key) for key in _RAY_PARTS if at(spec, key) is not None), spec)
    head = at(cluster, "headGroupSpec")
    head_service = at(head, "headService")
    containers = as_list(at(head, "template", "spec", "containers"))[:1]
    ports = [
        {"port": at(port, "containerPort"), "protocol": at(port, "protocol")}
        for container in containers
        for port in as_list(at(container, "ports"))
    ]
    head_spec = at(head_service, "spec") if isinstance(at(head_service, "spec"), Mapping) else {}
    kind = at(head, "serviceType") if head_spec.get("type") is None else head_spec["type"]
    ports_of_head = (*(ports or _RAY_PORTS), *as_list(head_spec.get("ports")))
    annotations = at(cluster, "headServiceAnnotations") or at(
        head_service, "metadata", "annotations"
    )
    yield ServedObject({**head_spec, "type": kind, "ports": ports_of_head}, annotations, partial)


def _is_web(chart: Any, values: Any) -> bool:
    """Return whether a chart's Service has ports of the web alone, without more in its values."""
    chart_name = chart.rpartition("/")[2] if isinstance(chart, str) else None
    return chart_name in _WEB and not any(at(values, key) for key in ("ports", "tcp", "udp"))


def _chart_services(values: Any, defaults: tuple[Any, ...]) -> Iterator[ServedObject]:
    """Yield the settings of balanced Services in a chart's values, at any depth.

    What a chart makes of them is not known, so that they tell only what may be open. Where they
    state no port, the chart's `defaults` are opened.
    """
    if isinstance(values, Mapping):
        if values.get("type") == _LOAD_BALANCER_TYPE:
            ports = tuple({"port": number} for number in _numbers(values))
            values_with_ports = [part for key, part in values.items() if key not in _NO_PORTS]
            all_ports = (
                ports if any(True for _ in _numbers(values_with_ports)) else (*ports, *defaults)
            )
            yield ServedObject(
                {**values, "ports": all_ports}, values.get("annotations"), partial=True
            )
        for part in values.values():
            yield from _chart_services(part, defaults)
    elif isinstance(values, (list, tuple)):
        for part in values:
            yield from _chart_services(part, defaults)


def _numbers(value: Any) -> Iterator[int]:
    """Yield the whole numbers inside a value."""
    if isinstance(value, (Mapping, list, tuple)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(part)
    elif isinstance(value, (int, float, str)):
        number = whole_number(value)
        if isinstance(number, int):
            yield number


def target_ports(
    entry: Any, service_object: ServedObject, index: Index
) -> Iterator[int | Unknown]:
    """Yield the ports that the pods of a Service's port listen on, or its written endpoints."""
    yield from endpoint_ports(service_object, index)
    value = at(entry, "targetPort")
    if isinstance(value, str) and not value.isdigit():
        yield from ports_called(value, service_object, index)
        return
    number = whole_number(at(entry, "port") if value is None else value)
    if number is not None:
        yield number


def endpoint_ports(service_object: ServedObject, index: Index) -> Iterator[int | Unknown]:
    """Yield the ports of the endpoints that the stack writes for a Service without a selector.

    https://kubernetes.io/docs/concepts/services-networking/service/#services-without-selectors
    """
    name = service_object.name
    if name is None or at(service_object.spec, "selector"):
        return
    for kind, owner, parts in _ENDPOINTS:
        for resource in index.of_kind(kind):
            written_for = at(resource.inputs.get("metadata"), *owner)
            if name == written_for or UNKNOWN in (name, written_for):
                for part in as_list(resource.inputs.get(parts)) if parts else (resource.inputs,):
                    for port in as_list(at(part, "ports")):
                        number = whole_number(at(port, "port"))
                        if number is not None:
                            yield number


def ports_called(name: str, service_object: ServedObject, index: Index) -> Iterator[int | Unknown]:
    """Yield the ports of that name of the stack's pods that a Service selects."""
    selector = at(service_object.spec, "selector")
    selected_labels = selector if isinstance(selector, Mapping) else {}
    pods: list[Any] = index.memo("pods behind services", lambda: [*_templates(index)])
    for pod in pods if selected_labels else ():
        labels = at(pod, "metadata", "labels")
        if any(at(labels, key) != value for key, value in selected_labels.items()):
            continue
        for container in as_list(at(pod, "spec", "containers")):
            for port in as_list(at(container, "ports")):
                number = whole_number(at(port, "containerPort"))
                if at(port, "name") == name and number is not None:
                    yield number


def _templates(index: Index) -> Iterator[Any]:
    """Yield the pods of the stack: their own objects, and the templates of others."""
    for resource in index:
        if resource.type.startswith(_OBJECTS):
            template = at(resource.inputs.get("spec"), "template")
            yield resource.inputs if template is None else template
