"""The problems of a command line that click refuses, with what to type instead."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import click

from gpuinfra.cli.hints import running_command
from gpuinfra.errors import Problem
from gpuinfra.similar_words import nearest

INSTEAD = {
    "--spot": "--capacity spot",
    "--on-demand": "--capacity on-demand",
    "--model": "--for-model",
    **dict.fromkeys(("--duration", "--hours"), "--for"),
    **dict.fromkeys(("--budget", "--max-price", "--price"), "--max-per-hour 2"),
    **dict.fromkeys(("--gpu-memory", "--min-memory", "--vram"), "--memory 80GB.."),
}
"""Options of other tools and commands, each with gpuinfra's option for it."""

STACK_FILE_HINTS = {
    **dict.fromkeys(
        ("--region", "--regions", "--where"), "the region is in the file: where: {regions: […]}"
    ),
    **dict.fromkeys(("--cloud", "--provider"), "the cloud is in the file: where: {cloud: …}"),
    **dict.fromkeys(
        ("--gpu", "--gpus", "--instance"), "the GPU is in the file: gpu: … of the workload"
    ),
    **dict.fromkeys(
        ("--nodes", "--replicas"),
        "the machines are in the file: nodes: or replicas: of the workload",
    ),
    **dict.fromkeys(
        ("--budget", "--per-hour", "--per-month"),
        "the caps are in the file: budget: {per_hour: …}",
    ),
    **dict.fromkeys(
        ("--spot", "--on-demand", "--capacity"),
        "the purchase option is in the file: capacity: … of the workload",
    ),
    "--duration": "the duration is in the file: duration: … of the workload",
}
"""Options that no command on a stack takes, since its file says that, nor one that writes it."""


def usage_problem(error: click.ClickException) -> Problem:
    """Return the problem of a command line that click refuses, with what to type instead."""
    choice = _choice_problem(error)
    if choice is not None:
        return choice
    fix = getattr(error, "fix", "") or next(_fixes(error), "")
    if isinstance(error, click.NoSuchOption):
        suggestion = "" if fix or error.ctx is None else _nearest_option(error, error.ctx)
        message = f"unknown option {error.option_name}"
        return Problem(message=message, suggestion=suggestion, fix=fix)
    parameter = getattr(error, "param", None)
    if isinstance(error, click.MissingParameter) and parameter is not None:
        return Problem(message=f"{_name_of(parameter)} is missing", fix=fix)
    extra = _EXTRA.search(error.message)
    message = f"unexpected argument {extra[1]}" if extra else error.message.rstrip(".")
    if message[1:2].islower():
        message = f"{message[0].lower()}{message[1:]}"
    if isinstance(error, click.BadParameter) and parameter is not None:
        message = f"{_name_of(parameter)}: {message}"
    return Problem(message=message, suggestion=getattr(error, "suggestion", ""), fix=fix)


def _name_of(parameter: click.Parameter) -> str:
    """Return an option by its longest name, and an argument in capitals as in the usage."""
    is_option = isinstance(parameter, click.Option)
    return max(parameter.opts, key=len) if is_option else str(parameter.name).upper()


def _nearest_option(error: click.NoSuchOption, context: click.Context) -> str:
    """Return the known option closest to an unknown one; empty if none is."""
    option_spellings = {
        name.lstrip("-"): name for parameter in context.command.params for name in parameter.opts
    }
    return option_spellings.get(nearest(error.option_name.lstrip("-"), option_spellings), "")


def _fixes(error: click.ClickException) -> Iterator[str]:
    """Yield what to type instead of an unknown option or an extra argument."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    parameters = [] if context is None else context.command.params
    if isinstance(error, click.NoSuchOption):
        instead = _other_option(error.option_name, parameters)
        if _reads_stack(parameters) and error.option_name in STACK_FILE_HINTS:
            yield STACK_FILE_HINTS[error.option_name]
        elif instead:
            yield f"write {instead}"
    elif extra := _EXTRA.search(error.message):
        yield from _extra_argument_hints(extra[1], parameters)


def _other_option(name: str, parameters: Iterable[click.Parameter]) -> str:
    """Return what the command takes in place of an option of another tool; empty for nothing."""
    instead = INSTEAD.get(name, "")
    return (
        instead
        if any(instead.partition(" ")[0] in parameter.opts for parameter in parameters)
        else ""
    )


def _reads_stack(parameters: Iterable[click.Parameter]) -> bool:
    return any(parameter.name in {"source", "sources", "folder"} for parameter in parameters)


def _choice_problem(error: click.ClickException) -> Problem | None:
    """Return the problem of a missing or wrong value of a parameter with choices; else None."""
    parameter = getattr(error, "param", None)
    if parameter is None or not isinstance(parameter.type, click.Choice):
        return None
    is_missing = isinstance(error, click.MissingParameter)
    wrong_value = _CHOSEN.match(error.message)
    if not (is_missing or wrong_value):
        return None
    choices = tuple(map(str, parameter.type.choices))
    name = _name_of(parameter)
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
        yield "name one SOURCE at a time"
    elif "gpu" in names:
        gpu, colon, _ = extra.partition(":")
        command = f"choose {extra}" if colon else f"catalog show {gpu}"
        yield f"write --gpu {gpu}, or gpuinfra {command}"


_EXTRA = re.compile(r"unexpected extra arguments? \((\S+?)[ )]")
