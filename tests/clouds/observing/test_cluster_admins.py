"""Pods of the stack whose service account may do everything in the cluster."""

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.clouds.observing.cluster_rights import AKS, EKS, GKE, RBAC, made, outcome

RUNNER = {"serviceAccountName": "runner", "containers": [{"name": "c"}]}
TEMPLATE = {"template": {"spec": RUNNER}}
CRON = ("kubernetes:batch/v1:CronJob", {"jobTemplate": {"spec": TEMPLATE}})
PODS = [
    CRON,
    ("kubernetes:batch/v1:Job", TEMPLATE),
    ("kubernetes:apps/v1:Deployment", TEMPLATE),
    ("kubernetes:apps/v1:StatefulSet", TEMPLATE),
    ("kubernetes:core/v1:Pod", RUNNER),
    ("kubernetes:core/v1:Pod", {"serviceAccount": "runner"}),
]
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
ACCOUNT = "kubernetes:core/v1:ServiceAccount"


def pods(token, spec, namespace="jobs"):
    return made(token, "work", metadata={"namespace": namespace}, spec=spec)


def bound(role="cluster-admin", kind="ClusterRoleBinding", **subject):
    given = {"kind": "ServiceAccount", "name": "runner", "namespace": "jobs", **subject}
    return made(f"{RBAC}{kind}", "binding", roleRef={"name": role}, subjects=[given])


@pytest.mark.parametrize("role", ["admin", "edit"])
def test_a_role_that_acts_as_any_service_account_is_as_good_in_the_whole_cluster(role):
    assert outcome(GKE, pods(*CRON), bound(role)) == "fault"
    assert outcome(GKE, pods(*CRON), bound(role, kind="RoleBinding")) == "fine"


@pytest.mark.parametrize("cluster", [GKE, EKS, AKS, ""])
@pytest.mark.parametrize(("token", "spec"), PODS)
def test_pods_of_an_administrator_are_a_fault(cluster, token, spec):
    assert outcome(cluster, pods(token, spec), bound()) == "fault"


@pytest.mark.parametrize(
    "binding",
    [
        bound("view"),
        bound(kind="RoleBinding"),
        bound(name="other"),
        bound(namespace="elsewhere"),
        bound(name=[]),
        bound(name={}),
    ],
)
def test_another_account_or_a_narrower_right_is_fine(binding):
    assert outcome(GKE, pods(*CRON), binding) == "fine"


@pytest.mark.parametrize(
    ("stated", "group", "expected"),
    [
        ("jobs", "system:serviceaccounts:jobs", "fault"),
        (None, "system:serviceaccounts:default", "fault"),
        ("jobs", "system:serviceaccounts:default", "fine"),
        ("jobs", "system:nodes:jobs", "fine"),
    ],
)
def test_the_group_of_a_namespace_has_its_pods(stated, group, expected):
    work = pods("kubernetes:apps/v1:Deployment", TEMPLATE, stated)
    assert outcome(GKE, work, bound(kind="ClusterRoleBinding", name=group)) == "fine"
    group = {"kind": "Group", "name": group}
    binding = made(
        f"{RBAC}ClusterRoleBinding",
        "binding",
        roleRef={"name": "cluster-admin"},
        subjects=[group],
    )
    assert outcome(GKE, work, binding) == expected


NAMELESS = {"template": {"spec": {"containers": [{"name": "c"}]}}}


@pytest.mark.parametrize(
    ("stated", "subject", "expected"),
    [
        ("jobs", "jobs", "fault"),
        (None, "default", "fault"),
        (UNKNOWN, "jobs", "fault"),
        ("jobs", "default", "fine"),
        (None, "kube-system", "fine"),
    ],
)
def test_a_pod_that_names_no_account_runs_as_the_default_one(stated, subject, expected):
    work = pods("kubernetes:apps/v1:Deployment", NAMELESS, stated)
    assert outcome(GKE, work, bound(name="default", namespace=subject)) == expected
    assert outcome(GKE, work, bound(namespace=subject)) == "fine"
    assert outcome(GKE, pods(*CRON), bound(name="default")) == "fine"


def test_an_administrator_that_no_pod_of_the_stack_runs_as_is_left_to_who_made_it():
    assert outcome(GKE, bound()) == "fine"
    people = made(
        f"{RBAC}ClusterRoleBinding",
        "binding",
        roleRef={"name": "cluster-admin"},
        subjects=[{"kind": "User", "name": "runner"}],
    )
    assert outcome(GKE, pods(*CRON), people) == "fine"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (EVERYTHING, "fault"),
        ({**EVERYTHING, "verbs": ["get"]}, "fault"),
        ({**EVERYTHING, "verbs": ["delete"]}, "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_a_role_of_one_s_own_with_every_right_is_as_good(rule, expected):
    role = made(f"{RBAC}ClusterRole", "all", metadata={"name": "all"}, rules=[rule])
    assert outcome(GKE, role, pods(*CRON), bound("all")) == expected


@pytest.mark.parametrize("same", [True, False])
def test_an_account_without_a_name_yet_is_told_by_what_refers_to_it(same):
    accounts = [made(ACCOUNT, name) for name in ("one", "two")]
    spec = {"jobTemplate": {"spec": {"template": {"spec": {"serviceAccountName": UNKNOWN}}}}}
    work = Resource(
        urn="urn:pulumi:dev::shop::kubernetes:batch/v1:CronJob::work",
        type=CRON[0],
        name="work",
        inputs={"spec": spec},
        relations={"spec": (accounts[0].urn,)},
    )
    binding = Resource(
        urn=f"urn:pulumi:dev::shop::{RBAC}ClusterRoleBinding::binding",
        type=f"{RBAC}ClusterRoleBinding",
        name="binding",
        inputs={
            "roleRef": {"name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": UNKNOWN}],
        },
        relations={"subjects": (accounts[0 if same else 1].urn,)},
    )
    assert outcome(GKE, *accounts, work, binding) == ("fault" if same else "fine")


@pytest.mark.parametrize("spec", [None, UNKNOWN, [], [UNKNOWN], {"serviceAccountName": []}, "x"])
def test_odd_specs_are_read(spec):
    assert outcome(GKE, pods(CRON[0], spec), bound()) == "fine"


RIGHTS = "rbac.authorization.k8s.io"


def rule(verb, *resources, group="", **more):
    return {"apiGroups": [group], "resources": list(resources), "verbs": [verb], **more}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (rule("escalate", "clusterroles", group=RIGHTS), "fault"),
        (rule("*", "clusterroles", "roles", group=RIGHTS), "fault"),
        (rule("bind", "clusterroles", group=RIGHTS), "fault"),
        (rule("bind", "clusterroles", group=RIGHTS, resourceNames=["view"]), "fine"),
        (rule("create", "clusterrolebindings", group=RIGHTS), "fine"),
        (rule("impersonate", "groups"), "fault"),
        (rule("*", "*"), "fault"),
        (rule("create", "serviceaccounts/token"), "fault"),
        (rule("create", "serviceaccounts"), "fine"),
        (rule("create", "*/token"), "fault"),
        (rule("create", "serviceaccounts/*"), "fine"),
        (rule("escalate", "roles", group=RIGHTS), "fault"),
        (rule("bind", "*", group=RIGHTS, resourceNames=["view", "cluster-admin"]), "fault"),
        (rule("impersonate", "groups", resourceNames=["system:masters"]), "fault"),
        (rule("impersonate", "groups", resourceNames=["developers"]), "fine"),
        (rule("list", "secrets"), "fine"),
        (rule("create", "pods/exec"), "fault"),
        (rule("get", "pods/exec"), "fault"),
        (rule("create", "pods/attach"), "fault"),
        (rule("get", "pods/log"), "fine"),
        (rule("get", "nodes/proxy"), "fault"),
        (rule("get", "nodes/metrics"), "fine"),
        (rule("patch", "pods/ephemeralcontainers"), "fault"),
        (rule("get", "pods/ephemeralcontainers"), "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_a_role_that_can_take_every_right_is_as_good(given, expected):
    role = made(f"{RBAC}ClusterRole", "role", metadata={"name": "own"}, rules=[given])
    assert outcome(GKE, pods(*CRON), role, bound("own")) == expected
    assert outcome(GKE, pods(*CRON), role, bound("own", kind="RoleBinding")) == "fine"


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"matchLabels": {"team": "jobs"}}, "fault"),
        ({"matchLabels": {"team": "other"}}, "fine"),
        ({"matchLabels": UNKNOWN}, "fine"),
    ],
)
def test_a_role_has_the_rules_of_those_that_it_aggregates(selector, expected):
    whole = made(
        f"{RBAC}ClusterRole",
        "whole",
        metadata={"name": "own"},
        aggregationRule={"clusterRoleSelectors": [selector]},
    )
    part = made(
        f"{RBAC}ClusterRole",
        "part",
        metadata={"name": "part", "labels": {"team": "jobs"}},
        rules=[EVERYTHING],
    )
    assert outcome(GKE, pods(*CRON), whole, part, bound("own")) == expected
