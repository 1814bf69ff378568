"""References that go round in circles: every walk over them ends, on each cloud."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.clouds import CLOUDS
from gpuinfra.clouds.gcp.observe.index import Index as GoogleIndex
from gpuinfra.clouds.gcp.observe.network import cross_region
from gpuinfra.clouds.observing.index import Index
from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.planning import from_resources
from tests.rules.cases.judging import RICH

EACH = 2
"""Resources of each type: those of one may refer to each other."""

ASSUMES = json.dumps(
    {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": "*"}]}
)
TRUSTS = json.dumps(
    {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*", "Service": "ec2.amazonaws.com"}}]}
)
SETTINGS: dict[str, dict[str, Any]] = {
    "aws:iam/role:Role": {"assumeRolePolicy": TRUSTS},
    "aws:iam/rolePolicy:RolePolicy": {"policy": ASSUMES},
    "aws:iam/policy:Policy": {"policy": ASSUMES},
    "aws:ec2/route:Route": {"destinationCidrBlock": "0.0.0.0/0"},
    "aws:ec2/natGateway:NatGateway": {"connectivityType": "private"},
    "gcp:serviceaccount/iAMMember:IAMMember": {"role": "roles/iam.serviceAccountTokenCreator"},
    "gcp:serviceaccount/iAMBinding:IAMBinding": {"role": "roles/iam.serviceAccountTokenCreator"},
}
"""What leads further on: a policy that lets its holder become another, a default route."""

ROLE, ROLE_POLICY = "aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy"

Edge = tuple[str, str, str]
"""A type, its input, and the type of what the input names."""


def resource(kind: str, number: int, inputs: dict[str, Any], **more: Any) -> Resource:
    urn = f"urn:pulumi:dev::shop::{kind}::{number}"
    own = f"{kind}-{number}"
    return Resource(
        urn=urn,
        type=kind,
        name=own,
        inputs={"name": own, **SETTINGS.get(kind, {}), **inputs},
        outputs={"id": own, "arn": f"arn:aws:any:us-east-1:1:{own}"},
        region="us-east-1",
        **more,
    )


def types_of(cloud: str) -> list[str]:
    module = import_module(f"gpuinfra.clouds.{cloud}.observe.resource_types")
    observers = import_module(f"gpuinfra.clouds.{cloud}.observe.observers")
    named = (value for value in vars(module).values() if isinstance(value, str))
    return sorted({*observers.OBSERVERS, *(kind for kind in named if kind.count(":") == 2)})


class Recorder:
    """The references that walks ask for, as far as they come."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.edges: set[Edge] = set()
        targets, referrers = Index.targets, Index.referrers

        def asked(index: Index, holder: Resource, prop: str, kind: str, value: Any = None) -> Any:
            self.edges.add((holder.type, prop, kind))
            return targets(index, holder, prop, kind, value)

        def named(index: Index, target: Resource, kind: str, prop: str) -> Any:
            self.edges.add((kind, prop, target.type))
            return referrers(index, target, kind, prop)

        monkeypatch.setattr(Index, "targets", asked)
        monkeypatch.setattr(Index, "referrers", named)


def document(kinds: list[str], edges: set[Edge], chance: random.Random | None) -> list[Resource]:
    """Resources of all types that refer to each other: to all, or to some at random."""
    named: dict[str, dict[str, list[str]]] = {}
    for kind, prop, goal in sorted(edges):
        if kind in kinds and goal in kinds and (chance is None or chance.random() < 0.7):
            named.setdefault(kind, {}).setdefault(prop, []).append(goal)
    return [
        _referring(kind, number, named.get(kind, {}), chance or random.Random(number))
        for kind in kinds
        for number in range(EACH)
    ]


def _referring(
    kind: str, number: int, named: dict[str, list[str]], chance: random.Random
) -> Resource:
    inputs: dict[str, Any] = {}
    relations: dict[str, tuple[str, ...]] = {}
    for prop, goals in named.items():
        goal, way = chance.choice(goals), chance.choice(("id", "ids", "unknown"))
        ids = [f"{goal}-{each}" for each in range(EACH)]
        inputs[prop] = {"id": chance.choice(ids), "ids": ids, "unknown": UNKNOWN}[way]
        every = [f"urn:pulumi:dev::shop::{each}::{one}" for each in goals for one in range(EACH)]
        relations[prop] = tuple(chance.sample(every, min(len(every), 4)))
    parent = f"urn:pulumi:dev::shop::{kind}::{(number + 1) % EACH}"
    return resource(kind, number, inputs, relations=relations, parent=parent)


@cache
def edges_of(cloud: str) -> frozenset[Edge]:
    """The references that a cloud's walks ask for, found by following them further and further."""
    kinds = types_of(cloud)
    edges: set[Edge] = set()
    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(patch)
        for _ in range(6):
            edges = set(recorder.edges)
            plan_of(document(kinds, edges, None))
            if recorder.edges == edges:
                break
    return frozenset(recorder.edges)


def plan_of(resources: list[Resource]) -> Any:
    return from_resources(resources, name="shop", caps=RICH)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_walks_ask_for_many_references(cloud: str) -> None:
    assert len(edges_of(cloud)) > 20


@pytest.mark.parametrize("cloud", CLOUDS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_every_walk_over_references_ends(cloud: str, seed: int) -> None:
    chance = random.Random(seed)
    kinds = types_of(cloud)
    plan_of(document(kinds, set(edges_of(cloud)), chance))


def roles(count: int, assumed: Callable[[int], str]) -> list[Resource]:
    """Roles of machines that may assume others."""
    found: list[Resource] = []
    for each in range(count):
        statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": assumed(each)}
        policy = json.dumps({"Statement": [statement]})
        inputs = {"role": f"{ROLE}-{each}", "policy": policy}
        found += [resource(ROLE, each, {}), resource(ROLE_POLICY, each, inputs)]
    return found


def test_roles_that_may_all_assume_each_other_are_looked_at_once() -> None:
    assert plan_of(roles(30, lambda _: "*")).not_judged == ()


def test_a_long_chain_of_roles_ends() -> None:
    ring = roles(400, lambda each: f"arn:aws:any:us-east-1:1:{ROLE}-{(each + 1) % 400}")
    assert plan_of(ring).not_judged == ()
    last = {"role": f"{ROLE}-399", "policy": ASSUMES.replace("sts:AssumeRole", "ec2:RunInstances")}
    starts = plan_of([*ring, resource(ROLE_POLICY, 400, last)]).not_judged
    assert len(starts) == 400
    assert starts[398].reason.count(" as ") == 1


def test_accounts_that_may_all_act_as_each_other_are_looked_at_once() -> None:
    emails = [f"a{each}@shop-1.iam.gserviceaccount.com" for each in range(12)]
    found: list[Resource] = []
    for each, email in enumerate(emails):
        account = resource("gcp:serviceaccount/account:Account", each, {"accountId": f"a{each}"})
        made = {"email": email, "name": f"projects/shop-1/serviceAccounts/{email}"}
        binding = {
            "serviceAccountId": made["name"],
            "role": "roles/iam.serviceAccountTokenCreator",
            "members": [f"serviceAccount:{one}" for one in emails],
        }
        machine = {
            "machineType": "g2-standard-4",
            "zone": "us-central1-a",
            "serviceAccount": {"email": email},
        }
        found += [
            replace(account, outputs=made),
            resource("gcp:serviceaccount/iAMBinding:IAMBinding", each, binding),
            resource("gcp:compute/instance:Instance", each, machine),
        ]
    plan = plan_of(found)
    assert {group.safety.administrator for group in plan.groups} == {False}


def test_components_and_resources_without_a_region_may_name_each_other() -> None:
    """Files with such circles are refused; a pack shows whatever the engine does."""
    cluster = "gcp:container/cluster:Cluster"
    round_ = {each: f"urn:pulumi:dev::shop::{cluster}::{1 - each}" for each in range(EACH)}
    provider = resource("pulumi:providers:kubernetes", 0, {"kubeconfig": "x"})
    pods = resource("kubernetes:apps/v1:Deployment", 0, {}, provider=provider)
    homes = [resource(cluster, each, {}, parent=parent) for each, parent in round_.items()]
    assert len(plan_of([*homes, pods]).not_judged) >= 1


def test_templates_that_name_each_other_lead_to_no_region_twice() -> None:
    template, group = (
        "gcp:compute/instanceTemplate:InstanceTemplate",
        ("gcp:compute/instanceGroupManager:InstanceGroupManager"),
    )
    urns = {each: f"urn:pulumi:dev::shop::{template}::{each}" for each in range(EACH)}
    templates = [
        resource(template, each, {"tags": UNKNOWN}, relations={"tags": (urns[1 - each],)})
        for each in urns
    ]
    machines = resource(group, 0, {"zone": "us-central1-a"}, relations={"versions": (urns[0],)})
    far = resource(group, 1, {"zone": "us-east1-b"}, relations={"versions": (urns[1],)})
    index = GoogleIndex([*templates, machines, far])
    assert list(cross_region.other_region_remarks(machines, index)) == []
