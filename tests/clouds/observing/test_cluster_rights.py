"""Bindings of roles in clusters of Kubernetes that are given to everyone."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.observing.cluster_rights import AKS, EKS, GKE, RBAC, made, outcome

ISSUER = "system:service-account-issuer-discovery"
ADMIN = "cluster-admin"
ANYONE = "system:unauthenticated"
SIGNED_IN = "system:authenticated"
PODS = "system:serviceaccounts"


def bound(role, *names, kind="ClusterRoleBinding"):
    subjects = [{"kind": "Group", "name": name} for name in names]
    return made(f"{RBAC}{kind}", "binding", roleRef={"name": role}, subjects=subjects)


@pytest.mark.parametrize(
    ("cluster", "role", "group", "expected"),
    [
        (GKE, "edit", SIGNED_IN, "fault"),
        (GKE, "system:discovery", SIGNED_IN, "fine"),
        (EKS, "view", SIGNED_IN, "fine"),
        (AKS, "view", SIGNED_IN, "fine"),
        ("", "view", SIGNED_IN, "unknown"),
        (EKS, ADMIN, SIGNED_IN, "fault"),
        (EKS, UNKNOWN, SIGNED_IN, "unknown"),
        (AKS, ADMIN, PODS, "fault"),
        (GKE, "view", PODS, "fine"),
        (GKE, "view", ANYONE, "fault"),
        (AKS, "view", "system:anonymous", "fault"),
        ("", "view", ANYONE, "fault"),
        (EKS, ISSUER, ANYONE, "fine"),
        (GKE, ADMIN, "team-admins@example.com", "fine"),
        (AKS, ADMIN, UNKNOWN, "fine"),
    ],
)
@pytest.mark.parametrize("kind", ["ClusterRoleBinding", "RoleBinding", "ClusterRoleBindingPatch"])
def test_a_role_for_everyone_is_a_fault(cluster, role, group, expected, kind):
    assert outcome(cluster, bound(role, group, kind=kind)) == expected


def test_each_binding_of_a_list_counts():
    items = [{"roleRef": {"name": "edit"}, "subjects": [{"name": ANYONE}]}]
    assert outcome(GKE, made(f"{RBAC}ClusterRoleBindingList", "binding", items=items)) == "fault"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"nonResourceURLs": ["/healthz", "/livez/*"], "verbs": ["get"]}, "fine"),
        ({"nonResourceURLs": ["*"], "verbs": ["get"]}, "fault"),
        ({"nonResourceURLs": ["/healthz"], "resources": ["pods"]}, "fault"),
    ],
)
def test_a_role_of_the_stack_that_reads_health_checks_is_none(rule, expected):
    role = made(f"{RBAC}ClusterRole", "health", metadata={"name": "health"}, rules=[rule])
    assert outcome(GKE, role, bound("health", ANYONE)) == expected
