"""Instructions for logging in to the machines of a deployed stack."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuinfra.clouds import provider_of
from gpuinfra.model import Group
from gpuinfra.report.rule_address import site


def login_instructions(groups: Iterable[Group], outputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each workload: its machine group and login command; then the docs page.

    Args:
        groups: of the plan.
        outputs: of the stack; a workload without a group of machines among them is left out.
    """
    is_first_shown = False
    for group in groups:
        group_name = _group_output(outputs, group.name)
        if group_name:
            is_first_shown = True
            login = provider_of(group.cloud).login
            zone = group.rung.zones[0] if len(group.rung.zones) == 1 else "ZONE"
            yield f"{group.name}: machines of {group_name}; {login.format(zone=zone)}"
    if is_first_shown:
        page = f"{site()}/how-to/log-in.html" if site() else "docs/how-to/log-in.md"
        yield f"how to find and reach a machine: {page}"


def _group_output(outputs: Mapping[str, Any], name: str) -> str:
    """Return the group, scale set or fleet of a workload; empty if no output names it."""
    for section in ("training", "inference"):
        workloads = outputs.get(section)
        workload = workloads.get(name) if isinstance(workloads, Mapping) else None
        if isinstance(workload, Mapping) and workload.get("groupName"):
            return str(workload["groupName"])
    return ""
