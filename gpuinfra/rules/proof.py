"""The fabric proof: NCCL over RDMA, yes or no, because of what is declared, and what to change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal

from gpuinfra.model import UNKNOWN, Group, Plan
from gpuinfra.rules import (
    fabric_capable,
    fabric_interfaces,
    fabric_one_zone,
    fabric_placement,
    fabric_public_ip,
    fabric_self_traffic,
)
from gpuinfra.rules.judging import look, run
from gpuinfra.rules.rule import Finding, Judged

Answer = Literal["yes", "no", "not knowable yet"]

PARTS: Final = (
    fabric_capable.RULE,
    fabric_interfaces.RULE,
    fabric_one_zone.RULE,
    fabric_placement.RULE,
    fabric_self_traffic.RULE,
    fabric_public_ip.RULE,
)
_OVER: Final = {"gpudirect-tcpx": "GPUDirect-TCPX", "gpudirect-tcpxo": "GPUDirect-TCPXO"}
"""Fabrics that reach a GPU's memory over TCP, which is no RDMA, by the kind of the machine."""

_NO_FABRIC: Final = "no fabric interface is declared"
_ASK: Final = "ask for it (fabric: required) on machines that have fabric interfaces"
_NO_DRIVER: Final = "its image has no fabric driver"
_USE_DRIVER: Final = "use an image with the fabric's driver and NCCL plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The answer for one group: reasons for it, what to change, and what nobody knows.

    `over` is what NCCL would run over: RDMA, or on some machines GPUDirect over TCP.
    """

    name: str
    subject: str
    answer: Answer
    because: tuple[str, ...]
    change: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    over: str = "RDMA"

    def __str__(self) -> str:
        change = f"; change: {'; '.join(self.change)}" if self.change else ""
        unknown = f"; not known: {', '.join(self.unknown)}" if self.unknown else ""
        reasons = ", ".join(self.because)
        answer = f"{self.name}: NCCL over {self.over}: {self.answer}"
        return f"{answer}, because {reasons}{change}{unknown}"


def fabric_verdict(plan: Plan) -> tuple[Proof, ...]:
    """Return one answer for each group whose machines train together."""
    judged = look(plan, None, date.min)
    return tuple(_prove(judged, group) for group in plan.groups if _trains_together(group))


def _trains_together(group: Group) -> bool:
    several = group.maximum != 1
    return several and (group.purpose == "training" or group.fabric is not None)


def _prove(judged: Judged, group: Group) -> Proof:
    if group.fabric is None:
        return Proof(
            name=group.name,
            subject=group.subject,
            answer="no",
            because=tuple(_incapable(judged, group)) or (_NO_FABRIC,),
            change=(_ASK,),
        )
    over = _over(judged, group)
    alone = replace(judged, plan=replace(judged.plan, groups=(group,)))
    findings = list(run(PARTS, alone, {}))
    wrong = [finding for finding in findings if finding.outcome == "violated"]
    hidden = tuple(one.message for one in findings if one.outcome == "not-knowable")
    good = [finding.message for finding in findings if finding.outcome == "fine"]
    if group.fabric.driver_image is True:
        good.append("driver image")
    image = group.fabric.driver_image
    unsure = ("whether its image has the driver and the NCCL plugin",) if image is UNKNOWN else ()
    if wrong or image is False:
        return Proof(
            name=group.name,
            subject=group.subject,
            answer="no",
            because=(*_messages(wrong), *((_NO_DRIVER,) if image is False else ())),
            change=(
                *dict.fromkeys(finding.fix for finding in wrong),
                *((_USE_DRIVER,) if image is False else ()),
            ),
            unknown=hidden,
            over=over,
        )
    if hidden:
        return Proof(
            name=group.name,
            subject=group.subject,
            answer="not knowable yet",
            because=hidden,
            over=over,
        )
    return Proof(
        name=group.name,
        subject=group.subject,
        answer="yes",
        because=tuple(good),
        unknown=unsure,
        over=over,
    )


def _over(judged: Judged, group: Group) -> str:
    kinds = {machine.fabric for machine in judged.machine_types(group) if machine is not None}
    return next((_OVER[kind] for kind in kinds if kind in _OVER), "RDMA")


def _messages(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.message for finding in findings)


def _incapable(judged: Judged, group: Group) -> Iterator[str]:
    names = group.machines or (group.rung.machine,)
    for name, machine in zip(names, judged.machine_types(group), strict=True):
        if machine is not None and machine.fabric_interfaces == 0:
            yield f"{name} has no interface for a fabric"
