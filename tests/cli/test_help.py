"""The help of every command is in the words of its readers."""

from collections.abc import Iterator

import click
import pytest

from gpuinfra.cli import cli, run

PRIVATE = ("what stands", "it stands", "stood", "anew", "behind Pulumi", "settle", "lives")
"""What our own texts say of deployed resources, and no reader of a help page knows."""


def helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """Each command's and option's help with its name, of a group's members, too."""
    yield name, command.help or ""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield f"{name} {parameter.opts[-1]}", parameter.help or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for member in command.list_commands(context):
            subcommand = command.get_command(context, member)
            assert subcommand is not None
            yield from helps(subcommand, f"{name} {member}")


@pytest.mark.parametrize("word", PRIVATE)
def test_no_help_has_a_private_word(word: str) -> None:
    assert [name for name, text in helps(cli, "gpuinfra") if word in text] == []


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("status", "Show the deployed resources of SOURCE"),
        ("refresh", "Read the deployed resources of SOURCE again"),
        ("destroy", "Delete all deployed resources of SOURCE."),
    ],
)
def test_what_is_deployed_is_called_so(name: str, first: str) -> None:
    assert dict(helps(cli, "gpuinfra"))[f"gpuinfra {name}"].startswith(first)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("check", "stacks/quickstart"), "--as-of"),
        (("choose", "L4:1"), "--as-of"),
        (("catalog", "age"), "--as-of"),
        (("check", "stacks/quickstart", "--write-waivers", "w.yaml"), "--until"),
    ],
)
def test_what_is_no_day_is_told_the_form(capsys, words, option):
    assert run([*words, option, "yesterday"]) == 2

    assert (
        "'yesterday' is not a date: write YYYY-MM-DD, for example 2026-11-21"
        in capsys.readouterr().err
    )
