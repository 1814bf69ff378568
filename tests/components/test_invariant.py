"""One product: what is declared is what the engine gets, and strangers' resources read alike."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.children import ROOT
from gpuinfra.components.program import program
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.graph import Ref
from gpuinfra.model import UNKNOWN, Bucket, Group, Plan, Resource, Usage
from gpuinfra.planning import choices, from_resources, from_stack, stack_graph, to_usage
from gpuinfra.planning.observed_plan import observed_usage
from gpuinfra.source import Source
from tests.components.exactness import complaints, differences
from tests.components.stack_documents import documents

TODAY = date(2026, 11, 21)
CENT = Decimal("0.01")
OURS = ("tags", "labels", "tagSpecifications", "description", "userData")
CONFIG = {"gcp:project": "research-1"}


def clouds(plan: Plan) -> tuple[str, ...]:
    rows: tuple[Group | Bucket, ...] = (*plan.groups, *plan.buckets)
    return tuple({row.cloud: None for row in rows})


def stripped(resources: Sequence[Resource], usage: Usage) -> tuple[tuple[Resource, ...], Usage]:
    """The resources as a stranger's: no component, no tag of ours, every name another."""
    raw = [resource for resource in resources if not resource.type.startswith("gpuinfra:")]
    names = sorted({resource.name for resource in raw}, key=len, reverse=True)
    other = {name: f"r{uuid4().hex}" for name in names}
    spelled = re.compile("|".join(re.escape(name) for name in names))

    def untagged(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: untagged(v) for k, v in value.items() if k not in OURS}
        return [untagged(item) for item in value] if isinstance(value, list | tuple) else value

    def renamed(value: Any) -> Any:
        text = json.dumps(value, default=str)
        return json.loads(spelled.sub(lambda hit: other[hit[0]], text))

    strangers = tuple(
        replace(
            resource,
            name=other[resource.name],
            urn=renamed(resource.urn),
            parent=None,
            inputs=renamed(untagged(resource.inputs)),
            outputs=renamed(untagged(resource.outputs)),
            relations={
                k: tuple(renamed(v)) for k, v in resource.relations.items() if k not in OURS
            },
        )
        for resource in raw
    )
    by_name = {
        field: {other.get(key, key): value for key, value in getattr(usage, field).items()}
        for field in Usage.__dataclass_fields__
        if field != "trust"
    }
    return strangers, replace(usage, **by_name)


def standing(plan: Plan) -> Plan:
    """A stack file's plan with the rung that stands as the only one."""
    groups = tuple(replace(group, rungs=(group.rung,), active_rung=0) for group in plan.groups)
    return replace(plan, groups=groups)


def quote(plan: Plan) -> Quote:
    return estimate(plan, PricingTerms(as_of=TODAY, accept_outdated=True))


def rows(plan: Plan) -> list[tuple[Any, ...]]:
    """The machines: type, market, counts, place, ceiling of the price, fabric."""
    priced = {rung.group: rung.node_rate for rung in quote(plan).rungs}
    return sorted(
        (
            group.rung.machine,
            group.rung.capacity,
            str(group.maximum),
            str(group.minimum),
            group.rung.region,
            str(group.rung.on_demand_base),
            str(priced[group.name]),
            fabric(group),
        )
        for group in plan.groups
    )


def fabric(group: Group) -> str:
    """The fabric's facts, without what no resource shows: the wish, and what is in an image.

    Of the networks, placements and firewalls, which have other names here, the numbers.
    """
    facts = group.fabric
    if facts is None:
        return "none"
    numbers = [len(site) for site in facts.sites], len(facts.placements)
    walls = [(len(each.groups), len(each.ingress), len(each.egress)) for each in facts.firewalls]
    shown = replace(facts, requirement="required", driver_image=UNKNOWN)
    shown = replace(shown, sites=(), placements=(), firewalls=(), subnets=())
    return f"{shown!r}, {numbers}, {walls}"


def lines(plan: Plan) -> list[tuple[str, str, str, str]]:
    """Everything that is paid: what, how much, its rate and its month."""
    return sorted(
        (line.item, str(line.quantity), str(line.rate), cents(line.per_month))
        for line in quote(plan).lines
    )


def cents(amount: Decimal | None) -> str:
    return "unknown" if amount is None else str(amount.quantize(CENT))


def totals(plan: Plan) -> tuple[str, ...]:
    quoted = quote(plan)
    run = "none" if quoted.per_run is None else cents(quoted.per_run.ceiling)
    likely = cents(quoted.per_hour.expected)
    return cents(quoted.per_hour.ceiling), cents(quoted.per_month.ceiling), run, likely


@pytest.mark.parametrize("name", documents())
@pytest.mark.parametrize("rung", ["first", "last"])
def test_file_and_resources_are_the_same_rows(
    record: Callable[..., Any], name: str, rung: str
) -> None:
    document = documents()[name]
    plan = from_stack(document.stack)
    index = 0 if rung == "first" else -1
    rungs = {group.name: group.rungs[index].label for group in plan.groups}
    written = standing(from_stack(document.stack, rungs=rungs))
    seen = record(program(Source(document=document), rungs), CONFIG, clouds(plan))
    strangers, usage = stripped(seen.rows(), observed_usage(to_usage(document.stack)))
    observed = from_resources(strangers, name="stranger", caps=written.caps, usage=usage)

    assert observed.not_judged == ()
    assert rows(observed) == rows(written)
    assert lines(observed) == lines(written)
    assert totals(observed) == totals(written)
    tagged = from_resources(seen.rows(), name="ours", caps=written.caps, usage=Usage())
    assert tagged.cloud_budget == written.cloud_budget  # it counts by the tags of this project


@pytest.mark.parametrize("name", documents())
@pytest.mark.parametrize("rung", ["first", "last"])
def test_the_engine_gets_exactly_what_is_declared(
    record: Callable[..., Any], name: str, rung: str
) -> None:
    """Types, names, parents, inputs, relations and options, of every resource and no other."""
    document = documents()[name]
    plan = choices(document.stack)
    index = 0 if rung == "first" else -1
    rungs = {group.name: group.rungs[index].label for group in plan.groups}
    graph = stack_graph(document.stack, choices(document.stack, rungs=rungs))
    seen = record(program(Source(document=document), rungs), CONFIG, clouds(plan))
    registered = seen.registered()
    root = registered.pop(("", ROOT, document.stack.name))
    del graph.resources[ROOT_KEY]  # its inputs are what packs read of the stack file

    assert len(graph.resources) == len(registered)
    assert list(complaints(graph, {ROOT_KEY: root.name}, registered)) == []


def test_the_comparison_of_inputs_sees_a_difference() -> None:
    declared_ = {"a": [1, {"b": True}], "c": Ref("x", "id")}

    assert differences(declared_, {"a": [1, {"b": True}], "c": "i-1"}) == []
    assert differences(declared_, {"a": [1, {"b": False}], "c": "i-1"}) == [
        ".a[1].b: True became False"
    ]
    assert differences(declared_, {"a": [1], "d": 1}) != []


def test_the_comparison_sees_one_machine_more(record: Callable[..., Any]) -> None:
    document = documents()["quickstart"]
    plan = standing(from_stack(document.stack))
    trainer, *others = plan.groups
    more = replace(plan, groups=(replace(trainer, maximum=3), *others))

    assert rows(more) != rows(plan)
    assert totals(more) != totals(plan)
