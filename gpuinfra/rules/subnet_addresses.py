"""The subnet of a group holds an address for every interface of all its machines."""

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    each_group,
    fine,
    not_applicable,
    not_knowable,
    row_check,
    violated,
)


def _group(group: Group) -> Finding:
    if group.addresses is None:
        return not_applicable(group.subject, "its subnets are not in this stack")
    if isinstance(group.addresses, Unknown):
        return not_knowable(group.subject, "its subnets are not known yet")
    needed_addresses, free = group.addresses
    if needed_addresses > free:
        return violated(
            group.subject,
            f"its machines need {needed_addresses:,} addresses; its subnets have {free:,}",
        )
    return fine(
        group.subject,
        f"its subnets have {free:,} addresses; its machines need {needed_addresses:,}",
    )


RULE = Rule(
    id="subnet-addresses",
    family="hygiene",
    title="Subnets have an address for every interface",
    why="Without a free address the launch fails (InsufficientFreeAddressesInSubnet).",
    fix="use larger subnets, or declare interfaces without an address: efa-only",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    check=row_check(each_group, _group),
    alone=True,
)
