"""The pack itself: each rule is a policy that judges every resource, and then the stack."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra.crossguard import configuration, settings, settings_validation, verdicts
from gpuinfra.crossguard.analyzer_messages import STACK
from gpuinfra.crossguard.policy_settings import ROOT
from gpuinfra.crossguard.serving import Analyzer, AnalyzerPolicy, PolicyMessage, serve
from gpuinfra.crossguard.settings_hints import in_pack
from gpuinfra.crossguard.subject_names import SECTIONS
from gpuinfra.crossguard.update import Update
from gpuinfra.errors import InputError, Problem
from gpuinfra.rules import RULES, WAIVERS, Rule
from gpuinfra.rules.policy_sources import JudgeSettings
from gpuinfra.rules.rule import Family, Level, policy_description


class RuleHandler:
    """A handler that judges the updates that a pack's process serves, one after the other.

    The engine asks about one resource at a time, but requests are served by several threads and
    their order is not guaranteed.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._lock = threading.Lock()
        self._dry_run = False
        self._judge_settings: Mapping[str, JudgeSettings] = {}
        self._wrong: Mapping[str, Sequence[Problem]] = {}
        self.configure({})

    def start_update(self, *, dry_run: bool) -> None:
        """Start a run, and record whether it is a preview or an update."""
        with self._lock:
            self._dry_run = dry_run
            self._update = self._new_update()

    def configure(self, entries: Mapping[str, tuple[Level, Mapping[str, Any]]]) -> None:
        """Read the pack's configuration; its problems are reported with the first resource."""
        with self._lock:
            self._judge_settings, self._wrong = configuration.read(
                (*self._rules, WAIVERS), entries
            )
            shared = entries.get(settings.NAME)
            setting_values = {} if shared is None or settings.NAME in self._wrong else shared[1]
            self._settings = settings.pack_settings(setting_values)
            self._update = self._new_update()

    def judge_resource(self, request: proto.AnalyzeRequest) -> Iterable[PolicyMessage]:
        """Judge a resource before it is created, and read the settings of gpuinfra components."""
        with self._lock:
            if request.type == STACK:
                self._update = self._new_update()
                return self._settings_messages()
            if request.type == ROOT:
                return self._read_component(request)
            messages = self._read_component(request) if request.type in SECTIONS else []
            resource_messages = verdicts.resource_messages(self._update, self._rules, request)
            return [*messages, *self._update.new_messages(resource_messages)]

    def judge_stack(self, stack_request: proto.AnalyzeStackRequest) -> Iterable[PolicyMessage]:
        """Return the messages about the whole stack, after all resources are registered."""
        with self._lock:
            return self._update.new_messages(
                verdicts.stack_messages(self._update, self._rules, stack_request)
            )

    def _new_update(self) -> Update:
        return Update(
            rules=self._rules,
            pack=self._settings,
            judge_settings=self._judge_settings,
            dry_run=self._dry_run,
        )

    def _settings_messages(self) -> list[PolicyMessage]:
        return [
            PolicyMessage(policy=entry, text=settings_validation.sentences(problem))
            for entry, problems in self._wrong.items()
            for problem in problems
        ]

    def _read_component(self, request: proto.AnalyzeRequest) -> list[PolicyMessage]:
        try:
            self._update.read_component(request)
        except InputError as error:
            return [
                PolicyMessage(policy=settings.NAME, text=settings_validation.sentences(problem))
                for problem in error.problems
            ]
        return []


def rules_of(*families: Family) -> tuple[str, ...]:
    """Return the rule ids of the given families, or of all families if none is given."""
    return tuple(rule.id for rule in RULES if not families or rule.family in families)


def pack(name: str, rule_ids: Sequence[str]) -> None:
    """Serve a policy pack of these rules to the engine that started this process.

    Every rule has its own level unless the pack's configuration says otherwise. The entry
    `settings` of that configuration holds what all rules count with, in a stack file's words:
    `budget`, `prices`, `usage`, `waivers` (allowed or forbidden), `as_of`. An entry under a rule's
    id holds the rule's own settings. A program may say the same through its root component; the
    stricter holds.

    Args:
        name: of the pack.
        rule_ids: ids of `gpuinfra.rules.RULES`, for example `rules_of("budget")`.

    Raises:
        KeyError: there is no such rule.
    """
    serve(analyzer(name, rule_ids))


def analyzer(name: str, rule_ids: Sequence[str]) -> Analyzer:
    """Return the analyzer that `pack` serves."""
    by_id = {rule.id: rule for rule in RULES}
    rules = [by_id[rule_id] for rule_id in rule_ids]
    return Analyzer(name, tuple(_policies(rules)), RuleHandler(rules))


def _policies(rules: Iterable[Rule]) -> Iterator[AnalyzerPolicy]:
    yield AnalyzerPolicy(
        name=settings.NAME,
        description="The settings that the rules of this pack use are well-formed",
        level="mandatory",
        properties=settings.CONFIG,
    )
    for rule in (*rules, WAIVERS):
        yield AnalyzerPolicy(
            name=rule.id,
            description=policy_description(rule),
            level=rule.level,
            properties=configuration.properties(rule),
            fix=in_pack(rule.fix_on(None)),
            url=rule.source,
        )
