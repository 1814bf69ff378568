"""The pack itself: each rule a mandatory policy that judges every resource, and then the whole."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from gpuinfra.crossguard import convert, settings, verdicts, wording
from gpuinfra.crossguard.update import Update
from gpuinfra.errors import InputError
from gpuinfra.rules import RULES, Rule
from gpuinfra.rules.rule import Family

_STACK: Final = "pulumi:pulumi:Stack"
_KINDS: Final = {
    "share": ["string"],
    "whole": ["integer"],
    "money": ["number"],
    "words": ["array", "string"],
}


_APART: Final = (
    "Other settings for some workloads, by name or pattern; a level that is not mandatory leaves "
    "them out"
)

Args = ResourceValidationArgs | StackValidationArgs
_Report = Callable[[str, str | None], None]


class _Both(ResourceValidationPolicy, StackValidationPolicy):  # type: ignore[misc]  # on purpose
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

    def __init__(self, bench: "_Bench") -> None:
        super().__init__(
            settings.NAME,
            "What the rules of this pack count with is well-formed",
            EnforcementLevel.MANDATORY,
            settings.CONFIG,
        )
        self._bench = bench

    def validate(self, args: Args, report_violation: _Report) -> None:
        if isinstance(args, ResourceValidationArgs):
            self._bench.hear(args, report_violation)


class _RulePolicy(_Both):
    """One rule of gpuinfra."""

    def __init__(self, rule: Rule, bench: "_Bench") -> None:
        config = {
            setting.name: {"type": _KINDS[setting.kind], "description": setting.why}
            for setting in rule.settings
        }
        config["workloads"] = {"type": ["object"], "description": _APART}
        super().__init__(
            rule.id, f"{rule.title}. {rule.why}", EnforcementLevel(rule.level), config, rule.source
        )
        self._rule = rule
        self._bench = bench

    def validate(self, args: Args, report_violation: _Report) -> None:
        self._bench.judge(self._rule, args, report_violation)


class _Bench:
    """The one update that a pack's process serves, and the lock before it.

    The engine asks about one resource at a time, but the SDK serves requests with several
    threads and nobody promises their order.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._counts = any(rule.family == "budget" for rule in rules)
        self._lock = threading.Lock()
        self._update = Update(counts=self._counts)

    def hear(self, args: ResourceValidationArgs, report: _Report) -> None:
        """Begin anew at a stack's root; listen to the pack's configuration and the program."""
        with self._lock, _in_words(report):
            if args.resource_type == _STACK:
                self._update = Update(counts=self._counts)
                self._update.pack = settings.of_pack(convert.plain(args.get_config()))
            elif args.resource_type == settings.ROOT:
                said = settings.of_program(convert.one(args).inputs)
                self._update.programs.append(said)

    def judge(self, rule: Rule, args: Args, report: _Report) -> None:
        """Report what the rule says."""
        given = convert.plain(args.get_config())
        with self._lock, _in_words(report):
            if isinstance(args, ResourceValidationArgs):
                messages = verdicts.about_one(self._update, rule, given, args)
            else:
                messages = verdicts.about_all(self._update, rule, given, args)
            for message in messages:
                report(message.text, message.urn)


@contextmanager
def _in_words(report: _Report) -> Iterator[None]:
    """Settings that make no sense are a refusal in words, not a traceback."""
    try:
        yield
    except InputError as error:
        for problem in error.problems:
            report(wording.sentences(problem), None)


def rules_of(*families: Family) -> tuple[str, ...]:
    """The ids of the rules of some families, or of all where none is named."""
    return tuple(rule.id for rule in RULES if not families or rule.family in families)


def pack(name: str, rule_ids: Sequence[str]) -> None:
    """Serve a policy pack of these rules to the engine that started this process.

    Every rule is mandatory unless the pack's configuration says otherwise. The entry `settings`
    of that configuration holds what all rules count with, in a stack file's words: `budget`,
    `prices`, `usage`, `waivers` (allowed or forbidden), `as_of`. An entry under a rule's id holds
    the rule's own settings. A program may say the same through its root component; the stricter
    holds.

    Args:
        name: of the pack.
        rule_ids: ids of `gpuinfra.rules.RULES`, such as `rules_of("budget")`.

    Raises:
        KeyError: there is no such rule.
    """
    by_id = {rule.id: rule for rule in RULES}
    rules = [by_id[rule_id] for rule_id in rule_ids]
    bench = _Bench(rules)
    PolicyPack(name, [_Settings(bench), *(_RulePolicy(rule, bench) for rule in rules)])
