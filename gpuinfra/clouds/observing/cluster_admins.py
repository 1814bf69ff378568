"""Kubernetes service accounts of the stack's pods that have every right in the cluster.

Pods should not run as accounts with such rights, and only what needs it should have cluster-admin:
https://kubernetes.io/docs/concepts/security/rbac-good-practices,
https://www.tenable.com/audits/items/CIS_Kubernetes_v1.4.1_Level_1.audit:f0c71f026d45732cefa9add82bd4442c
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.records import record

_ACCOUNT: Final = "ServiceAccount"
_CLUSTER: Final = "kubernetes:"
_ACCOUNTS: Final = f"{_CLUSTER}core/v1:{_ACCOUNT}"
_CLUSTER_ROLES: Final = f"{_CLUSTER}rbac.authorization.k8s.io/v1:ClusterRole"
_RUNS_AS: Final = frozenset({"serviceAccountName", "serviceAccount"})
"""How the spec of a pod names its account, at any depth of what makes the pod."""
_GROUP: Final = "system:serviceaccounts:"
_DEFAULT: Final = "default"
"""The namespace of an object that states none, and the account of a pod that names none:
https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/"""
_ALL_VERBS: Final = "*"


@record(kw_only=False)
class _Pods:
    """A source of pods: the namespace, the names of their accounts, the accounts as resources."""

    namespace: Any
    names: frozenset[str]
    accounts: frozenset[str]


def names(resource: Resource, binding: Any, index: Index) -> Iterator[str]:
    """Yield the service accounts of a binding that pods of the stack run as, `*` for a group."""
    pods = index.memo("pods of a stack", lambda: tuple(_pods(index)))
    for subject in as_list(at(binding, "subjects")):
        namespace = _namespace_of_group(subject)
        if namespace and any(namespace == _own_namespace(entry) for entry in pods):
            yield f"{namespace}/*"
    subjects = [
        entry for entry in as_list(at(binding, "subjects")) if at(entry, "kind") == _ACCOUNT
    ]
    account_urns = {
        entry.urn
        for entry in index.related_resources(resource, "subjects")
        if entry.type == _ACCOUNTS
    }
    for subject in subjects:
        if any(_is_of(subject, entry, account_urns) for entry in pods):
            account_name = (at(subject, "namespace"), at(subject, "name"))
            yield (
                "/".join(part for part in account_name if isinstance(part, str)) or "of the stack"
            )


def _namespace_of_group(subject: Any) -> str:
    """Return the namespace of whose service accounts a subject is the group; "" for another.

    https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects
    """
    name = at(subject, "name")
    is_named_group = at(subject, "kind") == "Group" and isinstance(name, str)
    return name.removeprefix(_GROUP) if is_named_group and name.startswith(_GROUP) else ""


def _own_namespace(pods: _Pods) -> Any:
    return _DEFAULT if pods.namespace is None else pods.namespace


def allows_everything(role: Resource) -> bool:
    """Return whether a role of the stack's own allows all that cluster-admin does."""
    return any(
        all(_ALL_VERBS in as_list(at(rule, key)) for key in ("apiGroups", "resources", "verbs"))
        for rule in as_list(role.inputs.get("rules"))
    )


def with_aggregated(roles: Sequence[Resource], index: Index) -> list[Resource]:
    """Return roles, and those of the stack whose labels they say to take the rules of.

    https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
    """
    selectors = [
        selector
        for role in roles
        for selector in as_list(at(role.inputs.get("aggregationRule"), "clusterRoleSelectors"))
    ]
    others = index.of_kind(_CLUSTER_ROLES) if selectors else ()
    return [
        *roles,
        *(role for role in others if any(_has_labels(role, each) for each in selectors)),
    ]


def _has_labels(role: Resource, selector: Any) -> bool:
    labels, selected = at(role.inputs.get("metadata"), "labels"), at(selector, "matchLabels")
    return isinstance(selected, Mapping) and all(
        isinstance(value, str) and at(labels, key) == value for key, value in selected.items()
    )


def _is_of(subject: Any, pods: _Pods, namespaces: set[str]) -> bool:
    """Return whether pods run as a subject; a namespace that is not stated may be any."""
    name, namespace = at(subject, "name"), at(subject, "namespace")
    if isinstance(name, Unknown):
        return not namespaces.isdisjoint(pods.accounts)
    own_namespace = _DEFAULT if name == _DEFAULT and pods.namespace is None else pods.namespace
    are_known = all(
        isinstance(namespace_name, str) for namespace_name in (namespace, own_namespace)
    )
    is_same = not are_known or namespace == own_namespace
    return is_same and isinstance(name, str) and name in pods.names


def _pods(index: Index) -> Iterator[_Pods]:
    for resource in index:
        if resource.type.startswith(_CLUSTER) and resource.type != _ACCOUNTS:
            spec = resource.inputs.get("spec")
            account_names = frozenset(
                name for name in _account_names(spec) if isinstance(name, str)
            )
            urns = frozenset(
                workload.urn for workload in index.related_resources(resource, "spec")
            )
            if account_names or UNKNOWN in _account_names(spec):
                yield _Pods(at(resource.inputs.get("metadata"), "namespace"), account_names, urns)


def _account_names(spec: Any) -> Iterator[Any]:
    """Yield the names of accounts in a spec, at any depth, the default one of each pod without."""
    if isinstance(spec, Mapping):
        if spec.get("containers") and not any(spec.get(key) for key in _RUNS_AS):
            yield _DEFAULT
        for key, part in spec.items():
            if key in _RUNS_AS and isinstance(part, (str, Unknown)):
                yield part
            else:
                yield from _account_names(part)
    elif isinstance(spec, Sequence) and not isinstance(spec, str):
        for part in spec:
            yield from _account_names(part)
