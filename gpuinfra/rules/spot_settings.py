"""Machine settings are valid for the purchase mode."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuinfra.cost.quote import Line, RungQuote
from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, RuleInput, each_group, violated
from gpuinfra.units import format_unit_price


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the settings of each group, and the maximum price of its spot requests."""
    rungs = {} if rule_input.quote is None else rule_input.quote.rungs_by_group()

    def judge(group: Group) -> Finding:
        finding = _group(group)
        if finding.outcome != "fine":
            return finding
        return _max_price_finding(group, rungs.get(group.name, ())) or finding

    return each_group(rule_input, judge)


def _group(group: Group) -> Finding:
    good = f"{group.rung.capacity} settings are valid"
    fact_messages = FactMessages(good=good, unknown="the purchase option is not known yet")
    return judge_rule_faults(group.subject, group.faults, RULE.id, fact_messages)


def _max_price_finding(group: Group, quoted: Sequence[RungQuote]) -> Finding | None:
    """Return a finding for a maximum price that is too low to be filled or above on-demand."""
    rungs = [rung for rung in quoted if not rung.skip_reason]
    bids = [(rung, line) for rung in rungs for line in rung.machines if _is_bid(rung, line)]
    waiting = [(rung, line) for rung, line in bids if line.may_wait]
    if waiting:
        has_no_alternative = len(waiting) == len(rungs) and len(waiting[0][0].machines) == 1
        return _low_price_warning(group, waiting[0][1], has_no_alternative=has_no_alternative)
    return next(
        (finding for rung, line in bids if (finding := _high_price_finding(group, rung, line))),
        None,
    )


def _is_bid(rung: RungQuote, line: Line) -> bool:
    return line.kind == "spot" and rung.rung.max_price is not None


def _low_price_warning(group: Group, line: Line, *, has_no_alternative: bool) -> Finding:
    """Return a warning for a maximum price below the last spot price, which may have changed."""
    no_alternative_note = (
        "; capacity has no other step, so the workload may not start" if has_no_alternative else ""
    )
    return violated(
        group.subject,
        f"{line.note}{no_alternative_note}",
        fix="raise the maximum price above the last spot price, or leave it out: the on-demand "
        "price is then the maximum",
        level="advisory",
    )


def _high_price_finding(group: Group, rung: RungQuote, line: Line) -> Finding | None:
    """Return a finding for a maximum price above the on-demand price; None if it is not above."""
    most, default = rung.rung.max_price, line.default_maximum
    if most is None or default is None or most <= default:
        return None
    return violated(
        group.subject,
        f"max_price {format_unit_price(most)} of {line.item} in {line.region} is above the "
        f"on-demand price, {format_unit_price(default)}, and the caps count it as written",
        fix="leave out the maximum price: the on-demand price is then the maximum",
        level="advisory",
    )


RULE = Rule(
    id="spot-settings",
    family="spot",
    title="Settings match the purchase option",
    why="The cloud refuses the launch when they conflict, for example spot machines that "
    "restart by themselves.",
    fix="change one of the two settings that the message names",
    source="https://cloud.google.com/compute/docs/instances/create-use-spot",
    check=check,
    alone=True,
)
