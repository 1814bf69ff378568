"""The text about each rule, for a terminal and for the page of all rules."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.report import markup
from gpuinfra.report.examples import example
from gpuinfra.report.rule_address import page_of
from gpuinfra.rules import RULES, WAIVERS, Rule, Setting
from gpuinfra.rules.settings import LEVELS
from gpuinfra.units import format_share

EXPLAINED_RULES = (*RULES, WAIVERS)
"""Every rule, and what is demanded of waivers."""

KINDS = {
    "share": "a share, for example 60%",
    "whole": "a whole number",
    "money": "US dollars",
    "words": "a string, or a list of strings",
}

_INTRODUCTION = """\
# Rules

Written by `make docs` from the rules themselves; `gpuinfra explain RULE` shows one of them.

- A *mandatory* rule that is violated, or whose facts can't be known, makes `gpuinfra check` end
  with 1; an *advisory* one is only reported. Each has the setting `level`: {levels}.
- A *firm* rule can't be waived, lowered or disabled: change the input instead.
- Waivers stand under `waivers:` in the stack file, and in `gpuinfra.waivers.yaml` beside a
  preview, a state or a program: each has `rule`, `resource` (a name, a URN or a pattern),
  `reason`, `owner` and `until`; `gpuinfra check --write-waivers` proposes them.

Examples are parts of a stack file, or resources in Pulumi's YAML. They are tested: what stands
before the change is violated, and what stands after it is fine.
"""


def rule_help(rule: Rule) -> str:
    """Return a rule for a terminal: why, the fix, its settings, and an example."""
    rule_example = example(rule.id)
    lines = [
        f"{rule.id}: {rule.title}",
        f"  family:  {rule.family}",
        f"  level:   {_level_in_words(rule)}",
        f"  why:     {rule.why}",
        f"  fix:     {rule.fix_on(None)}",
        *([f"  in a stack file: {rule.stack_file_fix}"] if rule.stack_file_fix else []),
        f"  source:  {rule.source}",
        *([f"  page:    {page_of(rule)}"] if page_of(rule) else []),
        *(f"  setting: {setting.name}: {_setting_text(setting)}" for setting in rule.settings),
        "",
        "violated:",
        *_indent_lines(rule_example.bad),
        "",
        "fine:",
        *_indent_lines(rule_example.good),
    ]
    return "\n".join(lines)


def page() -> str:
    """Return the page of all rules: a table, then a section for each."""
    head = markup.table(
        ("id", "family", "level", "title"),
        (
            (f"[{rule.id}](#{rule.id})", rule.family, _level(rule), markup.text(rule.title))
            for rule in EXPLAINED_RULES
        ),
    )
    parts = [_INTRODUCTION.format(levels=", ".join(LEVELS)), head, *map(section, EXPLAINED_RULES)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def section(rule: Rule) -> str:
    """Return a rule's section of the page."""
    parts = [
        f"## {rule.id}",
        markup.wrap_paragraph(f"Level: {_level_in_words(rule)}."),
        markup.wrap_paragraph(
            f"**{markup.text(rule.title)}.** {markup.prose(rule.why)} ([source]({rule.source}))"
        ),
        markup.wrap_paragraph(f"Fix: {markup.prose(rule.fix_on(None))}.{_stack_file_text(rule)}"),
    ]
    if rule.settings:
        rows = (
            (setting.name, KINDS[setting.kind], _default(setting), markup.prose_cell(setting.why))
            for setting in rule.settings
        )
        parts.append(markup.table(("setting", "takes", "default", "what for"), rows))
    rule_example = example(rule.id)
    diff_text = "\n".join(_diff_lines(rule_example.bad.split("\n"), rule_example.good.split("\n")))
    return "\n\n".join([*parts, f"```diff\n{diff_text}\n```"])


def _stack_file_text(rule: Rule) -> str:
    return f" In a stack file: {markup.prose(rule.stack_file_fix)}." if rule.stack_file_fix else ""


def _diff_lines(bad: Sequence[str], good: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a diff with all context, each marked as removed, added or unchanged."""
    for line in difflib.Differ().compare(bad, good):
        if not line.startswith("?"):
            yield f"{line[0]}{line[2:]}".rstrip()


def _level(rule: Rule) -> str:
    return f"{rule.level}, firm" if rule.firm else rule.level


def _level_in_words(rule: Rule) -> str:
    """Return the level with its meaning, and whether the rule is firm."""
    firm = "; firm: it can't be waived, lowered or disabled" if rule.firm else ""
    return f"{rule.level}: {_LEVEL_WORDS[rule.level]}{firm}"


_LEVEL_WORDS: Final = {
    "mandatory": "a violation, or a result that can't be known, fails the check",
    "advisory": "it warns, and fails nothing",
}


def _default(setting: Setting) -> str:
    if setting.default is None:
        return "none"
    if setting.kind == "words":
        return ", ".join(setting.default)
    return format_share(setting.default) if setting.kind == "share" else str(setting.default)


def _setting_text(setting: Setting) -> str:
    return f"{setting.why}; {KINDS[setting.kind]}; default {_default(setting)}"


def _indent_lines(text: str) -> Iterator[str]:
    return (f"  {line}".rstrip() for line in text.split("\n"))
