"""A command over several SOURCEs: each with a heading, one document in JSON."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from gpuinfra.api.source_kinds import is_pulumi_file
from gpuinfra.cli import programs
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views.render import clean, heading, note, show_json, show_problems
from gpuinfra.errors import GpuinfraError
from gpuinfra.records import record
from gpuinfra.units import format_count

BESIDE: Final = ("settings", "stack", "waivers")
"""The options that say beside a preview, a state or a program what a stack file says itself."""


def _nothing() -> None:
    """Say nothing."""


@record
class Answer:
    """What a command shows of one source.

    Attributes:
        table: prints it as a table.
        document: makes it as JSON.
        fails: whether the exit code is 1.
        tell: prints what goes to the error stream after it.
    """

    table: Callable[[], None]
    document: Callable[[], Mapping[str, object]]
    fails: bool = False
    tell: Callable[[], None] = _nothing

    @property
    def exit_code(self) -> int:
        """1 where it fails, else 0."""
        return 1 if self.fails else 0


OfSource = Callable[[Path, dict[str, Any], tuple[str, ...]], Answer]


@record
class Sources:
    """Sources with what kind each is, and the options that were given for all of them."""

    kinds: Mapping[Path, str]
    options: Mapping[str, Any]
    rung: tuple[str, ...]

    @property
    def sources(self) -> Sequence[Path]:
        """The sources in their order."""
        return tuple(self.kinds)

    def of(self, source: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The options of one source: without those for other kinds, if there are such others."""
        own, kind, others = dict(self.options), self.kinds[source], set(self.kinds.values())
        if kind == "stack" and others != {"stack"}:
            own.update(dict.fromkeys(BESIDE))
        if kind != "program" and "program" in others:
            own.update(program=False, config_of=None, config=(), config_unknown=False)
        return own, self.rung if kind == "stack" or "stack" not in others else ()


def of_options(
    sources: Sequence[Path], options: Mapping[str, Any], rung: tuple[str, ...]
) -> Sources:
    """The sources of a command with its options; each once, the current folder if none."""
    seen: dict[str, Path] = {}
    for source in sources or (Path(),):
        seen.setdefault(os.path.realpath(source), source)
    kinds = {source: _kind(source, forced=options["program"]) for source in seen.values()}
    return Sources(kinds=kinds, options=options, rung=rung)


def _kind(source: Path, *, forced: bool) -> str:
    if programs.program_folder(source, forced=forced) is not None:
        return "program"
    with suppress(GpuinfraError):
        return "pulumi" if is_pulumi_file(source) else "stack"
    return "pulumi"


def head(source: Path, *, first: bool) -> None:
    """Print the heading of one of several sources."""
    if not first:
        click.echo()
    heading(clean(str(source)))


def show(sources: Sources, answer: OfSource, format_: str, detail: Detail) -> int:
    """Show what a command finds of each source; the worst exit code.

    Raises:
        GpuinfraError: the only source can't be read; of several, that is told and the others are
            shown.
    """
    if len(sources.sources) == 1:
        only = answer(sources.sources[0], dict(sources.options), sources.rung)
        if format_ == "json":
            show_json(only.document())
        else:
            only.table()
        only.tell()
        return only.exit_code
    if format_ == "json":
        return _as_documents(sources, answer)
    return _as_tables(sources, answer, quiet=detail == "quiet")


def _as_documents(sources: Sources, answer: OfSource) -> int:
    from gpuinfra.report import faults  # noqa: PLC0415  (seldom needed)

    documents: list[Mapping[str, object]] = []
    codes: list[int] = []
    for source in sources.sources:
        result = _answered(source, sources, answer)
        if isinstance(result, Answer):
            documents.append({"source": str(source), **result.document()})
            result.tell()
        else:
            documents.append({"source": str(source), **faults.in_json(result)})
        codes.append(result.exit_code)
    show_json({"sources": documents})
    return max(codes)


def _as_tables(sources: Sources, answer: OfSource, *, quiet: bool) -> int:
    shown, codes = 0, []
    for source in sources.sources:
        result = _answered(source, sources, answer)
        codes.append(result.exit_code)
        if isinstance(result, Answer) and (result.fails or not quiet):
            head(source, first=not shown)
            result.table()
            result.tell()
            shown += 1
    unread = sum(code > 1 for code in codes)
    if unread:
        note(f"{format_count(len(codes), 'source')}: {unread} not read")
    return max(codes)


def _answered(source: Path, sources: Sources, answer: OfSource) -> Answer | GpuinfraError:
    try:
        return answer(source, *sources.of(source))
    except GpuinfraError as error:
        note(f"not read: {source}")
        show_problems(error)
        return error
