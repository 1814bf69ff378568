"""The share of GPUs on spot stays between two limits."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    Setting,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.spot_machines import spot_machine_count
from gpuinfra.units import format_share


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare spot GPUs with all GPUs on the active rung, with pools at their maximum."""
    subject = rule_input.plan.name
    minimum, maximum = settings["minimum"], settings["maximum"]
    if minimum is None and maximum is None:
        yield not_applicable(subject, "no limit is set")
        return
    spot, total = Decimal(0), Decimal(0)
    for group in rule_input.plan.groups:
        gpu_counts = _gpus(rule_input, group)
        if isinstance(gpu_counts, str):
            yield not_knowable(subject, f"{group.name}: {gpu_counts}")
            return
        spot, total = spot + gpu_counts[0], total + gpu_counts[1]
    if total == 0:
        yield not_applicable(subject, "no GPUs")
        return
    share = spot / total
    statement = f"{spot.normalize():f} of {total.normalize():f} GPUs on spot"
    if minimum is not None and share < minimum:
        yield violated(subject, f"{statement}, below the minimum of {format_share(minimum)}")
    elif maximum is not None and share > maximum:
        yield violated(subject, f"{statement}, above the maximum of {format_share(maximum)}")
    else:
        yield fine(subject, statement)


def _gpus(rule_input: RuleInput, group: Group) -> tuple[Decimal, Decimal] | str:
    """Return the spot GPUs and all GPUs of a group, or a message about the missing figure."""
    gpus_per_machine = rule_input.gpus_each(group)
    if gpus_per_machine is None:
        unknown = (name for name, machine in rule_input.named_machines(group) if machine is None)
        return f"the number of GPUs of {', '.join(unknown)} is unknown"
    if isinstance(group.maximum, Unknown):
        return "its number of machines is not known yet"
    return spot_machine_count(
        group, group.maximum
    ) * gpus_per_machine, group.maximum * gpus_per_machine


RULE = Rule(
    id="spot-share",
    family="spot",
    title="The share of GPUs on spot stays within the limits",
    why="Too few GPUs on spot cost more than needed; too many risk an outage.",
    fix="run more or fewer of the machines on spot, or change the limits of this rule",
    stack_file_fix="change the capacity of a workload, or the limits of this rule",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-best-practices.html",
    check=check,
    path=("rules", "spot-share"),
    settings=(
        Setting(name="minimum", kind="share", default=None, why="minimum share on spot"),
        Setting(name="maximum", kind="share", default=None, why="maximum share on spot"),
    ),
)
