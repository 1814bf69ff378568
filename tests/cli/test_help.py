"""The help of every command is in the words of its readers."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gpuinfra.cli import COMMANDS, cli, run
from gpuinfra.cli.lazy import OTHER_COMMANDS

PRIVATE = ("what stands", "it stands", "stood", "anew", "behind Pulumi", "settle", "lives")
"""What our own texts say of deployed resources, and no reader of a help page knows."""


def contexts(context: click.Context) -> Iterator[click.Context]:
    """The context of a command and those of a group's members."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            member = context.command.get_command(context, name)
            assert member is not None
            yield from contexts(click.Context(member, context, name))


def everywhere() -> Iterator[click.Context]:
    return contexts(click.Context(cli, info_name="gpuinfra"))


def helps() -> Iterator[tuple[str, str]]:
    """Each command's and option's help with its name."""
    for context in everywhere():
        yield context.command_path, context.command.help or ""
        for parameter in context.command.params:
            if isinstance(parameter, click.Option):
                yield f"{context.command_path} {parameter.opts[-1]}", parameter.help or ""


def test_no_help_breaks_a_line_at_a_hyphen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pages = [each.get_help() for each in everywhere()]

    assert len(pages) > 40
    assert any("trainer=on-demand" in page for page in pages)
    broken = [line for page in pages for line in page.splitlines() if re.search(r"\w-$", line)]
    assert broken == []


@pytest.mark.parametrize("word", PRIVATE)
def test_no_help_has_a_private_word(word: str) -> None:
    assert [name for name, text in helps() if word in text] == []


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("status", "Show the deployed resources of SOURCE"),
        ("refresh", "Read the deployed resources of SOURCE again"),
        ("destroy", "Delete all deployed resources of SOURCE."),
    ],
)
def test_what_is_deployed_is_called_so(name: str, first: str) -> None:
    assert dict(helps())[f"gpuinfra {name}"].startswith(first)


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


@pytest.mark.parametrize("group", [("sandbox",), ("sandbox", "fault"), ("engine",), ("policy",)])
def test_the_commands_of_a_group_are_listed_with_whole_sentences(capsys, group) -> None:
    assert run([*group, "--help"]) == 0

    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


def test_the_commands_stand_in_sections_each_once_and_aligned(capsys) -> None:
    assert run(["--help"]) == 0
    _, start, rest = capsys.readouterr().out.partition("\n\nWrite:")
    told = f"{start.strip()}{rest}"
    found = re.findall(r"^(\S.*):$|^  ([a-z]+) +(?=\S)", told, re.MULTILINE)

    titles = [title for title, _ in found if title]
    assert titles == ["Write", "Judge and price", "Choose and buy", "Build", "Tools"]
    assert [name for _, name in found if name] == [name for name, _ in COMMANDS]
    assert found.index(("Build", "")) < found.index(("", "up")) < found.index(("Tools", ""))
    assert (
        len({hit.end() - hit.start() for hit in re.finditer(r"(?m)^  [a-z]+ +(?=\S)", told)}) == 1
    )


def test_the_lines_of_completion_stay_apart(capsys) -> None:
    assert run(["completion", "--help"]) == 0
    told = capsys.readouterr().out

    assert "\\b" not in told
    assert '\n  bash, in ~/.bashrc:  eval "$(gpuinfra completion bash)"\n' in told


@pytest.mark.parametrize(
    ("word", "ours"),
    [("rules", "explain"), ("validate", "check"), ("deploy", "up"), ("outputs", "status")],
)
def test_a_command_of_another_tool_is_told_ours(capsys, word: str, ours: str) -> None:
    assert run([word]) == 2

    assert f"`gpuinfra {ours}`" in capsys.readouterr().err


def test_no_command_hides_behind_the_name_of_another() -> None:
    context = click.Context(cli)
    ours = cli.list_commands(context)

    assert OTHER_COMMANDS.keys().isdisjoint(ours)
    assert {words.split("`")[1].split()[1] for words in OTHER_COMMANDS.values()} <= {*ours}


def test_explain_shows_the_short_form_of_a_key(capsys) -> None:
    assert run(["explain", "gpu"]) == 0

    assert "L4:1" in capsys.readouterr().out


def test_doctor_is_as_wide_as_it_has_to_be(capsys, monkeypatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    run(["doctor"])
    lines = capsys.readouterr().out.splitlines()

    assert str(Path.home()) not in "".join(line for line in lines if "Pulumi engine" in line)
    assert lines[0].endswith("fix") == any("✗" in line for line in lines)


@pytest.mark.parametrize("group", ["", "catalog", "sandbox", "engine", "policy"])
def test_a_group_alone_prints_its_help_and_no_error(capsys, group: str) -> None:
    assert run([group] if group else []) == 2
    alone = capsys.readouterr()
    run([*([group] if group else []), "--help"])

    assert alone.err == ""
    assert alone.out == capsys.readouterr().out


def test_a_missing_choice_lists_the_choices_on_one_line(capsys) -> None:
    assert run(["completion"]) == 2

    assert "\n  allowed: bash, zsh, fish\n" in capsys.readouterr().err
