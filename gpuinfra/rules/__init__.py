"""The rules: each judges a plan and its quote, whichever way the plan came to be."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuinfra.cost import Quote
from gpuinfra.errors import Problem
from gpuinfra.model import Plan
from gpuinfra.planning.collection import paused
from gpuinfra.rules import (
    administrator_role,
    bucket_encrypted,
    bucket_private,
    bucket_tls,
    bucket_versioned_expiry,
    cap_per_hour,
    cap_per_month,
    cap_per_run,
    capacity_block,
    disk_encrypted,
    disk_limits,
    fabric_capable,
    fabric_interfaces,
    fabric_one_zone,
    fabric_placement,
    fabric_public_ip,
    fabric_self_traffic,
    gpu_maintenance,
    judging,
    launch_settings,
    long_lived_key,
    metadata_v2,
    no_cap,
    nvlink,
    open_login,
    price_outdated,
    price_unknown,
    public_address,
    scaling_settings,
    shared_storage_settings,
    shared_storage_zone,
    spot_allocation,
    spot_checkpoints,
    spot_interruptible,
    spot_settings,
    spot_share,
    storage_speed,
    subnet_addresses,
)
from gpuinfra.rules import settings as forms
from gpuinfra.rules.judging import Verdict
from gpuinfra.rules.proof import Proof, fabric_verdict
from gpuinfra.rules.rule import Finding, Judged, Locked, Rule, Setting
from gpuinfra.rules.waivers import Names, Waiver, own_names

__all__ = [
    "RULES",
    "Finding",
    "Judged",
    "Locked",
    "Proof",
    "Rule",
    "Setting",
    "Verdict",
    "Waiver",
    "fabric_verdict",
    "judge",
    "settings_problems",
]

RULES: Final[tuple[Rule, ...]] = (
    no_cap.RULE,
    cap_per_hour.RULE,
    cap_per_month.RULE,
    cap_per_run.RULE,
    price_unknown.RULE,
    price_outdated.RULE,
    spot_share.RULE,
    spot_interruptible.RULE,
    spot_checkpoints.RULE,
    spot_settings.RULE,
    spot_allocation.RULE,
    capacity_block.RULE,
    fabric_capable.RULE,
    fabric_interfaces.RULE,
    fabric_one_zone.RULE,
    fabric_placement.RULE,
    fabric_self_traffic.RULE,
    fabric_public_ip.RULE,
    nvlink.RULE,
    gpu_maintenance.RULE,
    metadata_v2.RULE,
    disk_encrypted.RULE,
    public_address.RULE,
    open_login.RULE,
    administrator_role.RULE,
    long_lived_key.RULE,
    bucket_private.RULE,
    bucket_encrypted.RULE,
    bucket_tls.RULE,
    bucket_versioned_expiry.RULE,
    launch_settings.RULE,
    scaling_settings.RULE,
    disk_limits.RULE,
    subnet_addresses.RULE,
    shared_storage_settings.RULE,
    shared_storage_zone.RULE,
    storage_speed.RULE,
)
"""Every rule, in the order of a report."""


@paused()
def judge(
    plan: Plan,
    quote: Quote | None,
    settings: Mapping[str, forms.Written | Mapping[str, Any]],
    waivers: Sequence[Waiver],
    today: date,
    *,
    only: Collection[str] | None = None,
    names: Names = own_names,
    locked: Locked | None = None,
) -> Verdict:
    """Judge a plan by all rules, or by `only` those ids; waivers of other rules are left alone.

    Args:
        plan: what a stack will hold.
        quote: what it costs; None where no rule about money is asked.
        settings: by rule id, as written: `level` and the rule's own settings.
        waivers: findings that somebody accepts.
        today: the day that waivers end by.
        only: the ids of the rules to run, None for all.
        names: tells what waivers and settings of a workload may call a finding's subject.
        locked: what the stack's lock says it costs, None where there is none.

    Raises:
        InputError: a rule or a setting is unknown, or a value is wrong.
    """
    judging.refuse_bad_settings(settings, RULES)
    asked = [rule for rule in RULES if only is None or rule.id in only]
    left_alone = {rule.id for rule in RULES} - {rule.id for rule in asked}
    spoken = [waiver for waiver in waivers if waiver.rule not in left_alone]
    findings = tuple(judging.run(asked, judging.look(plan, quote, today, locked), settings, names))
    return judging.weigh(findings, spoken, RULES, today, names)


def settings_problems(
    stack_rules: Mapping[str, forms.Written | Mapping[str, Any]],
    subjects: Collection[str] | None = None,
) -> tuple[Problem, ...]:
    """Name every unknown rule and setting and every wrong value, with "did you mean".

    Args:
        stack_rules: settings by rule id, as written.
        subjects: what the stack has, such as training.trainer, so that settings of a workload that
            it does not have are named, too; None where nobody knows.
    """
    return tuple(forms.problems(stack_rules, RULES, subjects))
