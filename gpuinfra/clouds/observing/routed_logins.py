"""Whether load balancers of a cluster hand on requests of those who have not signed in."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.address_ranges import reaches_world
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.ingress_classes import PREFIX, class_of, read_annotations
from gpuinfra.clouds.observing.namespaces import may_be_in, namespace_of
from gpuinfra.clouds.observing.values import all_of, any_of, at, is_on, opposite, read_json, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown
from gpuinfra.records import record

_NGINX_PREFIX: Final = "nginx.ingress.kubernetes.io/"
_LOGINS: Final = tuple(f"{_NGINX_PREFIX}auth-{each}" for each in ("url", "type", "tls-secret"))
"""https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/
(*unverified*)"""
_RANGES: Final = f"{_NGINX_PREFIX}whitelist-source-range"
_FILTERS: Final = (
    *(f"{PREFIX}{each}" for each in ("mutual-authentication", "waf-acl-id", "wafv2-acl-")),
    "appgw.ingress.kubernetes.io/waf-policy-for-path",
)
"""How the annotations begin that may turn some requests away."""

_SERVICE: Final = "kubernetes:core/v1:Service"
_SETTINGS: Final = (
    "kubernetes:cloud.google.com/v1:BackendConfig",
    "kubernetes:cloud.google.com/v1beta1:BackendConfig",
)
_NAMES_SETTINGS: Final = (
    "cloud.google.com/backend-config",
    "beta.cloud.google.com/backend-config",
)
_POLICY: Final = "kubernetes:networking.gke.io/v1:GCPBackendPolicy"


@record(kw_only=False)
class Backend:
    """Where a rule of an Ingress or of a route leads.

    Attributes:
        leads_there: whether it does.
        holder: the Ingress or the route.
        reference: the Service or action that the rule names.
        target: the Service or the target group.
    """

    leads_there: Known
    holder: Any
    reference: Any
    target: Any

    @property
    def namespace(self) -> Any:
        """The namespace of the Service, which a route may state; else that of the holder."""
        namespace = at(self.target, "namespace")
        return namespace_of(self.holder) if namespace is None else namespace


def lets_anyone_on(backend: Backend, service: Any, encrypted: Known | None, index: Index) -> Known:
    """Return whether an Ingress or a route leads everyone to a Service, without a login.

    On AWS only listeners with TLS ask for one.

    https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/ingress-configuration
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/secure-gateway
    """
    annotations = at(backend.holder, "metadata", "annotations")
    if isinstance(annotations, Unknown):
        return UNKNOWN
    known_annotations = annotations if isinstance(annotations, Mapping) else {}
    services = [
        known_service
        for known_service in index.of_kind(_SERVICE)
        if _is_backend_service(known_service, service, backend)
    ]
    logins = read_annotations(_logins_of(services), class_of(backend.holder), index)
    login_by_rule = logins if at(backend.target, "alone") is not False else {}
    asks_nothing = any_of(
        (all_of(_by_login_on_aws({**known_annotations, **login_by_rule})), opposite(encrypted))
    )
    is_filtered = known_annotations.get(f"{PREFIX}conditions.{backend.reference}") is not None
    return all_of(
        (
            asks_nothing,
            UNKNOWN if is_filtered else True,
            *_by_annotations(known_annotations),
            *_by_settings(service, services, backend, index),
        )
    )


def _is_backend_service(service: Resource, name: Any, backend: Backend) -> bool:
    service_name = at(service.inputs, "metadata", "name")
    return service_name == name and may_be_in(backend.namespace, service.inputs)


def _logins_of(services: Iterable[Resource]) -> Mapping[str, Any]:
    """Return the annotations of Services on logins, which go before those of an Ingress."""
    return {
        key: value
        for service in services
        if isinstance(annotations := at(service.inputs, "metadata", "annotations"), Mapping)
        for key, value in annotations.items()
        if str(key).startswith(f"{PREFIX}auth-")
    }


def _by_login_on_aws(annotations: Mapping[str, Any]) -> Iterator[Known]:
    """Yield what logins on AWS let on: one may be anyone's own."""
    kind = text(annotations.get(f"{PREFIX}auth-type"))
    if kind not in {None, "none"}:
        allows = annotations.get(f"{PREFIX}auth-on-unauthenticated-request")
        yield UNKNOWN if kind != "oidc" or allows is UNKNOWN else allows == "allow"
    if annotations.get(f"{PREFIX}jwt-validation") is not None:
        yield UNKNOWN


def _by_annotations(annotations: Mapping[str, Any]) -> Iterator[Known]:
    """Yield what other annotations of an Ingress let on."""
    if any(annotations.get(key) is not None for key in _LOGINS):
        yield False
    ranges = text(annotations.get(_RANGES))
    if ranges is not None:
        yield reaches_world(ranges.split(",") if isinstance(ranges, str) else (ranges,))
    if any(str(key).startswith(_FILTERS) for key in annotations):
        yield UNKNOWN


def _by_settings(
    name: Any, services: Iterable[Resource], backend: Backend, index: Index
) -> Iterator[Known]:
    """Yield what the settings of a Service's backend on GKE let on: a proxy asks for a login."""
    for policy in index.of_kind(_POLICY):
        is_target = at(policy.inputs, "spec", "targetRef", "name") == name
        if is_target and may_be_in(backend.namespace, policy.inputs):
            yield _lets_anyone_through(at(policy.inputs.get("spec"), "default"))
    for service in services:
        for config in _setting_names(at(service.inputs, "metadata", "annotations")):
            yield _of_config(config, backend.namespace, index)


def _setting_names(annotations: Any) -> Iterator[Any]:
    """Yield the names of the settings of a Service's ports, or UNKNOWN."""
    for key in _NAMES_SETTINGS:
        names = at(annotations, key)
        if names is not None:
            content = read_json(names) if isinstance(names, str) else UNKNOWN
            ports = at(content, "ports")
            yield at(content, "default")
            yield from ports.values() if isinstance(ports, Mapping) else (ports,)


def _of_config(name: Any, namespace: Any, index: Index) -> Known:
    if name is None:
        return True
    all_settings = (settings for kind in _SETTINGS for settings in index.of_kind(kind))
    namespace_settings = (
        settings for settings in all_settings if may_be_in(namespace, settings.inputs)
    )
    configs = [
        settings
        for settings in namespace_settings
        if at(settings.inputs, "metadata", "name") == name
    ]
    return _lets_anyone_through(configs[-1].inputs.get("spec")) if configs else UNKNOWN


def _lets_anyone_through(settings: Any) -> Known:
    is_filtered = at(settings, "securityPolicy") is not None
    return all_of(
        (opposite(is_on(at(settings, "iap", "enabled"))), UNKNOWN if is_filtered else True)
    )
