"""`gpuinfra explain`: what a rule says and why, or all that a cloud makes of a stack file."""

import re
from typing import Final

import click

from gpuinfra.cli import completing
from gpuinfra.cli.options import formats
from gpuinfra.cli.views.layout import wrapped
from gpuinfra.cli.views.render import plain, show_json, show_table
from gpuinfra.errors import InputError, Problem, nearest
from gpuinfra.report import pages
from gpuinfra.report.examples import example
from gpuinfra.report.pages import EXPLAINED
from gpuinfra.rules import Rule

LABEL: Final = re.compile(r"\s+\S+:\s+")
"""What stands before the text of a line, whose further lines begin below that text."""


@click.command("explain")
@click.argument("rule", required=False, shell_complete=completing.rules)
@click.option(
    "--cloud",
    type=click.Choice(["aws", "all"]),
    help="Instead: the page of what each key of the stack file creates, costs and refuses "
    "there; all: which cloud supports which key.",
)
@formats("table", "json", "markdown")
def command(rule: str | None, cloud: str | None, format_: str) -> None:
    """Say what RULE demands and why, with an example; without RULE list them all."""
    if cloud is not None:
        click.echo(_page(cloud, rule, format_), nl=False)
        return
    chosen = EXPLAINED if rule is None else (_named(rule),)
    if format_ == "json":
        show_json([_shown(rule) for rule in chosen])
    elif format_ == "markdown":
        click.echo(pages.page() if rule is None else pages.section(chosen[0]), nl=rule is not None)
    elif rule is None:
        rows = [(rule.id, rule.family, rule.level, rule.title) for rule in EXPLAINED]
        show_table(("rule", "family", "level", "title"), rows)
    else:
        for line in pages.of_rule(chosen[0]).split("\n"):
            label = LABEL.match(line)
            click.echo(wrapped(line, " " * label.end() if label else ""))


def _page(cloud: str, rule: str | None, format_: str) -> str:
    """The page of a cloud.

    Raises:
        InputError: a rule is asked for besides, or another format.
    """
    if rule is not None:
        problem = Problem(
            message="--cloud shows a cloud's page, not a rule",
            value=rule,
            fix=f"use `gpuinfra explain {rule}`, or remove it",
        )
        raise InputError([problem])
    if format_ == "json":
        problem = Problem(
            message="the page of a cloud is Markdown",
            value=format_,
            allowed="markdown",
            fix=f"gpuinfra explain --cloud {cloud} --format markdown",
        )
        raise InputError([problem])
    from gpuinfra.cli.pages import aws, clouds  # noqa: PLC0415  (only for these pages)

    return aws.page() if cloud == "aws" else clouds.page()


def _named(rule: str) -> Rule:
    """The rule of an id.

    Raises:
        InputError: there is none.
    """
    by_id = {rule.id: rule for rule in EXPLAINED}
    known = by_id.get(rule)
    if known is None:
        problem = Problem(
            message="unknown rule",
            value=rule,
            allowed=", ".join(by_id),
            suggestion=nearest(rule, by_id),
            fix="`gpuinfra explain` lists them with their titles",
        )
        raise InputError([problem])
    return known


def _shown(rule: Rule) -> dict[str, object]:
    """A rule as docs/json.md has it."""
    names = ("id", "family", "title", "why", "fix", "source", "level", "firm")
    return {
        **{name: getattr(rule, name) for name in names},
        "settings": plain(rule.settings),
        "example": example(rule.id),
    }
