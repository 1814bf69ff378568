"""Actions that annotations of an Ingress of EKS state in place of a Service.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/ingress/annotations/#actions
(read 2026-11-27; keys are in any case, as the controller reads them)
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.ingress_classes import PREFIX
from gpuinfra.clouds.observing.values import as_list, at, read_json, text
from gpuinfra.model import UNKNOWN, Known, Unknown

BY_ACTION: Final = "use-annotation"
"""The name of a backend's port where an action says where requests go."""

_PREFIX: Final = "Prefix"
_EVERY: Final = ((None, None), ("/*", None), ("/", _PREFIX))
"""The paths that every request has, with the type that they need for it:
https://kubernetes.io/docs/concepts/services-networking/ingress/#path-types"""

_BEFORE: Final[Mapping[Any, int]] = {"Exact": 0, _PREFIX: 1}
"""The types of paths that go before all others, whatever their order is (sortIngressPaths of the
controller's pkg/ingress; those of one type keep theirs, but longer prefixes go first)."""


def forwarded(annotations: Any, name: Any) -> Iterator[tuple[Known, Any]]:
    """Yield the backends of the action that a rule names.

    Each has a Service or a target group. An action that is not known may have any.
    """
    action = _action(annotations, name)
    kind = text(at(action, "type"))
    target_groups = as_list(at(action, "forwardconfig", "targetgroups")) or (action,)
    for target_entry in target_groups if kind in {"forward", UNKNOWN} else ():
        arn = at(target_entry, "targetgrouparn")
        backend = {
            "serviceName": at(target_entry, "servicename"),
            "servicePort": at(target_entry, "serviceport"),
            "targetGroup": at(target_entry, "targetgroupname") if arn is None else arn,
            "alone": len(target_groups) == 1,
        }
        yield kind == "forward" or UNKNOWN, backend


def redirect_all(spec: Any, annotations: Any) -> Known:
    """Return whether the first path that each rule asks redirects every plain request to HTTPS.

    UNKNOWN where another action may; the controller leaves such a redirect out of TLS listeners
    (its rule optimizer).
    """
    if isinstance(annotations, Unknown) or isinstance(spec, Unknown):
        return UNKNOWN
    first_paths = [_first_path(rule) for rule in as_list(at(spec, "rules"))]
    is_only_action = first_paths and at(spec, "defaultBackend") is None
    if is_only_action and all(_sends_away(action, annotations) for action in first_paths):
        return True
    known_annotations = annotations if isinstance(annotations, Mapping) else {}
    names = [str(key).removeprefix(f"{PREFIX}actions.") for key in known_annotations]
    kinds = [
        text(at(_action(annotations, name), "type"))
        for name, key in zip(names, known_annotations, strict=True)
        if name != key
    ]
    return UNKNOWN if any(kind != "forward" for kind in kinds) else False


def _first_path(rule: Any) -> Any:
    """Return the path of a rule that is asked first; None where types are not known yet."""
    paths = as_list(at(rule, "http", "paths"))
    kinds = [text(at(rule_path, "pathType")) for rule_path in paths]
    if UNKNOWN in kinds:
        return None

    def place(path: Any) -> tuple[int, int]:
        kind = text(at(path, "pathType"))
        length = len(str(at(path, "path"))) if kind == _PREFIX else 0
        return _BEFORE.get(kind, len(_BEFORE)), -length

    return min(paths, key=place, default=None)


def _sends_away(path: Any, annotations: Any) -> bool:
    """Return whether a path that every request has redirects to HTTPS, without a condition."""
    backend = at(path, "backend", "service")
    name, path_text, kind = at(backend, "name"), text(at(path, "path")), at(path, "pathType")
    matches_everything = any(
        path_text == field_name and needed_value in (None, kind)
        for field_name, needed_value in _EVERY
    )
    is_filtered = at(annotations, f"{PREFIX}conditions.{name}") is not None
    if not matches_everything or is_filtered or at(backend, "port", "name") != BY_ACTION:
        return False
    protocol = text(at(_action(annotations, name), "redirectconfig", "protocol"))
    return protocol == "HTTPS"


def _action(annotations: Any, name: Any) -> Any:
    action = UNKNOWN if isinstance(name, Unknown) else at(annotations, f"{PREFIX}actions.{name}")
    return read_json(action, _by_lower_key) if isinstance(action, str) else action


def _by_lower_key(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key.lower(): value for key, value in pairs}
