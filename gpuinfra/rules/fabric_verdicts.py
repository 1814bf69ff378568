"""The fabric verdict: whether collectives use RDMA, why, and what to change."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, Literal

from gpuinfra.catalog.gpus import family_of
from gpuinfra.model import Group, Machine, Plan
from gpuinfra.records import record
from gpuinfra.rules import (
    fabric_capable,
    fabric_driver,
    fabric_facts,
    fabric_interfaces,
    fabric_networks,
    fabric_one_type,
    fabric_one_zone,
    fabric_placement,
)
from gpuinfra.rules.fabric import (
    clusters,
    is_alone,
    is_made_for_clusters,
    is_of_resources,
    kind_of,
)
from gpuinfra.rules.rule import RuleInput
from gpuinfra.rules.rule_runner import judge_input, run

Answer = Literal["yes", "no", "not knowable yet"]

PARTS: Final = (
    fabric_capable.RULE,
    fabric_interfaces.RULE,
    fabric_facts.FABRIC_CARDS,
    fabric_networks.RULE,
    fabric_one_type.RULE,
    fabric_one_zone.RULE,
    fabric_placement.RULE,
    fabric_facts.FABRIC_SCALE_SET,
    fabric_facts.FABRIC_SELF_INGRESS,
    fabric_facts.FABRIC_SELF_EGRESS,
    fabric_facts.FABRIC_PUBLIC_IP,
    fabric_driver.RULE,
)
"""The rules of the family that a proof runs, in the order of a report."""

_OVER: Final = {"gpudirect-tcpx": "GPUDirect-TCPX", "gpudirect-tcpxo": "GPUDirect-TCPXO"}
"""Fabrics that reach a GPU's memory over TCP, which is no RDMA, by the kind of the machine."""

_BITS: Final = 8
"""In a byte: fabrics are sold in Gbit/s, and all-reduce is measured in GB/s."""

_NO_FABRIC: Final = (
    "no fabric interface is declared",
    "none if TCP is enough; else fabric: required on a type with a fabric in gpuinfra catalog ls",
)
_UNDECLARED_INTERFACE: Final = (
    "no fabric interface is declared",
    "declare the fabric interfaces of its machine type",
)
"""The same for a group that is read from resources."""

_SEPARATE_MACHINES: Final = {
    "infiniband": (
        "its scale set has several placement groups, and InfiniBand connects only one",
        "set singlePlacementGroup true and overprovision false on one uniform scale set",
    )
}
"""Why machines with fabric interfaces have no fabric, and the fix, by the kind of fabric.

Every machine has its InfiniBand, and no resource ever declares it:
https://learn.microsoft.com/azure/virtual-machines/extensions/enable-infiniband
"""


@record
class FabricVerdict:
    """The answer for one group, with its reasons, the changes to make, and the unknowns.

    `library` is what exchanges data between the accelerators, NCCL for example; empty if unknown.
    `transport` is what it would run over: RDMA, EFA where the table of accelerators says so, or
    on some machines GPUDirect over TCP.
    `expected_gbs` is the line rate of the interfaces that a machine declares, in GB/s and each
    way; None where no table knows it. `source` is where that figure comes from, with its date.
    """

    name: str
    subject: str
    answer: Answer
    reasons: tuple[str, ...]
    changes: tuple[str, ...] = ()
    unknown_facts: tuple[str, ...] = ()
    library: str = "NCCL"
    transport: str = "RDMA"
    expected_gbs: Decimal | None = None
    source: str = ""

    @property
    def is_chosen(self) -> bool:
        """Whether the stack file chooses "no", with `fabric: none`: there is nothing to change."""
        return self.answer == "no" and not self.changes

    @property
    def answer_text(self) -> str:
        """The answer with its transport: `NCCL over RDMA: yes`."""
        choice_note = ", as chosen (fabric: none)" if self.is_chosen else ""
        path = (
            f"{self.library} over {self.transport}"
            if self.library
            else f"{self.transport} between machines"
        )
        return f"{path}: {self.answer}{choice_note}"

    @property
    def speed_text(self) -> str:
        """The line rate, which is expected where the answer is "yes"; empty if unknown."""
        if self.expected_gbs is None:
            return ""
        limit_word = "expected" if self.answer == "yes" else "at most"
        return f"{limit_word} {self.expected_gbs.normalize():f} GB/s per machine"

    def changes_text(self, shown_fixes: Collection[str] = ()) -> str:
        """The changes to make, without those that are shown as fixes of findings."""
        changes = [change for change in self.changes if change not in shown_fixes]
        return f"change: {'; '.join(changes)}" if changes else ""

    def details(self, shown_fixes: Collection[str] = ()) -> str:
        """The whole answer, without the changes that are shown as fixes of findings."""
        parts = (
            f"{self.name}: {self.answer_text}, because {', '.join(self.reasons)}",
            f"{self.speed_text} ({self.source})" if self.speed_text else "",
            self.changes_text(shown_fixes),
            f"unknown: {', '.join(self.unknown_facts)}" if self.unknown_facts else "",
        )
        return "; ".join(part for part in parts if part)

    def __str__(self) -> str:
        return self.details()


def fabric_verdict(plan: Plan) -> tuple[FabricVerdict, ...]:
    """Return one answer for each group whose machines train together."""
    rule_input = judge_input(plan, None, date.min)
    lone_machines = clusters(plan.groups)
    proofs: list[FabricVerdict] = []
    for group in plan.groups:
        together = lone_machines.get(kind_of(group), [group]) if is_alone(group) else [group]
        if together[0] is group and (together[1:] or _trains_together(rule_input, group)):
            proofs.append(_fabric_answer(rule_input, together))
    return tuple(proofs)


def _trains_together(rule_input: RuleInput, group: Group) -> bool:
    if group.maximum == 1:
        return False
    if group.purpose == "training" or group.fabric is not None:
        return True
    return group.purpose == "unknown" and is_made_for_clusters(rule_input, group)


def _fabric_answer(rule_input: RuleInput, together: Sequence[Group]) -> FabricVerdict:
    """Return the answer for one group, or for single machines that form one cluster."""
    group, *other_groups = together
    name = f"{group.name} and {len(other_groups)} more" if other_groups else group.name
    if group.fabric is None:
        reason, change = _missing_fabric(rule_input, group)
        return FabricVerdict(
            name=name,
            subject=group.subject,
            library=_library(rule_input, group),
            transport=_transport(rule_input, group),
            answer="no",
            reasons=tuple(_missing_fabric_reasons(rule_input, group)) or (reason,),
            changes=() if _declines_fabric(group) else (change,),
        )
    groups_alone = replace(rule_input, plan=replace(rule_input.plan, groups=tuple(together)))
    findings = list(run(PARTS, groups_alone, {}))
    wrong = [finding for finding in findings if finding.outcome == "violated"]
    unknown_findings = [finding for finding in findings if finding.outcome == "not-knowable"]
    stops = [finding for finding in unknown_findings if finding.level == "mandatory"]
    good = [finding for finding in findings if finding.outcome == "fine"]
    answer: Answer = "no" if wrong else "not knowable yet" if stops else "yes"
    deciding = wrong or stops or good
    gbs, source = _rate(rule_input, group)
    return FabricVerdict(
        name=name,
        subject=group.subject,
        answer=answer,
        reasons=tuple(dict.fromkeys(finding.message for finding in deciding)),
        changes=tuple(dict.fromkeys(finding.fix for finding in wrong)),
        unknown_facts=tuple(
            dict.fromkeys(
                finding.message for finding in unknown_findings if finding not in deciding
            )
        ),
        library=_library(rule_input, group),
        transport=_transport(rule_input, group),
        expected_gbs=gbs,
        source=source,
    )


def _library(rule_input: RuleInput, group: Group) -> str:
    """Return the library of collectives of a group's accelerators; empty where one is unknown."""
    families = map(family_of, rule_input.machine_types(group))
    libraries = dict.fromkeys(family.collectives if family else "" for family in families)
    return " and ".join(libraries) if all(libraries) else ""


def _transport(rule_input: RuleInput, group: Group) -> str:
    """Return what the collectives of a group would run over."""
    by_kind = (_OVER[kind] for kind in _kinds(rule_input, group) if kind in _OVER)
    families = map(family_of, rule_input.machine_types(group))
    by_family = (family.transport for family in families if family and family.transport)
    return (*by_kind, *by_family, "RDMA")[0]


def _declines_fabric(group: Group) -> bool:
    """Return whether a stack file declines a fabric with `fabric: none`."""
    return group.needs.fabric == "none" and not is_of_resources(group)


def _missing_fabric(rule_input: RuleInput, group: Group) -> tuple[str, str]:
    """Return why machines have no fabric, and what to change."""
    kinds = () if any(_missing_fabric_reasons(rule_input, group)) else _kinds(rule_input, group)
    otherwise = _UNDECLARED_INTERFACE if kinds and is_of_resources(group) else _NO_FABRIC
    return next(
        (_SEPARATE_MACHINES[kind] for kind in kinds if kind in _SEPARATE_MACHINES), otherwise
    )


def _rate(rule_input: RuleInput, group: Group) -> tuple[Decimal | None, str]:
    """Return the lowest line rate that a machine declares, and the source of the figure."""
    machine_rates = [_line_rate(group, machine) for machine in rule_input.machine_types(group)]
    known_rates = [rate for rate in machine_rates if rate is not None]
    if len(known_rates) < len(machine_rates):
        return None, ""
    gbs, machine = min(known_rates, key=lambda rate: rate[0])
    return gbs, f"{machine.source}, {machine.as_of}"


def _line_rate(group: Group, machine: Machine | None) -> tuple[Decimal, Machine] | None:
    if machine is None or machine.fabric_gbps is None or not machine.fabric_interfaces:
        return None
    interfaces = None if group.fabric is None else group.fabric.interfaces
    if not isinstance(interfaces, int):
        return None
    share = Decimal(min(interfaces, machine.fabric_interfaces)) / machine.fabric_interfaces
    return machine.fabric_gbps / _BITS * share, machine


def _kinds(rule_input: RuleInput, group: Group) -> Iterable[str | None]:
    """Return the fabric kinds of a group's machines, without duplicates, in machine order."""
    known_machines = (
        machine for machine in rule_input.machine_types(group) if machine is not None
    )
    return dict.fromkeys(machine.fabric for machine in known_machines)


def _missing_fabric_reasons(rule_input: RuleInput, group: Group) -> Iterator[str]:
    for name, machine in rule_input.named_machines(group):
        if machine is not None and machine.fabric_interfaces == 0:
            yield f"{name} has no fabric interface"
