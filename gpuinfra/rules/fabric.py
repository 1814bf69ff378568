"""The functions that fabric rules share, for example to find the groups that they apply to."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations
from typing import Any, Final

from gpuinfra.clouds import title
from gpuinfra.clouds.observed_rules import judges
from gpuinfra.model import Fabric, FabricFirewall, Group, Known, Unknown
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import (
    Check,
    FactMessages,
    Finding,
    RuleInput,
    fact,
    fine,
    not_applicable,
    settings_hint,
    violated,
)
from gpuinfra.urns import type_of


def judge_fabrics(
    rule_input: RuleInput, check: Callable[[Group, Fabric], Finding]
) -> Iterator[Finding]:
    """Judge each group that requests a fabric."""
    with_fabric = [
        (group, group.fabric)
        for group in rule_input.plan.groups
        if group.fabric is not None and not _is_placed_only(group, group.fabric)
    ]
    if not with_fabric:
        yield not_applicable(rule_input.plan.name, "no group has a fabric")
    for group, fabric in with_fabric:
        yield check(group, fabric)


def _is_placed_only(group: Group, fabric: Fabric) -> bool:
    """Return whether machines that work alone are placed close together, without interfaces."""
    return group.needs.fabric == "none" and fabric.interfaces == 0


MULTI_NODE_SPEED: Final = 400
"""The fabric speed in Gbit/s from which machines are meant for multi-node training:
https://aws.amazon.com/ec2/instance-types/p4/. Smaller ones mostly serve."""


_Kind = tuple[str, str, tuple[str, ...], str | Unknown | None]
"""The common properties of the single machines of one cluster: cloud, region, types, placement.

The placement is a strategy or, without types, the name of a placement group."""


_GroupingKey = tuple[str, str | None, _Kind]
"""The same properties, with the purpose of the machines and their need of a fabric."""

LoneMachines = Counter[_GroupingKey]
"""The number of single machines of each kind."""


def kind_of(group: Group) -> _Kind:
    """Return the properties that single machines of one cluster have in common."""
    placement = None if group.fabric is None else group.fabric.placement
    types = group.machines or (group.rung.machine,)
    return group.cloud, group.rung.region, types, placement


def clusters(groups: Iterable[Group]) -> dict[_Kind, list[Group]]:
    """Return single machines that have a fabric, for example made in a loop, by cluster."""
    by_kind: dict[_Kind, list[Group]] = {}
    for group in groups:
        if is_alone(group):
            by_kind.setdefault(kind_of(group), []).append(group)
    return by_kind


def training_groups(groups: Iterable[Group]) -> Iterator[tuple[Group, ...]]:
    """Yield groups that train together: one of several machines, or a cluster of single ones."""
    listed = tuple(groups)
    yield from ((group,) for group in listed if _is_joined(group) and group.maximum != 1)
    yield from map(tuple, clusters(listed).values())


def whose_machines(together: tuple[Group, ...]) -> str:
    """Return a phrase for the machines of one group, or of several resources."""
    return f"it and {len(together) - 1} more" if together[1:] else "its machines"


def separation_fix(together: tuple[Group, ...], fix: str) -> str:
    """Return the fix for machines that are not together, which may not be one cluster."""
    if not together[1:]:
        return fix
    hint = settings_hint(together[0].name, "fabric: none")
    return f"{fix}; if each machine works alone, set {hint}"


def is_alone(group: Group) -> bool:
    """Return whether a group is one machine of resources that may be part of a larger cluster."""
    may_be_in_cluster = is_of_resources(group) and group.purpose != "inference"
    return may_be_in_cluster and group.maximum == 1 and _is_joined(group)


def _is_joined(group: Group) -> bool:
    return group.fabric is not None and group.needs.fabric != "none"


def groups_without_fabric(rule_input: RuleInput, lone: LoneMachines) -> tuple[Group, ...]:
    """Return the groups of resources that need a fabric and declare none.

    The settings say that they need one, or that they train, on several machines that are sold to
    train together; or nothing is said of such machines. Where each machine trains alone, the
    settings say `fabric: none`.
    """
    return tuple(
        group
        for group in rule_input.plan.groups
        if group.fabric is None
        and (
            group.needs.fabric == "required"
            or _trains_together(rule_input, group, lone)
            or may_train_together(rule_input, group, lone)
        )
    )


def may_train_together(rule_input: RuleInput, group: Group, lone: LoneMachines) -> bool:
    """Return whether machines sold for joint training show no fabric, without a stated reason."""
    is_fabric_unstated = group.purpose == "unknown" and group.needs.fabric is None
    is_bare_cluster = (
        is_fabric_unstated and group.fabric is None and is_made_for_clusters(rule_input, group)
    )
    return is_bare_cluster and _are_several(group, lone)


def _trains_together(rule_input: RuleInput, group: Group, lone: LoneMachines) -> bool:
    is_training = group.purpose == "training" and group.needs.fabric != "none"
    return is_training and is_made_for_clusters(rule_input, group) and _are_several(group, lone)


def lone_machines(rule_input: RuleInput) -> LoneMachines:
    """Count the single machines with the same properties, as a loop of a program makes them.

    Machines that are made for clusters and name the same placement group count together, also
    where their types differ.
    """
    return Counter(
        key
        for group in rule_input.plan.groups
        if group.maximum == 1 and is_of_resources(group) and not _is_kept(group)
        for key in _grouping_keys(group, placed=is_made_for_clusters(rule_input, group))
    )


def _grouping_keys(group: Group, *, placed: bool = True) -> Iterator[_GroupingKey]:
    yield group.purpose, group.needs.fabric, kind_of(group)
    name = group.rung.placement_group
    if placed and name is not None:
        yield group.purpose, group.needs.fabric, (group.cloud, group.rung.region, (), name)


def _are_several(group: Group, lone: LoneMachines) -> bool:
    """Return whether resources show several machines, in one group or one by one as in a loop."""
    if not is_of_resources(group) or _is_kept(group):
        return False
    return group.maximum != 1 or any(lone[key] > 1 for key in _grouping_keys(group))


def _is_kept(group: Group) -> bool:
    """Return whether the group is a reservation, which holds capacity and runs nothing itself."""
    return type_of(group.subject).endswith("Reservation")


def is_of_resources(group: Group) -> bool:
    """Return whether a group is of Pulumi resources, not of a stack file: its subject is a URN."""
    return group.subject.startswith("urn:")


def is_made_for_clusters(rule_input: RuleInput, group: Group) -> bool:
    """Return whether any machine type of a group is made for training on several machines."""
    return any(
        machine_type is not None and (machine_type.fabric_gbps or 0) >= MULTI_NODE_SPEED
        for machine_type in rule_input.machine_types(group)
    )


def fabric_fact_check(read: Callable[[Fabric], Known], **fact_messages: str) -> Check:
    """Return the check of one fact of each declared fabric; `fact_messages` are `FactMessages`."""
    messages = FactMessages(**fact_messages)
    return lambda rule_input, _: judge_fabrics(
        rule_input, lambda group, fabric: fact(group.subject, read(fabric), messages)
    )


def fabric_direction_check(
    direction: str,
    read: Callable[[Fabric], Known | None],
    peers: Callable[[FabricFirewall], frozenset[str]],
    **fact_messages: str,
) -> Check:
    """Return the check of one traffic direction of every fabric, and of machines of several.

    Args:
        direction: the direction in words.
        read: whether a fabric's firewall is open to its own group; None: no firewall applies.
        peers: the security groups that one of them may let everything pass from, or to.
        fact_messages: the messages of `FactMessages`.
    """

    def judge(group: Group, fabric: Fabric) -> Finding:
        is_open = read(fabric)
        if is_open is None:
            return fine(group.subject, "no firewall applies between its interfaces")
        return fact(group.subject, is_open, FactMessages(**fact_messages))

    def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
        yield from judge_fabrics(rule_input, judge)
        for together in training_groups(rule_input.plan.groups):
            firewalls = {
                fabric_firewall
                for group in together
                if group.fabric
                for fabric_firewall in group.fabric.firewalls
            }
            if any(
                peers(firewall).isdisjoint(other.groups)
                for firewall, other in permutations(firewalls, 2)
            ):
                yield violated(
                    together[0].subject,
                    f"{whose_machines(together)} are in security groups that do not allow "
                    f"{direction} traffic from one to the other",
                    fix=separation_fix(together, "put the machines in one security group"),
                )

    return check


def faults_check(rule: str, nothing: str, **fault_messages: str) -> Check:
    """Return a check that reports a rule's faults; `nothing` is what a cloud without it does."""

    def judge(group: Group, fabric: Fabric) -> Finding:
        if not judges(group.cloud, rule):
            return not_applicable(group.subject, f"{title(group.cloud)} {nothing}")
        return judge_rule_faults(
            group.subject, fabric.faults, rule, FactMessages(**fault_messages)
        )

    return lambda rule_input, _: judge_fabrics(rule_input, judge)
