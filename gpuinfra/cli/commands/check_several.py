"""`gpuinfra check` of several SOURCEs: each with a heading, then one line that sums up."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import click

from gpuinfra import __version__
from gpuinfra.cli import outputs
from gpuinfra.cli.each_source import Sources, head
from gpuinfra.cli.hints import running_command
from gpuinfra.cli.views.layout import wrapped
from gpuinfra.cli.views.render import (
    json_text,
    note,
    show_json,
    show_problems,
)
from gpuinfra.errors import GpuinfraError, InputError, Problem
from gpuinfra.report import faults, several
from gpuinfra.report.several import SourceResult

Judge = Callable[[Path, dict[str, Any], tuple[str, ...]], outputs.Judged]
Each = Sequence[tuple[SourceResult, outputs.Judged | None]]


def check(given: Sources, chosen_outputs: Sequence[outputs.Output], judge: Judge) -> int:
    """Judge each source and write all in every format that was asked for; the worst exit code.

    A source that can't be judged does not keep the others from it.

    Raises:
        InputError: files that can't be written; all others are.
    """
    printed = any(output.file is None and output.format == "table" for output in chosen_outputs)
    quiet = given.options["detail"] == "quiet"
    each: list[tuple[SourceResult, outputs.Judged | None]] = []
    for source in given.sources:
        if printed and not quiet:
            head(source, first=not each)
        judged = _judged(source, judge, *given.of(source))
        if printed and quiet and judged[0].exit_code:
            head(source, first=not any(result.exit_code for result, _ in each))
        each.append(judged)
        if printed:
            _show(judged[1])
    results = [result for result, _ in each]
    if printed:
        _show_ending(results, quiet=quiet)
    _deliver(each, [output for output in chosen_outputs if output.file or not printed])
    return several.exit_code(results)


def _judged(
    source: Path, judge: Judge, options: dict[str, Any], rung: tuple[str, ...]
) -> tuple[SourceResult, outputs.Judged | None]:
    try:
        judged = judge(source, options, rung)
    except GpuinfraError as error:
        note(f"not judged: {source}")
        show_problems(error)
        return SourceResult(source=source, result=error), None
    return SourceResult(source=source, result=judged.report), judged


def _show(judged: outputs.Judged | None) -> None:
    """Print one judgement below its heading."""
    if judged is None:
        click.secho("FAIL, not judged", fg="red", bold=True)
    else:
        judged.table()


def _show_ending(results: Sequence[SourceResult], *, quiet: bool = False) -> None:
    """Print the line that sums up; of a quiet check, only where one fails."""
    code = several.exit_code(results)
    if code or not quiet:
        words = wrapped(several.ending(results), "  ")
        click.echo()
        click.secho(words, fg="red" if code else "green", bold=True)


def _deliver(each: Each, chosen_outputs: Sequence[outputs.Output]) -> None:
    """Write all judgements as one document in each format.

    Raises:
        InputError: files that can't be written; all others are.
    """
    results = [result for result, _ in each]
    problems: list[Problem] = []
    writers: dict[str, Callable[[], str]] = {
        **several.writers(results, __version__),
        "json": lambda: json_text(_document(each)),
        "table": lambda: _table(each),
    }
    for output in sorted(chosen_outputs, key=lambda output: output.file is None):
        if output.file is not None:
            problems += outputs.put(output.file, writers[output.format]())
        elif output.format == "json":
            show_json(_document(each))
        else:
            click.echo(writers[output.format](), nl=False)
            running_command().shown = True
    if any(output.format == "github" for output in chosen_outputs):
        problems += outputs.append_summary(lambda limit: several.as_markdown(results, limit))
    if problems:
        raise InputError(problems)


def _document(each: Each) -> dict[str, object]:
    """All judgements as docs/json.md has them."""
    return {
        "sources": [
            {"source": str(result.source), **_document_of(result, judged)}
            for result, judged in each
        ]
    }


def _document_of(result: SourceResult, judged: outputs.Judged | None) -> Mapping[str, object]:
    if judged is not None:
        return judged.document()
    return faults.in_json(result.result) if isinstance(result.result, GpuinfraError) else {}


def _table(each: Each) -> str:
    with redirect_stdout(StringIO()) as text:
        for number, (result, judged) in enumerate(each):
            head(result.source, first=number == 0)
            _show(judged)
        _show_ending([result for result, _ in each])
    return text.getvalue()
