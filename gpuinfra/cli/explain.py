"""`gpuinfra explain`: what a rule says, why, and how a stack that keeps it looks."""

import click

from gpuinfra.cli.options import formats
from gpuinfra.cli.render import plain, show_json, show_table
from gpuinfra.errors import InputError, Problem, nearest
from gpuinfra.report import pages
from gpuinfra.report.examples import example
from gpuinfra.rules import RULES, Rule


@click.command("explain")
@click.argument("rule", required=False)
@formats("table", "json", "markdown")
def command(rule: str | None, format_: str) -> None:
    """Say what RULE demands and why, with an example; without RULE list them all."""
    chosen = RULES if rule is None else (_named(rule),)
    if format_ == "json":
        show_json([_shown(one) for one in chosen])
    elif format_ == "markdown":
        click.echo(pages.page() if rule is None else pages.section(chosen[0]), nl=rule is not None)
    elif rule is None:
        rows = [(one.id, one.family, one.level, one.title) for one in RULES]
        show_table(("rule", "family", "level", "title"), rows)
    else:
        click.echo(pages.of_rule(chosen[0]))


def _named(rule: str) -> Rule:
    """The rule of an id.

    Raises:
        InputError: there is none.
    """
    by_id = {one.id: one for one in RULES}
    found = by_id.get(rule)
    if found is None:
        problem = Problem(
            message="no such rule",
            value=rule,
            allowed=", ".join(by_id),
            suggestion=nearest(rule, by_id),
            fix="gpuinfra explain lists them with their titles",
        )
        raise InputError([problem])
    return found


def _shown(rule: Rule) -> dict[str, object]:
    """A rule as docs/json.md has it."""
    said = ("id", "family", "title", "why", "fix", "source", "level", "firm")
    return {
        **{name: getattr(rule, name) for name in said},
        "settings": plain(rule.settings),
        "example": example(rule.id),
    }
