"""The running command as typed, for hints that can be copied and for errors."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import click

from gpuinfra.errors import PROGRAM, Problem, command_line
from gpuinfra.similar_words import nearest


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


ONCE = {"--write-waivers": 0, "--owner": 1, "--reason": 1, "--until": 1, "-q": 0, "--quiet": 0}
"""Options that a second run leaves out, with how many words each takes."""


def command_with(*more: str) -> str:
    """Return the running command with more options, quoted for a shell."""
    return shlex.join((PROGRAM, *_kept_arguments(running_command().arguments), *more))


def command_with_value(option: str, value: str) -> str:
    """Return the running command with another value of an option."""
    kept_arguments = _kept_arguments(running_command().arguments, {**ONCE, option: 1})
    return shlex.join((PROGRAM, *kept_arguments, option, value))


def command_without(word: str, *more: str) -> str:
    """Return the running command with a word of it, and the option before it, left out."""
    typed = list(_kept_arguments(running_command().arguments))
    argument_index = next(
        (
            argument_index
            for argument_index, argument in enumerate(typed)
            if word in {argument, argument.partition("=")[2]}
        ),
        None,
    )
    if argument_index is not None:
        option = (
            typed[argument_index] == word
            and argument_index > 0
            and typed[argument_index - 1].startswith("--gpu")
        )
        del typed[argument_index - option : argument_index + 1]
    return shlex.join((PROGRAM, *typed, *more))


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


INSTEAD = {
    "--spot": "--capacity spot",
    "--on-demand": "--capacity on-demand",
    "--model": "--for-model",
    **dict.fromkeys(("--duration", "--hours"), "--for"),
    **dict.fromkeys(("--gpu-memory", "--min-memory", "--vram"), "--memory 80GB.."),
}
"""Options of other tools and commands, each with gpuinfra's option for it."""

STACK_FILE_HINTS = {
    **dict.fromkeys(
        ("--region", "--regions", "--where"), "The region is in the file: where: {regions: […]}"
    ),
    **dict.fromkeys(("--cloud", "--provider"), "The cloud is in the file: where: {cloud: …}"),
    **dict.fromkeys(
        ("--gpu", "--gpus", "--instance"), "The GPU is in the file: gpu: … of the workload"
    ),
    **dict.fromkeys(
        ("--nodes", "--replicas"),
        "The machines are in the file: nodes: or replicas: of the workload",
    ),
    **dict.fromkeys(
        ("--budget", "--per-hour", "--per-month"),
        "The caps are in the file: budget: {per_hour: …}",
    ),
    **dict.fromkeys(
        ("--spot", "--on-demand", "--capacity"),
        "The purchase option is in the file: capacity: … of the workload",
    ),
    "--duration": "The duration is in the file: duration: … of the workload",
}
"""Options that no command on a stack takes, since its file says that, nor one that writes it."""


def with_guess(error: click.ClickException) -> click.ClickException:
    """Return the error with the known option closest to an unknown one."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    parameters = error.ctx.command.params
    if _other_option(error.option_name, parameters) or (
        error.option_name in STACK_FILE_HINTS and _reads_stack(parameters)
    ):
        return click.NoSuchOption(error.option_name, ctx=error.ctx)
    option_spellings = {
        name.lstrip("-"): name for parameter in parameters for name in parameter.opts
    }
    suggestion = nearest(error.option_name.lstrip("-"), option_spellings)
    guesses = [option_spellings[suggestion]] if suggestion else None
    return click.NoSuchOption(error.option_name, possibilities=guesses, ctx=error.ctx)


def hints_for(error: click.ClickException) -> Iterator[str]:
    """Yield what to type instead of an unknown option or an extra argument."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    parameters = [] if context is None else context.command.params
    if isinstance(error, click.NoSuchOption):
        instead = _other_option(error.option_name, parameters)
        if _reads_stack(parameters) and error.option_name in STACK_FILE_HINTS:
            yield STACK_FILE_HINTS[error.option_name]
        elif instead:
            yield f"Write {instead}"
    elif extra := _EXTRA.search(error.message):
        yield from _extra_argument_hints(extra[1], parameters)


def _other_option(name: str, parameters: Iterable[click.Parameter]) -> str:
    """Return what the command takes in place of an option of another tool; empty for nothing."""
    replacement = INSTEAD.get(name, "")
    return (
        replacement
        if any(replacement.partition(" ")[0] in parameter.opts for parameter in parameters)
        else ""
    )


def _reads_stack(parameters: Iterable[click.Parameter]) -> bool:
    return any(parameter.name in {"source", "sources", "folder"} for parameter in parameters)


def choice_problem(error: click.ClickException) -> Problem | None:
    """Return the problem of a missing or wrong value of a parameter with choices; else None."""
    parameter = getattr(error, "param", None)
    if parameter is None or not isinstance(parameter.type, click.Choice):
        return None
    is_missing = isinstance(error, click.MissingParameter)
    wrong_value = _CHOSEN.match(error.message)
    if not (is_missing or wrong_value):
        return None
    choices = tuple(map(str, parameter.type.choices))
    is_option = isinstance(parameter, click.Option)
    name = max(parameter.opts, key=len) if is_option else str(parameter.name).upper()
    message = (
        f"the value of {name} is not an accepted word" if wrong_value else f"{name} is missing"
    )
    return Problem(
        message=message,
        value=wrong_value[1] if wrong_value else "",
        allowed=", ".join(choices),
        suggestion=nearest(wrong_value[1], choices) if wrong_value else "",
    )


_CHOSEN = re.compile(r"'(.*)' is not one of ")


def _extra_argument_hints(extra: str, parameters: Iterable[click.Parameter]) -> Iterator[str]:
    names = {parameter.name for parameter in parameters}
    flags = {
        name
        for parameter in parameters
        if getattr(parameter, "is_flag", False)
        for name in parameter.opts
    }
    argument_pairs = pairwise(running_command().arguments)
    flag = next(
        (first for first, second in argument_pairs if second == extra and first in flags), None
    )
    if flag:
        yield f"{flag} accepts no value: remove {extra}"
    elif "source" in names:
        yield "Name one SOURCE at a time"
    elif "gpu" in names:
        gpu, colon, _ = extra.partition(":")
        command = f"choose {extra}" if colon else f"catalog show {gpu}"
        yield f"Write --gpu {gpu}, or gpuinfra {command}"


_EXTRA = re.compile(r"unexpected extra arguments? \((\S+?)[ )]")


def _kept_arguments(
    arguments: tuple[str, ...], left_out: Mapping[str, int] = ONCE
) -> Iterator[str]:
    skipped = 0
    for argument in arguments:
        name, value, _ = argument.partition("=")
        if skipped:
            skipped -= 1
        elif name in left_out:
            skipped = 0 if value else left_out[name]
        else:
            yield argument


def wants_json(arguments: tuple[str, ...]) -> bool:
    """Return whether the arguments ask for JSON."""
    return "--json" in arguments or requests_format(arguments, "json")


def requests_format(arguments: tuple[str, ...], format_: str) -> bool:
    """Return whether the arguments ask for a format."""
    return f"--format={format_}" in arguments or ("--format", format_) in pairwise(arguments)
