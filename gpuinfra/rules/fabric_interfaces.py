"""Every fabric interface of a machine is declared, where the machine takes it."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.model import Fabric, Group, Unknown
from gpuinfra.rules.fabric import of_fabrics
from gpuinfra.rules.rule import Finding, Judged, Rule, fine, not_knowable, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare what is declared with what each machine type has."""
    return of_fabrics(judged, lambda group, fabric: _group(judged, group, fabric))


def _group(judged: Judged, group: Group, fabric: Fabric) -> Finding:
    if fabric.faults:
        return violated(group.subject, "; ".join(fabric.faults))
    if isinstance(fabric.interfaces, Unknown):
        return not_knowable(group.subject, "its interfaces are not known yet")
    machines = judged.machine_types(group)
    known = [machine for machine in machines if machine is not None]
    if len(known) < len(machines) or any(one.fabric_interfaces is None for one in known):
        return not_knowable(group.subject, "no table knows how many interfaces the machine has")
    for machine in known:
        if fabric.interfaces != machine.fabric_interfaces:
            return violated(
                group.subject,
                f"{fabric.interfaces} of {machine.fabric_interfaces} interfaces of "
                f"{machine.type} are declared",
                fix=f"declare {machine.fabric_interfaces} fabric interfaces",
            )
    return fine(group.subject, f"{fabric.interfaces} of {fabric.interfaces} interfaces declared")


RULE = Rule(
    id="fabric-interfaces",
    family="fabric",
    title="Every fabric interface is declared",
    why="Each missing interface takes its share of the bandwidth: 1 of 4 gives a quarter.",
    fix="declare every interface as the machine has it: one EFA interface per card (AWS), all "
    "GVNIC and RoCE interfaces (Google Cloud); on Azure one scale set brings them all",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    check=check,
    alone=True,
)
