"""`gpuinfra init`: write a short or a commented stack file, and a CI pipeline that checks it."""

import json
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Final

import click

from gpuinfra.cli import answers, drafts
from gpuinfra.cli.cheapest import CheapestStackFile, cloud_of_place
from gpuinfra.cli.commented_file import is_everything, starter_of
from gpuinfra.cli.confirmation import confirm
from gpuinfra.cli.hints import command_without
from gpuinfra.cli.new_files import (
    PIPELINES,
    existing_file_error,
    requirement_of,
    write_new_file,
    write_pipeline,
)
from gpuinfra.cli.options import NumberedChoice
from gpuinfra.cli.program_options import options_to_configure
from gpuinfra.cli.short_file import (
    InitLocation,
    ShortFile,
    naming_the_option,
    settings_options,
)
from gpuinfra.cli.views.render import note, show_problems
from gpuinfra.errors import InputError, command_line
from gpuinfra.similar_words import nearest
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.defaults import stack_name
from gpuinfra.stackfile.file_names import PROJECT_FILES, free_folder
from gpuinfra.stackfile.git_user import default_owner
from gpuinfra.stackfile.starter import KIND_WORDS, MODELINE, SCHEMA, SHORT_FILES, STARTERS, starter
from gpuinfra.stackfile.starter_settings import WorkloadSettings
from gpuinfra.units import format_money

DEFAULT_STACK_KIND = "development"
"""The default kind of stack."""

CONFIRM_ABOVE_USD = 10_000
"""US dollars a month above which a new file needs a confirmation; a warning where none is asked.

One machine of 1 GPU stays below it; one of 8 H100 costs several times as much.
"""

_QUESTIONS: Final = "three questions; Enter takes the answer in brackets"
_KIND_QUESTION: Final = "What to build? A number or a name"
_HOW_BIG: Final = "How big? The GPUs of one machine"
_LOCATION_QUESTION: Final = "Where? A region, a cloud, a continent, or any"

GITIGNORE = """\
# Reports of a check, and previews and states of Pulumi, which may hold secrets.
gpuinfra.sarif
gpuinfra.md
*.html
preview.json
state.json
"""


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", default=None, help="The stack's name; default the folder's.")
@click.option(
    "--what",
    type=NumberedChoice([*SHORT_FILES, "everything"], KIND_WORDS),
    default=None,
    help="What to build; everything is a commented file with a run, a pool and a bucket.",
)
@click.option(
    "--gpu", metavar="GPU:COUNT", help="How big: the GPUs of one machine, for example L4:1."
)
@click.option(
    "--where",
    "--region",
    "where",
    metavar="REGION",
    help="Where: a region or a cloud; or a city, a country, a continent or any, of which the "
    "cheapest region is written.",
)
@click.option(
    "--cloud",
    type=click.Choice(list(STARTERS)),
    default=None,
    help="Limit --where to regions of this cloud.",
)
@settings_options
@click.option(
    "--ci",
    type=click.Choice(list(PIPELINES)),
    default=None,
    help="Also write the CI configuration of this system; an existing stack.yaml is kept.",
)
@click.option(
    "--install",
    default=None,
    help="What pip installs in CI: a wheel of the repository or git+https://…; needed unless this "
    "gpuinfra was installed from git.",
)
def command(
    folder: Path,
    name: str | None,
    what: str | None,
    gpu: str | None,
    where: str | None,
    cloud: str | None,
    ci: str | None,
    install: str | None,
    settings: WorkloadSettings,
) -> None:
    """Write a stack.yaml into FOLDER; never over one that is there.

    With --ci alone, a folder with a Pulumi program gets no stack.yaml: its program is checked.
    --where europe compares all regions there where the GPUs are sold and have a known price.
    On a terminal it asks what to build, how big, and where. With --what, or without a terminal, it
    asks nothing: one machine to develop on, in the configured region, else on the cloud on which
    the file passes `gpuinfra check` with the fewest warnings. Warnings that stay are printed.
    """
    target = folder / FILE_NAME
    has_program = any((folder / project).exists() for project in PROJECT_FILES)
    given = (name, what, gpu, where, cloud, None if settings.is_empty else settings)
    has_options = any(value is not None for value in given)
    of_program = has_program and not has_options and not target.exists()
    installed = requirement_of(ci, install, of_program=of_program)
    if ci is None or not (target.exists() or of_program):
        if target.exists():
            raise existing_file_error(target, "stack file", _elsewhere(folder))
        cloud = cloud_of_place(where, cloud)
        if is_everything(what, gpu, settings):
            owner, _ = default_owner(folder)
            stack = name or stack_name(folder) or "my-stack"
            text = MODELINE + starter(stack, starter_of(where, cloud), owner)
            _write_files(folder, CheapestStackFile(text=text))
        else:
            with naming_the_option("gpu" if settings.instance is None else "instance"):
                location = InitLocation(where or cloud, cloud)
                cheapest = _short_file(folder, what, gpu, location, name, settings)
            _write_files(folder, cheapest, is_interactive=_asks_questions(what), by_cost=True)
        if has_program:
            check_command = command_line("check", folder, "--program")
            note(f"the folder also has a Pulumi program; check it with: {check_command}")
    if ci is not None:
        write_pipeline(ci, folder, installed, of_program=of_program)
    note(f"next: {command_line('check', folder, *options_to_configure(folder, of_program))}")
    if target.exists():
        for words in (("cost", folder), ("plan", folder), ("up", folder, "--target", "sandbox")):
            note(f"then: {command_line(*words)}")


def _elsewhere(folder: Path) -> str:
    """Return the command that writes the stack file into a new folder instead."""
    free = free_folder() if folder == Path() else free_folder(str(folder))
    command = command_without(str(folder), free)
    return f"move the file away first, or write into another folder: {command}"


def _short_file(
    folder: Path,
    what: str | None,
    gpu: str | None,
    location: InitLocation,
    name: str | None,
    settings: WorkloadSettings,
) -> CheapestStackFile:
    """Return a short stack file from the options or from the answers to three questions."""
    if gpu is not None and settings.instance is not None:
        raise click.UsageError("name the machine once: as --gpu, or as --instance")
    is_interactive = _asks_questions(what)
    gpu = settings.instance or gpu
    file = ShortFile(
        folder,
        _ask_for_kind() if is_interactive else what or DEFAULT_STACK_KIND,
        location,
        name,
        settings,
    )
    size = gpu or file.suggested_gpu()
    if is_interactive and gpu is None:
        size = _ask_for_gpu(file, size)
    where = location.where or drafts.best_cloud(folder, partial(file.text, size))
    while is_interactive and location.where is None:
        offered = partial(file.checked_location, size, other_gpu=gpu is None)
        try:
            where = answers.ask(_LOCATION_QUESTION, where, offered)
            break
        except answers.OtherGpuError as error:
            show_problems(error)
            size = _ask_for_gpu(file, size)
    if not is_interactive:
        option_values = {"--what": what, "--gpu": gpu, "--where": location.where}
        if what is None and answers.is_input_left():
            note(answers.UNREAD_ANSWERS)
        if words := _assumed_options(option_values, (DEFAULT_STACK_KIND, size, where)):
            note(words)
    return file.create_file(file.with_count(size, where), where)


def _assumed_options(option_values: Mapping[str, str | None], option_texts: Sequence[str]) -> str:
    """Return what was taken for the options that were not given; empty if all were."""
    words = [
        f"{option} {value}"
        for (option, answer), value in zip(option_values.items(), option_texts, strict=True)
        if answer is None and value != drafts.DEFAULT_LOCATION
    ]
    if drafts.DEFAULT_LOCATION in option_texts:
        words += [f"region {region} ({source})" for region, source in drafts.configured_regions()]
    return f"assumed: {', '.join(words)}" if words else ""


def _ask_for_gpu(file: ShortFile, size: str) -> str:
    return answers.ask(_HOW_BIG, size, file.checked_gpu)


def _asks_questions(what: str | None) -> bool:
    """Return whether `init` asks questions: without --what, if both streams are terminals."""
    return what is None and sys.stdin.isatty() and sys.stdout.isatty()


def _ask_for_kind() -> str:
    """Ask what to build and return the answer."""
    click.echo(_QUESTIONS)
    for number, (key, (kind_text, _, _)) in enumerate(SHORT_FILES.items(), 1):
        click.echo(f"  {number}  {key:12} {kind_text}")
    return answers.ask(_KIND_QUESTION, DEFAULT_STACK_KIND, _kind)


def _kind(answer: str) -> str:
    """Return the kind of stack that an answer means.

    Raises:
        InputError: it means none.
    """
    try:
        return NumberedChoice(list(SHORT_FILES), KIND_WORDS).convert(answer, None, None)
    except click.BadParameter:
        raise InputError.of(
            f"{answer!r} is no kind of stack",
            allowed=f"1 to {len(SHORT_FILES)}, or {', '.join(SHORT_FILES)}",
            suggestion=nearest(answer, (*SHORT_FILES, *KIND_WORDS)),
        ) from None


def _write_files(
    folder: Path,
    cheapest: CheapestStackFile,
    *,
    is_interactive: bool = False,
    by_cost: bool = False,
) -> None:
    """Write a stack file, its schema for editors and .gitignore; print the cost.

    With `by_cost`, its caps were made of its maximum cost.
    """
    from gpuinfra.stackfile.json_schema import schema  # noqa: PLC0415

    judged = drafts.check_draft(folder, cheapest.text)
    costs = (cheapest.comparison, *judged.machines, f"costs {judged.totals}", judged.expected)
    for line in filter(None, costs):
        note(line)
    if is_interactive and judged.per_month > CONFIRM_ABOVE_USD:
        confirm("write it?", "nothing was written")
    write_new_file(folder / FILE_NAME, cheapest.text, "stack file")
    for file_name, content, aim in (
        (SCHEMA, json.dumps(schema(), indent=1) + "\n", "for editors"),
        (".gitignore", GITIGNORE, "for reports and previews"),
    ):
        if not (folder / file_name).exists():
            write_new_file(folder / file_name, content, file_name, aim)
    note(judged.caps_text(above=by_cost))
    if not is_interactive and judged.per_month > CONFIRM_ABOVE_USD:
        note(
            f"warning: that is up to {format_money(judged.per_month)} a month, more than"
            f" {format_money(Decimal(CONFIRM_ABOVE_USD))}: read the file before gpuinfra up"
        )
    for line in dict.fromkeys(judged.warnings):
        note(f"check warns: {line}")
