"""`gpuinfra explain`: a rule's demand and reason, a key, a word, or the page of a cloud."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

import click

from gpuinfra.cli import shell_completion
from gpuinfra.cli.options import formats
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.markdown_page import show_page
from gpuinfra.cli.views.render import heading, json_value, show_json, show_table
from gpuinfra.clouds import CLOUDS, PRICED_CLOUDS
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.report import rule_text
from gpuinfra.report.examples import example
from gpuinfra.report.rule_text import EXPLAINED_RULES
from gpuinfra.rules import Rule
from gpuinfra.similar_words import nearest
from gpuinfra.specs.schema import SECTIONS

if TYPE_CHECKING:
    from gpuinfra.cli.pages.glossary import GlossaryEntry
    from gpuinfra.cli.pages.keys import KeyRow

LABEL: Final = re.compile(r"\s+(?:\S[^:]{0,24}:\s+)?")
"""The label at the start of a line; wrapped lines align with the text after it."""


@click.command("explain")
@click.argument("word", metavar="[RULE]", required=False, shell_complete=shell_completion.rules)
@click.option(
    "--cloud",
    type=click.Choice([*CLOUDS, "all"]),
    help="Instead: the keys of the stack file there, and why others are refused, on aws with what "
    "each creates and costs; all: which cloud supports which key.",
)
@formats("table", "json", "markdown")
def command(word: str | None, cloud: str | None, format_: str) -> None:
    """Show what RULE requires and why, with an example; without RULE list them all.

    RULE may also be a family of rules (budget), a key of the stack file (gpu,
    training.duration), or a word of the glossary (rung), or
    glossary for all of them.
    """
    if cloud is not None:
        _show_cloud(cloud, word, format_)
        return
    rules, described, glossary_words = (
        (EXPLAINED_RULES, (), ()) if word is None else _rules_of_word(word)
    )
    if format_ == "json":
        show_json([_rule_json(rule) for rule in rules] or described or glossary_words)
    elif format_ == "markdown" and rules:
        page_text = (
            rule_text.page() if word is None else "\n\n".join(map(rule_text.section, rules))
        )
        click.echo(page_text, nl=word is not None)
    else:
        for glossary_word in glossary_words:
            click.echo(wrap_text(glossary_word.line, "  "))
        if glossary_words and (rules or described):
            click.echo()
        _show(rules, described, shows_table=word is None or rules[:1] != _rules_with_id(word))


def _show(rules: Sequence[Rule], described: Sequence["KeyRow"], *, shows_table: bool) -> None:
    """Print rules as a table or in full, then keys."""
    if rules and shows_table:
        _list_rules(rules)
    in_full = () if shows_table else rules
    text = (*map(rule_text.rule_help, in_full), *("\n".join(key.lines()) for key in described))
    for line in "\n".join(text).split("\n") if text else ():
        label = LABEL.match(line)
        click.echo(wrap_text(line, " " * label.end() if label else "  "))


def _list_rules(rules: Sequence[Rule]) -> None:
    """Print a table of each family's rules, with a mark on the advisory ones."""
    for family, members in groupby(rules, key=lambda rule: rule.family):
        rows = [(rule.id, _MARKS[rule.level], rule.title) for rule in members]
        show_table((family, "", "title"), rows)
        click.echo()
    click.echo(f"{_MARKS['advisory']} advisory: it warns; the others fail the check")


_MARKS: Final = {"mandatory": "", "advisory": "!"}
"""The marks of rules by level, as `gpuinfra check` has them on findings."""


def _show_cloud(cloud: str, rule: str | None, format_: str) -> None:
    """Print the page of a cloud, or which cloud supports which key.

    Raises:
        InputError: a rule, or another format, is given too.
    """
    if rule is not None:
        raise InputError.of(
            "--cloud shows a cloud's page, not a rule",
            value=rule,
            fix=f"use `gpuinfra explain {rule}`, or remove it",
        )
    if format_ == "json":
        raise InputError.of(
            "the page of a cloud has one format",
            value=format_,
            allowed="markdown",
            fix=f"gpuinfra explain --cloud {cloud} --format markdown",
        )
    from gpuinfra.cli.pages import aws, clouds  # noqa: PLC0415  (only for these pages)

    if cloud in CLOUDS:
        page = aws.page() if cloud == "aws" else clouds.cloud_page(cloud)
        if format_ == "table":
            show_page(page)
        else:
            click.echo(page, nl=False)
    elif format_ == "markdown":
        click.echo(clouds.page(), nl=False)
    else:
        heading("keys on every cloud")
        click.echo(wrap_text(f"  {', '.join(clouds.keys_everywhere())}", "  "))
        heading("keys on some clouds, and why not on the others")
        for keys, kinds, why in clouds.keys_on_some():
            click.echo(wrap_text(f"  {', '.join(keys)} ({kinds}): {why}", "    "))


def _rules_of_word(
    word: str,
) -> tuple[tuple[Rule, ...], tuple["KeyRow", ...], tuple["GlossaryEntry", ...]]:
    """Return the rule with this id; else the rules of this family and the keys of this name.

    Words of the glossary come with both.

    Raises:
        InputError: there is none.
    """
    from gpuinfra.cli.pages.glossary import entries_named  # noqa: PLC0415  (reads a file)

    rules, glossary_words = _rules_with_id(word), entries_named(word)
    if rules:
        return rules, (), glossary_words
    from gpuinfra.cli.pages.keys import keys_of  # noqa: PLC0415  (loads pydantic)

    rules = tuple(rule for rule in EXPLAINED_RULES if rule.family == word)
    described = keys_of(word) or keys_of(_without_name(word))
    if not rules and not described and not glossary_words:
        raise InputError([_unknown(word)])
    return rules, described, glossary_words


def _unknown(word: str) -> Problem:
    """Return the problem of a word that nothing explains, with the nearest that something does."""
    from gpuinfra.cli.pages.glossary import every_word  # noqa: PLC0415  (read by now)
    from gpuinfra.cli.pages.keys import every_name  # noqa: PLC0415  (loaded by now)

    elsewhere = _command_about(word)
    if elsewhere:
        return Problem(
            message="not a rule, a key or a word of the glossary; another command shows it",
            value=word,
            fix=elsewhere,
        )
    families = dict.fromkeys(rule.family for rule in EXPLAINED_RULES)
    names = (*(rule.id for rule in EXPLAINED_RULES), *families)
    return Problem(
        message="unknown rule, family of rules, key of the stack file, or word of the glossary",
        value=word,
        suggestion=nearest(word, (*names, *every_word(), *every_name())),
        fix="`gpuinfra explain` lists the rules, `gpuinfra explain --cloud all` the keys, "
        "`gpuinfra explain glossary` the words",
    )


def _command_about(word: str) -> str:
    """Return the command about a cloud, a command, a region, a GPU or a model; empty for none."""
    from gpuinfra.cli import COMMANDS  # noqa: PLC0415  (only of a mistake, as what follows)

    if word in CLOUDS:
        return command_line("explain", "--cloud", word)
    if word in dict(COMMANDS):
        return command_line(word, "--help")
    from gpuinfra.catalog.choosing.known_names import cloud_with  # noqa: PLC0415
    from gpuinfra.catalog.choosing.request import model_in  # noqa: PLC0415
    from gpuinfra.catalog.query_subject import subject  # noqa: PLC0415

    cloud = cloud_with(word, PRICED_CLOUDS)
    if cloud is not None:
        return command_line("catalog", "regions", "--cloud", cloud)
    if model := model_in(word):
        return command_line("choose", "--for-model", model)
    name = word.partition(":")[0]
    try:
        subject(name)
    except InputError:
        return ""
    return command_line("catalog", "show", name)


def _without_name(word: str) -> str:
    """Return a place in a stack file as a key: training.tune.gpu becomes training.gpu."""
    section, *inner_keys = word.split(".")
    return ".".join((section, *inner_keys[1:])) if section in SECTIONS and inner_keys[1:] else word


def _rules_with_id(word: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in EXPLAINED_RULES if rule.id == word)


def _rule_json(rule: Rule) -> dict[str, object]:
    """Return a rule as documented in docs/json.md."""
    names = ("id", "family", "title", "why", "fix", "source", "level", "firm")
    return {
        **{name: getattr(rule, name) for name in names},
        "settings": json_value(rule.settings),
        "example": example(rule.id),
    }
