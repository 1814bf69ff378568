"""The running command as typed, for hints that can be copied and for errors."""

import shlex
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import click

from gpuinfra.errors import PROGRAM, command_line


@dataclass(eq=False, repr=False)
class RunningCommand:
    """The command that is running.

    Attributes:
        arguments: as they were typed.
        printed_json: a JSON document was printed.
    """

    arguments: tuple[str, ...] = ()
    printed_json: bool = False


def running_command() -> RunningCommand:
    """Return the running command; an empty one outside of a command."""
    context = click.get_current_context(silent=True)
    root = context.find_root().obj if context else None
    return root if isinstance(root, RunningCommand) else RunningCommand()


ONCE = frozenset({"--write-waivers", "--owner", "--reason", "--until", "--quiet"})
"""Options that a second run leaves out."""


def command_with(*more: str) -> str:
    """Return the running command with more options, quoted for a shell."""
    return shlex.join((PROGRAM, *_kept_words(), *more))


def command_with_value(option: str, value: str) -> str:
    """Return the running command with another value of an option."""
    return shlex.join((PROGRAM, *_kept_words(ONCE | {option}), option, value))


def command_without(word: str, *more: str) -> str:
    """Return the running command with a word of it, and the option before it, left out."""
    typed = _kept_words()
    index = next(
        (
            index
            for index, argument in enumerate(typed)
            if word in {argument, argument.partition("=")[2]}
        ),
        None,
    )
    if index is not None:
        option = typed[index] == word and index > 0 and typed[index - 1].startswith("--gpu")
        del typed[index - option : index + 1]
    return shlex.join((PROGRAM, *typed, *more))


def same_command_as(name: str, *more: str) -> str:
    """Return another command with the SOURCE and those options that it takes too, and more.

    A format of the output is left out, as is a word that only asks for more or less of it.
    """
    context = click.get_current_context()
    root = context.find_root()
    group = root.command
    other = group.get_command(root, name) if isinstance(group, click.Group) else None
    accepted = set() if other is None else {parameter.name for parameter in other.params}
    typed = _kept_words()
    typed.remove(str(context.info_name))
    kept_words = (
        word
        for option, words in _options_and_words(typed, context.command)
        if option is None or option.name in accepted - OUTPUT_OPTIONS
        for word in words
    )
    return shlex.join((PROGRAM, name, *kept_words, *more))


OUTPUT_OPTIONS = {"format_", "json_", "output", "detail"}
"""Parameters that say how to print, and change no result."""


@contextmanager
def only_source(source: Path, omitted: Collection[str]) -> Generator[None]:
    """Name one of several sources in hints, without the options that are for the others."""
    running, context = running_command(), click.get_current_context()
    typed = running.arguments
    other_sources = {*context.params["sources"]} - {source}
    kept_words = (
        word
        for option, words in _options_and_words(typed, context.command)
        if (option.name not in omitted if option else Path(*words) not in other_sources)
        for word in words
    )
    running.arguments = tuple(kept_words)
    try:
        yield
    finally:
        running.arguments = typed


def _options_and_words(
    arguments: Iterable[str], command: click.Command
) -> Iterator[tuple[click.Option | None, list[str]]]:
    """Yield each option with the words that give it, and None with each other word."""
    options = {
        name: parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }
    words = iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        option = options.get(name)
        has_value = option is not None and not (option.is_flag or option.count or equals)
        yield option, [word, *islice(words, option.nargs if option and has_value else 0)]


def command_of_source(name: str, *options: str) -> str:
    """Return another command on the SOURCE of the running command."""
    context = click.get_current_context(silent=True)
    source = context.params.get("source", ".") if context else "."
    return command_line(name, source, *options)


def clear_pending(target: str) -> str:
    """Return the advice about pending operations of the running command's stack."""
    command = command_of_source("refresh", "--target", target, "--clear-pending")
    return (
        "the outcome of pending operations is unknown: check whether these resources exist"
        f" outside of the state, delete them there, then run: {command}"
    )


def _kept_words(left_out: frozenset[str] = ONCE) -> list[str]:
    """Return the words of the running command without some of its options."""
    context = click.get_current_context(silent=True)
    return [
        word
        for option, words in (
            _options_and_words(running_command().arguments, context.command) if context else ()
        )
        if option is None or left_out.isdisjoint(option.opts)
        for word in words
    ]


def wants_json(arguments: tuple[str, ...]) -> bool:
    """Return whether the arguments ask for JSON."""
    return "--json" in arguments or requests_format(arguments, "json")


def requests_format(arguments: tuple[str, ...], format_: str) -> bool:
    """Return whether the arguments ask for a format."""
    return f"--format={format_}" in arguments or ("--format", format_) in pairwise(arguments)
