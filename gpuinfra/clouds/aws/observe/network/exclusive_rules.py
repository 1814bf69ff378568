"""The rules of a security group that remain in force when a list of all its rules exists.

A resource for the exclusive rules of a group removes every rule that it does not name, those
within the group itself too:
https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/vpc_security_group_rules_exclusive
"""

from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.index import Targets
from gpuinfra.clouds.observing.values import as_list
from gpuinfra.model import Resource, Unknown

_OWNER: Final = "securityGroupId"
_Rules = tuple[tuple[Any, ...], Targets, Targets]
_KINDS: Final = {
    "ingress": (resource_types.INGRESS, resource_types.SECURITY_RULE),
    "egress": (resource_types.EGRESS, resource_types.SECURITY_RULE),
}


def remaining_rules(group: Resource, direction: str, rules: _Rules, index: Index) -> _Rules:
    """Return the rules that a group keeps: the inline ones, and the separate resources.

    The latter are incomplete where it may keep more.
    """
    inline, *own_rules = rules
    lists = index.referrers(group, resource_types.EXCLUSIVE_RULES, _OWNER)
    is_complete = lists.complete and all(
        _is_known(kept_rule, direction, index) for kept_rule in lists.certain
    )
    first, second = (
        Targets(
            tuple(
                rule
                for rule in kept_rule.certain
                if all(
                    _lists_rule(exclusive_list, direction, rule, index)
                    for exclusive_list in lists.certain
                )
            ),
            complete=kept_rule.complete and is_complete,
        )
        for kept_rule in own_rules
    )
    return () if lists.certain else inline, first, second


def _lists_rule(rules: Resource, direction: str, rule: Resource, index: Index) -> bool:
    listed_rules = index.targets(
        rules, f"{direction}RuleIds", resource_types.canonical(rule.type)
    ).certain
    return any(listed_rule.urn == rule.urn for listed_rule in listed_rules)


def _is_known(rules: Resource, direction: str, index: Index) -> bool:
    """Return whether a list shows which rules it names, of each kind."""
    prop = f"{direction}RuleIds"
    ids = as_list(rules.inputs.get(prop))
    unknown = sum(isinstance(rule_id, Unknown) for rule_id in ids)
    count = sum(len(index.targets(rules, prop, kind).certain) for kind in _KINDS[direction])
    return not unknown or count >= len(ids)
