"""The rules, each of which judges a plan and its quote, from a stack file or Pulumi resources."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

from gpuinfra import logs
from gpuinfra.cost import Quote
from gpuinfra.errors import Problem
from gpuinfra.model import Plan
from gpuinfra.rules import (
    bucket_facts,
    cap_per_run,
    cap_per_workload,
    capacity_block,
    cloud_budget,
    cluster_access,
    cost_growth,
    disk_encrypted,
    disk_limits,
    file_system_facts,
    flex_start,
    front_tls,
    gpu_maintenance,
    idle_stop,
    interruption_rate,
    long_lived_key,
    machine_rules,
    market_offered,
    metadata_hop_limit,
    no_cap,
    nvlink,
    open_login,
    owner_label,
    password_login,
    pool_maximum,
    price_outdated,
    price_unknown,
    resource_rules,
    rule_runner,
    scaling_signal,
    secret_in_output,
    secret_in_script,
    secure_boot,
    spot_checkpoints,
    spot_interruptible,
    spot_only_pool,
    spot_settings,
    spot_share,
    stack_caps,
    storage_speed,
    subnet_addresses,
    time_limit,
)
from gpuinfra.rules import settings as forms
from gpuinfra.rules.fabric_verdicts import PARTS, FabricVerdict, fabric_verdict
from gpuinfra.rules.rule import Finding, LockedTotals, Rule, Setting
from gpuinfra.rules.verdict import Verdict, WaiverTerms, apply_waivers
from gpuinfra.rules.waivers import MOST_DAYS, Names, Waiver, own_names
from gpuinfra.rules.waivers import RULE as WAIVERS

__all__ = [
    "RULES",
    "WAIVERS",
    "FabricVerdict",
    "Finding",
    "LockedTotals",
    "Rule",
    "Setting",
    "Verdict",
    "Waiver",
    "fabric_verdict",
    "judge",
    "most_days",
    "settings_problems",
]

RULES: Final[tuple[Rule, ...]] = (
    no_cap.RULE,
    stack_caps.CAP_PER_HOUR,
    stack_caps.CAP_PER_MONTH,
    cap_per_run.RULE,
    cap_per_workload.RULE,
    price_unknown.RULE,
    price_outdated.RULE,
    cost_growth.RULE,
    pool_maximum.RULE,
    cloud_budget.RULE,
    time_limit.RULE,
    spot_share.RULE,
    spot_interruptible.RULE,
    spot_only_pool.RULE,
    spot_checkpoints.RULE,
    spot_settings.RULE,
    machine_rules.SPOT_ALLOCATION,
    market_offered.RULE,
    interruption_rate.RULE,
    flex_start.RULE,
    machine_rules.EVICTION_POLICY,
    capacity_block.RULE,
    *PARTS,
    file_system_facts.SHARED_STORAGE_ZONE,
    nvlink.RULE,
    gpu_maintenance.RULE,
    machine_rules.METADATA_V2,
    metadata_hop_limit.RULE,
    disk_encrypted.RULE,
    file_system_facts.FILE_SYSTEM_ENCRYPTED,
    secure_boot.RULE,
    machine_rules.PUBLIC_ADDRESS,
    open_login.RULE,
    machine_rules.LOGIN_IDENTITY,
    password_login.RULE,
    front_tls.RULE,
    cluster_access.RULE,
    machine_rules.ADMINISTRATOR_ROLE,
    resource_rules.WILDCARD_POLICY,
    long_lived_key.RULE,
    secret_in_script.RULE,
    secret_in_output.RULE,
    bucket_facts.BUCKET_PRIVATE,
    bucket_facts.BUCKET_ENCRYPTED,
    bucket_facts.BUCKET_TLS,
    owner_label.RULE,
    resource_rules.VALID_NAMES,
    machine_rules.IMAGE_PINNED,
    machine_rules.LAUNCH_SETTINGS,
    machine_rules.SCALING_SETTINGS,
    scaling_signal.RULE,
    machine_rules.MACHINE_UPKEEP,
    idle_stop.RULE,
    disk_limits.RULE,
    subnet_addresses.RULE,
    machine_rules.NETWORK_ACCESS,
    resource_rules.RESOURCE_SETTINGS,
    file_system_facts.SHARED_STORAGE_SETTINGS,
    storage_speed.RULE,
    bucket_facts.BUCKET_LIFECYCLE,
    bucket_facts.BUCKET_SAFEGUARDS,
    bucket_facts.BUCKET_VERSIONED,
    bucket_facts.BUCKET_VERSIONED_EXPIRY,
    bucket_facts.FORCE_DESTROY,
)
"""Every rule, in the order of a report."""


def judge(
    plan: Plan,
    quote: Quote | None,
    settings: Mapping[str, forms.RuleEntry | Mapping[str, Any]],
    waivers: Sequence[Waiver],
    today: date,
    *,
    only: Collection[str] | None = None,
    names: Names = own_names,
    locked_totals: LockedTotals | None = None,
) -> Verdict:
    """Judge a plan by all rules, or by the ids in `only`; ignore waivers of other rules.

    Args:
        plan: the stack's plan.
        quote: its quote; None without budget rules.
        settings: by rule id, as written: `level` and the rule's own settings.
        waivers: findings that are accepted.
        today: the day that waivers end by.
        only: the ids of the rules to run, None for all.
        names: tells what waivers and settings of a workload may call a finding's subject.
        locked_totals: the cost in the stack's lock; None without a lock.

    Raises:
        InputError: a rule or a setting is unknown, or a value is wrong.
    """
    rule_runner.refuse_bad_settings(settings, (*RULES, WAIVERS))
    rules = [rule for rule in RULES if only is None or rule.id in only]
    left_alone = {rule.id for rule in RULES} - {rule.id for rule in rules}
    judged_waivers = {
        index: waiver for index, waiver in enumerate(waivers) if waiver.rule not in left_alone
    }
    enabled = [rule for rule in rules if rule_runner.is_enabled(rule, settings)]
    rule_input = rule_runner.judge_input(plan, quote, today, locked_totals)
    findings = tuple(rule_runner.run(enabled, rule_input, settings, names))
    terms = WaiverTerms(
        rules=RULES,
        active_rules={rule.id for rule in enabled},
        today=today,
        max_days=most_days(settings),
        names=names,
    )
    verdict = apply_waivers(findings, judged_waivers, terms)
    count = len((*enabled, WAIVERS))
    logs.debug("checked %s rules for %s: %s findings", count, today, len(verdict.findings))
    return verdict


def most_days(settings: Mapping[str, forms.RuleEntry | Mapping[str, Any]]) -> int:
    """Return how many days ahead a waiver may end, from the settings of all rules."""
    waiver_settings = forms.settings_mapping(settings.get(WAIVERS.id, {}))
    days: int = forms.values_of(WAIVERS, waiver_settings)[MOST_DAYS]
    return days


def settings_problems(
    stack_rules: Mapping[str, forms.RuleEntry | Mapping[str, Any]],
    subjects: Collection[str] | None = None,
) -> tuple[Problem, ...]:
    """Return a problem for every unknown rule or setting and wrong value, with "did you mean".

    Args:
        stack_rules: settings by rule id, as written.
        subjects: the workloads, for example training.trainer, so that settings of an unknown one
            are reported, too; None where the workloads are unknown.
    """
    return tuple(forms.problems(stack_rules, (*RULES, WAIVERS), subjects))
