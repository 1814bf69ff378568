"""A stack file's plan with the facts of its declared resources, named as in the file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.declaring.budget_only_guards import ROOT_KEY
from gpuinfra.clouds.declaring.names import (
    bucket_resource,
    group_resource,
    logs_name,
    replica_name,
)
from gpuinfra.clouds.image_name import declared_image
from gpuinfra.graph import ResourceGraph, references
from gpuinfra.model import (
    NOWHERE,
    UNKNOWN,
    Bucket,
    FileSystem,
    Group,
    Item,
    Known,
    Plan,
    Resource,
    Rung,
    SharedNetwork,
    Usage,
)
from gpuinfra.planning.declared_stack import KINDS, stack_graph, workload_graph
from gpuinfra.planning.graph_rows import rows
from gpuinfra.planning.image_and_reservation_faults import (
    completed_rung,
    container_faults,
    image_and_reservation_problems,
)
from gpuinfra.planning.resource_plan import from_resources
from gpuinfra.planning.usage import to_usage
from gpuinfra.specs.schema import Stack

Row = TypeVar("Row")

_PLANNED_FIELDS: Final = (
    "name",
    "subject",
    "purpose",
    "active_rung",
    "cloud_reasons",
    "notes",
)
"""The fields of a group that the plan or the user sets; the others are read from its resources."""


def _rung(planned_rung: Rung, shown_rung: Rung) -> Rung:
    """Return a rung as its resources show it; the zones keep the order in which they are used."""
    are_zones_same = set(shown_rung.zones) == set(planned_rung.zones)
    zones = planned_rung.zones if are_zones_same else shown_rung.zones
    return replace(completed_rung(planned_rung, shown_rung), zones=zones)


def _observed_or_planned(observed_fact: Known | None, observed: Known | None) -> Known | None:
    """Return the resources' fact, or the planned one if unknown; None where none is planned."""
    return observed_fact if observed_fact is None or observed is UNKNOWN else observed


def with_facts(stack: Stack, plan: Plan) -> Plan:
    """Return a plan with the facts, costs and contents of its declared resources."""
    graph = stack_graph(stack, plan)
    resources = rows(graph)
    usage = observed_usage(to_usage(stack))
    observed = from_resources(
        resources, name=plan.name, caps=plan.caps, usage=usage, owner=plan.owner
    )
    names = _StackNames(stack, graph, resources, plan)
    shared = tuple(names.item(item) for item in observed.items if names.is_shared(item))
    accepts = [
        provider_of(cloud).accepts for cloud in sorted({group.cloud for group in plan.groups})
    ]
    return replace(
        plan,
        groups=tuple(names.groups(observed.groups)),
        items=tuple(map(names.item, observed.items)),
        networks=_networks(stack, plan, shared),
        buckets=tuple(
            map(names.renamed_bucket, sorted(observed.buckets, key=names.bucket_position))
        ),
        file_systems=tuple(map(names.file_system, observed.file_systems)),
        disks=names.with_component_subjects(observed.disks),
        listeners=names.with_component_subjects(observed.listeners),
        open_ports=names.with_component_subjects(observed.open_ports),
        control_planes=names.with_component_subjects(observed.control_planes),
        grants=names.with_component_subjects(observed.grants),
        credentials=names.with_component_subjects(observed.credentials),
        exposures=names.with_component_subjects(observed.exposures),
        defects=names.with_component_subjects(observed.defects),
        not_judged=names.with_component_subjects(observed.not_judged),
        cloud_budget=observed.cloud_budget,
        budget_doubts=observed.budget_doubts,
        budget_words=observed.budget_words,
        notes=tuple(note for each in accepts for note in each.guard_notes(stack, resources)),
        disk_loss_notes=tuple(
            note for each in accepts for note in each.disk_loss_notes(stack, resources)
        ),
    )


def _networks(stack: Stack, plan: Plan, shared: Sequence[Item]) -> tuple[SharedNetwork, ...]:
    if not stack.shares_network:
        return ()
    from gpuinfra.planning.shared_networks import networks  # noqa: PLC0415  (few stacks share one)

    return tuple(networks(stack, plan, shared))


def costs_of(stack: Stack, group: Group | None) -> tuple[Item, ...]:
    """Return a workload's billed items other than machines, on its first rung."""
    if group is None:
        return ()
    return provider_of(group.cloud).observe.observe(workload_rows(stack, group), Usage()).items


def workload_rows(stack: Stack, group: Group) -> tuple[Resource, ...]:
    """Return the declared resources of one workload on its active rung, as observable rows."""
    return rows(workload_graph(stack, group))


def observed_usage(usage: Usage) -> Usage:
    """Return the usage of workloads and buckets, by the names of their resources."""
    return Usage(
        hours=_rename_keys(usage.hours, group_resource),
        ends_after=_rename_keys(usage.ends_after, group_resource),
        expected=_rename_keys(usage.expected, group_resource),
        runs=_rename_keys(usage.runs, group_resource),
        gigabytes=_rename_keys(usage.gigabytes, bucket_resource),
        versions=_rename_keys(usage.versions, bucket_resource),
        checkpoints=_rename_keys(usage.checkpoints, group_resource),
        checkpoint_writes=_rename_keys(usage.checkpoint_writes, group_resource),
        purpose=_rename_keys(usage.purpose, group_resource),
        nvlink=_rename_keys(usage.nvlink, group_resource),
        fabric=_rename_keys(usage.fabric, group_resource),
        reads=_rename_keys(usage.reads, bucket_resource),
        writes=_rename_keys(usage.writes, bucket_resource),
        data=usage.data,
    )


def _rename_keys(values: Mapping[str, Any], rename: Callable[[str], str]) -> dict[str, Any]:
    return {rename(name): value for name, value in values.items()}


class _StackNames:
    """The names of resource rows in a stack file."""

    def __init__(
        self, stack: Stack, graph: ResourceGraph, shown: Iterable[Resource], plan: Plan
    ) -> None:
        self.works = stack.workloads
        self.keys = {
            **{name: f"training.{name}" for name in stack.training},
            **{name: f"pool.{name}" for name in stack.inference},
        }
        self.graph = graph
        self.plan = plan
        self.resources = dict(
            zip((resource.urn for resource in shown), graph.resources.values(), strict=True)
        )
        self.places = {urn: place for place, urn in enumerate(self.resources)}
        self.workloads = {group_resource(group.name): group.name for group in plan.groups}
        self.buckets = {
            bucket_resource(known_name): known_name
            for key in graph.resources
            if key.startswith("bucket.") and "/" not in key
            for name in (key.partition(".")[2],)
            for known_name in (name, replica_name(name), logs_name(name))
        }

    def component(self, urn: str) -> tuple[str, str]:
        """Return the kind and name of a resource's component; empty for the stack."""
        resource = self.resources.get(urn)
        key = ROOT_KEY if resource is None else resource.key
        kind, _, name = key.partition("/")[0].partition(".")
        return (kind, name) if kind in KINDS else ("", "")

    def subject(self, urn: str) -> str:
        """Return a resource's name in messages: its component's path in the stack file."""
        kind, name = self.component(urn)
        return f"{KINDS[kind]}.{name}" if kind else self.plan.name

    def with_component_subject(self, row: Row) -> Row:
        """Return a row whose subject is the component that declares it."""
        new_values = {"subject": self.subject(row.subject)}  # type: ignore[attr-defined]
        if "name" in {field.name for field in fields(row)}:  # type: ignore[arg-type]
            new_values["name"] = new_values["subject"].rpartition(".")[2]
        return replace(row, **new_values)  # type: ignore[type-var]

    def with_component_subjects(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Return rows whose subjects are the components that declare them."""
        return tuple(map(self.with_component_subject, rows))

    def groups(self, observed: Iterable[Group]) -> Iterator[Group]:
        """Yield the planned workloads in order, then machines that belong to none of them."""
        rest = {group.name: group for group in observed}
        for planned in self.plan.groups:
            yield self.group(rest.pop(group_resource(planned.name)), planned)
        for group in rest.values():
            yield replace(group, subject=self.subject(group.subject))

    def group(self, observed: Group, planned: Group) -> Group:
        """Return a workload's machines as declared, with the choices of the plan.

        What an image holds, and what the stack's own functions do once they are called, is in no
        resource, and stays what the tables and the stack file say of it. A fabric that has to be
        there and is in no resource stays a wish.
        """
        fabric, choice = observed.fabric, planned.fabric
        if fabric is not None and choice is not None:
            fabric = replace(
                fabric, requirement=choice.requirement, driver_image=choice.driver_image
            )
        is_fabric_lost = fabric is None and choice is not None and choice.requirement == "required"
        rungs = list(planned.rungs)
        rungs[planned.active_rung] = _rung(planned.rung, observed.rung)
        return replace(
            observed,
            rungs=tuple(rungs),
            fabric=fabric,
            machines=observed.machines if len(observed.machines) > 1 else (),
            faults=(
                *observed.faults,
                *image_and_reservation_problems(
                    planned,
                    observed.rung,
                    self.works[planned.name],
                    declared_image(self.graph, self.keys[planned.name]),
                ),
                *container_faults(self.works[planned.name]),
            ),
            market=replace(observed.market, usage_classes=planned.market.usage_classes),
            lifecycle=replace(
                observed.lifecycle,
                ends=_observed_or_planned(planned.lifecycle.ends, observed.lifecycle.ends),
                stops_idle=_observed_or_planned(
                    planned.lifecycle.stops_idle, observed.lifecycle.stops_idle
                ),
            ),
            needs=replace(planned.needs, fabric="required") if is_fabric_lost else planned.needs,
            safety=replace(
                observed.safety, secrets=planned.safety.secrets or observed.safety.secrets
            ),
            **{name: getattr(planned, name) for name in _PLANNED_FIELDS},
        )

    def item(self, item: Item) -> Item:
        """Return an item in terms of the file; it has the region of its workload's active rung."""
        kind, name = self.component(item.subject)
        worded = replace(self.with_component_subject(item), resource="")
        if kind == "bucket":
            return replace(worded, name=self.buckets.get(item.name, name))
        if self.is_shared(item):
            return replace(worded, group=None)
        workload = name or self._watched_workload(item)
        return replace(worded, group=workload, region=None if workload else item.region)

    def is_shared(self, item: Item) -> bool:
        """Return whether an item is of a network that workloads share."""
        resource = self.resources.get(item.subject)
        return resource is not None and resource.key.startswith(f"{ROOT_KEY}/network.")

    def _watched_workload(self, item: Item) -> str | None:
        """Return the only workload that a resource refers to, else the first of its component."""
        resource = self.resources.get(item.subject)
        keys = () if resource is None else references(resource)
        workload_names = {key.partition("/")[0].partition(".")[2] for key in keys}
        groups = [
            group.name
            for group in self.plan.groups
            if group.cloud == item.cloud and item.region in {group.rung.region, NOWHERE}
        ]
        watched = [name for name in groups if name in workload_names]
        return watched[0] if len(watched) == 1 else next(iter(groups), None)

    def file_system(self, files: FileSystem) -> FileSystem:
        """Return a file system as part of its workload."""
        subject = f"{self.subject(files.subject)}.shared_storage"
        group = None if files.group is None else self.workloads[files.group]
        return replace(files, subject=subject, group=group)

    def bucket_position(self, row: Bucket) -> int:
        """Return the position of a resource in the order of the stack file."""
        return self.places[row.subject]

    def renamed_bucket(self, bucket: Bucket) -> Bucket:
        """Return a bucket, its replica or its log bucket, under the name in the file."""
        return replace(self.with_component_subject(bucket), name=self.buckets[bucket.name])
