"""Actions that annotations of an Ingress of EKS state in place of a Service.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/#actions
(read 2026-11-27; keys are in any case, as the controller reads them)
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.ingress_classes import PREFIX
from gpuinfra.clouds.observing.values import all_of, as_list, at, read_json, text
from gpuinfra.model import UNKNOWN, Known, Unknown

BY_ACTION: Final = "use-annotation"
"""The name of a backend's port where an action says where requests go."""

_EVERY: Final = ((None, None), ("/*", None), ("/", "Prefix"))
"""The paths that every request has, with the type that they need for it:
https://kubernetes.io/docs/concepts/services-networking/ingress/#path-types"""


def forwarded(annotations: Any, name: Any) -> Iterator[tuple[Known, Any]]:
    """Yield the backends of the action that a rule names.

    Each has a Service or a target group. An action that is not known may have any.
    """
    action = _action(annotations, name)
    kind = text(at(action, "type"))
    several = as_list(at(action, "forwardconfig", "targetgroups")) or (action,)
    for each in several if kind in {"forward", UNKNOWN} else ():
        arn = at(each, "targetgrouparn")
        backend = {
            "serviceName": at(each, "servicename"),
            "servicePort": at(each, "serviceport"),
            "targetGroup": at(each, "targetgroupname") if arn is None else arn,
            "alone": len(several) == 1,
        }
        yield kind == "forward" or UNKNOWN, backend


def redirect_all(spec: Any, annotations: Any) -> Known:
    """Return whether the first path of each rule redirects every plain request to HTTPS.

    UNKNOWN where another action may; the controller leaves such a redirect out of TLS listeners
    (its rule optimizer).
    """
    if isinstance(annotations, Unknown) or isinstance(spec, Unknown):
        return UNKNOWN
    firsts = [as_list(at(rule, "http", "paths"))[:1] for rule in as_list(at(spec, "rules"))]
    alone = firsts and at(spec, "defaultBackend") is None
    if alone and all_of(_sends_away(each, annotations) for each in firsts) is True:
        return True
    stated = annotations if isinstance(annotations, Mapping) else {}
    names = [str(key).removeprefix(f"{PREFIX}actions.") for key in stated]
    kinds = [
        text(at(_action(annotations, name), "type"))
        for name, key in zip(names, stated, strict=True)
        if name != key
    ]
    return UNKNOWN if any(kind != "forward" for kind in kinds) else False


def _sends_away(first: tuple[Any, ...], annotations: Any) -> Known:
    """Return whether a path that every request has redirects to HTTPS."""
    for path in first:
        backend = at(path, "backend", "service")
        stated, kind = text(at(path, "path")), at(path, "pathType")
        whole = any(stated == each and needed in (None, kind) for each, needed in _EVERY)
        if whole and at(backend, "port", "name") == BY_ACTION:
            action = _action(annotations, at(backend, "name"))
            return text(at(action, "redirectconfig", "protocol")) == "HTTPS"
    return False


def _action(annotations: Any, name: Any) -> Any:
    stated = UNKNOWN if isinstance(name, Unknown) else at(annotations, f"{PREFIX}actions.{name}")
    return _lowered(read_json(stated)) if isinstance(stated, str) else stated


def _lowered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key).lower(): _lowered(part) for key, part in value.items()}
    return [_lowered(part) for part in value] if isinstance(value, (list, tuple)) else value
