"""`gpuinfra init`: a short stack file or a commented one, and the file by which CI judges it."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import click

from gpuinfra.cli import answers, drafts
from gpuinfra.cli.options import Listed
from gpuinfra.cli.views.render import note
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.region_hints import regions_in
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.defaults import stack_name
from gpuinfra.stackfile.edit import written
from gpuinfra.stackfile.file_names import PROJECT_FILES
from gpuinfra.stackfile.git_user import default_owner
from gpuinfra.stackfile.starter import MODELINE, SCHEMA, SHORT, STARTERS, short, starter
from gpuinfra.units import plain

DEFAULT_WHAT = "development"
"""What to build where nothing is asked."""

CONFIRM_ABOVE = 10_000
"""US dollars a month above which what was asked for is confirmed before it is written."""

_HOW_BIG: Final = "How big? GPUs of one machine"
_WHERE: Final = "Where? A region, a cloud, a continent, or any"

PIPELINES = {"github": ".github/workflows/gpuinfra.yml", "gitlab": ".gitlab-ci.yml"}
BESIDE = {".gitlab-ci.yml": ".gitlab/gpuinfra.yml"}
"""Where a pipeline goes when the file it would be is there: that one has to include it."""


IGNORED = """\
# Reports of a check, and previews and states of Pulumi, which may hold secrets.
gpuinfra.sarif
gpuinfra.md
preview.json
state.json
"""


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", default=None, help="The stack's name; default the folder's.")
@click.option(
    "--what",
    type=click.Choice([*SHORT, "everything"]),
    default=None,
    help="What to build; everything is a commented file with a run, a pool and a bucket.",
)
@click.option(
    "--gpu", metavar="GPU:COUNT", help="How big: the GPUs of one machine, for example L4:1."
)
@click.option(
    "--where", metavar="REGION", help="Where: a region, a city, a continent, a cloud, or any."
)
@click.option(
    "--cloud",
    type=click.Choice(list(STARTERS)),
    default=None,
    help="Where the machines run; alone it means --what everything.",
)
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
) -> None:
    """Write a stack.yaml into FOLDER; never over one that is there.

    With --ci alone, a folder with a Pulumi program gets no stack.yaml: its program is checked.
    On a terminal it asks what to build, how big, and where. With --what, or without a terminal, it
    asks nothing: one machine to develop on, in the configured region, else on the cloud on which
    the file passes `gpuinfra check` with the fewest warnings. Warnings that stay are printed.
    """
    target = folder / FILE_NAME
    program = any((folder / project).exists() for project in PROJECT_FILES)
    asked = any(value is not None for value in (name, what, gpu, where, cloud))
    of_program = program and not asked and not target.exists()
    installed = install or ("" if ci is None else _installable(of_program=of_program))
    if ci is None or not (target.exists() or of_program):
        if target.exists():
            raise _taken(target, "stack file")
        stack = name or stack_name(folder) or "my-stack"
        if what == "everything" or (what is None and cloud is not None):
            owner, _ = default_owner(folder)
            text = MODELINE + starter(stack, cloud or _starter_of(where), owner)
        else:
            text = _short(folder, what, gpu, where or cloud, name)
        _written(folder, text, asks=_asks(what))
        if program:
            beside = command_line("check", folder, "--program")
            note(f"the folder also has a Pulumi program; check it with: {beside}")
    if ci is not None:
        _pipeline(ci, folder, installed, of_program=of_program)
    note(f"next: {command_line('check', folder)}")
    if target.exists():
        note(f"then: {command_line('cost', folder)}")


def _short(
    folder: Path, what: str | None, gpu: str | None, where: str | None, name: str | None
) -> str:
    """A short stack file, of what was asked for, or of the answers to three questions."""
    asks = _asks(what)
    what = _ask_for_kind() if asks else what or DEFAULT_WHAT

    def text(gpu: str, where: str) -> str:
        head = _head(folder, where, name)
        return drafts.capped(
            folder,
            lambda budget, cloud: short(what, gpu, head=head, budget=budget, cloud=cloud),
        )

    def sold(gpu: str) -> str:
        return answers.sound(gpu, lambda: text(gpu, drafts.WHERE))

    size = gpu or drafts.suggested_gpu(folder, what, lambda gpu: text(gpu, where or drafts.WHERE))
    if asks and gpu is None:
        size = click.prompt(_HOW_BIG, default=size, value_proc=sold)

    def offered(place: str) -> str:
        return answers.sound(place, lambda: text(size, place), other_gpu=gpu is None)

    if where is None:
        where = drafts.quietest(folder, partial(text, size))
        while asks:
            try:
                where = click.prompt(_WHERE, default=where, value_proc=offered)
                break
            except answers.OtherGpuError as error:
                click.echo(f"Error: {error}", err=True)
                size = click.prompt(_HOW_BIG, default=size, value_proc=sold)
    return _with_count(folder, size, partial(text, where=where))


def _with_count(folder: Path, size: str, text: Callable[[str], str]) -> str:
    """The text, with the number of GPUs that the chosen machine has where none was asked for."""
    plain_text = text(size)
    count = None if ":" in size else drafts.gpu_count(folder, plain_text)
    return plain_text if count is None else text(f"{size}:{plain(count)}")


def _asks(what: str | None) -> bool:
    """Whether questions are asked."""
    return what is None and sys.stdin.isatty() and sys.stdout.isatty()


def _starter_of(where: str | None) -> str:
    """The cloud of the commented file.

    Raises:
        click.UsageError: it is not written for this place.
    """
    if where is None or where in STARTERS:
        return where or next(iter(STARTERS))
    clouds = ", ".join(STARTERS)
    raise click.UsageError(f"--what everything takes a cloud as --where: {clouds}")


def _ask_for_kind() -> str:
    """The answer to the first question."""
    for number, (key, (words, _, _)) in enumerate(SHORT.items(), 1):
        click.echo(f"  {number}  {key:12} {words}")
    answer: str = click.prompt("What to build?", type=Listed(list(SHORT)), default=DEFAULT_WHAT)
    return answer


def _written(folder: Path, text: str, *, asks: bool) -> None:
    """Write a stack file, its schema for editors, and what git leaves out; say what it costs."""
    from gpuinfra.stackfile.json_schema import schema  # noqa: PLC0415

    judged = drafts.judged(folder, text)
    if asks and judged.per_month > CONFIRM_ABOVE:
        click.confirm(f"It costs {judged.totals}. Write it?", abort=True)
    _put(folder / FILE_NAME, text, "stack file")
    for place, content in (
        (SCHEMA, json.dumps(schema(), indent=1) + "\n"),
        (".gitignore", IGNORED),
    ):
        if not (folder / place).exists():
            _put(folder / place, content, place)
    note(f"costs {judged.totals}")
    for line in dict.fromkeys(judged.warnings):
        note(f"check warns: {line}")


def _head(folder: Path, where: str, name: str | None) -> str:
    """The lines for the owner, for what has no default here, and for what was asked."""
    lines = []
    if name or not stack_name(folder):
        lines.append(f"name: {written(name or 'my-stack')}")
    owner, _ = default_owner(folder)
    lines.append(f"{f'owner: {written(owner)}':28}  # a team or a person; a tag on everything")
    if where in CLOUDS:
        lines.append(f"where: {{cloud: {where}}}")
    elif where != "any":
        known = [region for cloud in CLOUDS for region in provider_of(cloud).regions.all()]
        regions = regions_in(where, known) or (where,)
        lines.append(f"where: {{regions: [{', '.join(map(written, regions))}]}}")
    return "".join(f"{line}\n" for line in lines)


def _pipeline(system: str, folder: Path, install: str, *, of_program: bool) -> None:
    """Write the file of a CI system into the checkout that holds the folder."""
    from gpuinfra.report.checkout import checkout, relative  # noqa: PLC0415
    from gpuinfra.report.ci import pipeline  # noqa: PLC0415  (a starter alone needs no rules)

    root = checkout(folder)
    inside = relative(folder, root)
    if inside is None:
        root, inside = folder, "."
    place = root / PIPELINES[system]
    text = pipeline(system, inside, install, of_program=of_program)
    beside = BESIDE.get(PIPELINES[system])
    if beside is not None and place.exists():
        _put(root / beside, text, "pipeline")
        note(f"add to {place}: include: [{{local: {beside}}}]")
    else:
        _put(place, text, "pipeline")
    note(f"it installs {install}: its runners have to reach that")


def _installable(*, of_program: bool) -> str:
    from gpuinfra.report.ci import installable  # noqa: PLC0415  (a starter alone needs no rules)

    return installable(of_program=of_program)


def _put(target: Path, text: str, what: str) -> None:
    """Write a new file.

    Raises:
        InputError: there is one, or it can't be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _taken(target, what) from None
    except OSError as error:
        problem = Problem(
            message=f"the {what} can't be written: {error.strerror}",
            value=str(target),
            fix="use a writable folder",
        )
        raise InputError([problem]) from None
    note(f"wrote {target}")


def _taken(target: Path, what: str) -> InputError:
    problem = Problem(
        message=f"a {what} already exists, and init never overwrites one",
        value=str(target),
        fix="use another folder, or move the file away first",
    )
    return InputError([problem])
