"""The pack itself: each rule a mandatory policy that judges every resource, and then the whole."""

import threading
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from gpuinfra.crossguard import convert, settings, verdicts
from gpuinfra.crossguard.update import Update
from gpuinfra.errors import InputError
from gpuinfra.rules import RULES, Rule

_KINDS: Final = {"share": ["string"], "whole": ["integer"], "flag": ["boolean"]}


class _Both(ResourceValidationPolicy, StackValidationPolicy):
    """A policy that the engine asks about each resource and about the stack.

    One policy has one name, one level and one configuration, so both gates keep to the same
    numbers. The SDK tells the two kinds apart by `isinstance`, so one object can be both.
    """

    def __init__(
        self,
        name: str,
        description: str,
        level: EnforcementLevel,
        config: dict[str, dict[str, Any]],
        url: str | None = None,
    ) -> None:
        schema = PolicyConfigSchema(config) if config else None
        Policy.__init__(self, name, description, level, schema, url=url)

    def has_validation(self) -> bool:
        return True

    def has_remediation(self) -> bool:
        return False


class _Settings(_Both):
    """Not a rule: takes what the pack and the program say, and refuses what makes no sense."""

    def __init__(self, room: "_Room") -> None:
        super().__init__(
            settings.NAME,
            "What the rules of this pack count with is well-formed",
            EnforcementLevel.MANDATORY,
            settings.CONFIG,
        )
        self._room = room

    def validate(
        self, args: ResourceValidationArgs | StackValidationArgs, report_violation: ReportViolation
    ) -> None:
        if isinstance(args, ResourceValidationArgs):
            self._room.hear(args, report_violation)


class _RulePolicy(_Both):
    """One rule of gpuinfra."""

    def __init__(self, rule: Rule, room: "_Room") -> None:
        config = {
            setting.name: {"type": _KINDS[setting.kind], "description": setting.why}
            for setting in rule.settings
        }
        super().__init__(
            rule.id, f"{rule.title}. {rule.why}", EnforcementLevel(rule.level), config, rule.source
        )
        self._rule = rule
        self._room = room

    def validate(
        self, args: ResourceValidationArgs | StackValidationArgs, report_violation: ReportViolation
    ) -> None:
        self._room.judge(self._rule, args, report_violation)


class _Room:
    """The one update that a pack's process serves, and the lock before it.

    The engine asks about one resource at a time, but the SDK serves requests with several
    threads and nobody promises their order.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._counts = any(rule.family == "budget" for rule in rules)
        self._lock = threading.Lock()
        self._pack = settings.Said()
        self._update = Update(self._pack, counts=self._counts)

    def hear(self, args: ResourceValidationArgs, report: ReportViolation) -> None:
        """Begin anew at a stack's root; listen to the pack's configuration and the program."""
        with self._lock:
            try:
                if args.resource_type == "pulumi:pulumi:Stack":
                    self._update = Update(settings.Said(), counts=self._counts)
                    self._update.pack = settings.of_pack(convert.plain(args.get_config()))
                elif args.resource_type == settings.ROOT:
                    inputs = convert.one(args).inputs
                    self._update.programs.append(settings.of_program(inputs))
            except InputError as error:
                for problem in error.problems:
                    report(problem.message)

    def judge(
        self,
        rule: Rule,
        args: ResourceValidationArgs | StackValidationArgs,
        report: ReportViolation,
    ) -> None:
        """Report what the rule says."""
        given = convert.plain(args.get_config())
        with self._lock:
            try:
                if isinstance(args, ResourceValidationArgs):
                    messages = verdicts.about_one(self._update, rule, given, args)
                else:
                    messages = verdicts.about_all(self._update, rule, given, args)
                for message in messages:
                    report(message.text, message.urn)
            except InputError as error:
                for problem in error.problems:
                    report(problem.message)


def pack(name: str, rule_ids: Sequence[str]) -> None:
    """Serve a policy pack of these rules to the engine that started this process.

    Every rule is mandatory unless the pack's configuration says otherwise. The entry `settings`
    of that configuration holds what all rules count with, in a stack file's words: `budget`,
    `prices`, `usage`, `waivers` (allowed or forbidden), `as_of`. An entry under a rule's id holds
    the rule's own settings. A program may say the same through its root component; the stricter
    holds.

    Args:
        name: of the pack.
        rule_ids: ids of `gpuinfra.rules.RULES`.

    Raises:
        KeyError: there is no such rule.
    """
    by_id = {rule.id: rule for rule in RULES}
    rules = [by_id[rule_id] for rule_id in rule_ids]
    room = _Room(rules)
    PolicyPack(name, [_Settings(room), *(_RulePolicy(rule, room) for rule in rules)])
