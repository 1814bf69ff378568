"""`gpuinfra check` for several sources: a heading for each, then a summary line."""

from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import click

from gpuinfra import __version__
from gpuinfra.cli import outputs
from gpuinfra.cli.each_source import SourceOptions, answer_source, documents, head
from gpuinfra.cli.hints import running_command
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import json_text, show_json
from gpuinfra.errors import GpuinfraError, InputError, Problem
from gpuinfra.report import multi_source_report
from gpuinfra.report.multi_source_report import SourceResult

Judge = Callable[[Path, dict[str, Any], tuple[str, ...]], outputs.CheckOutput]
SourceOutputs = Sequence[tuple[Path, outputs.CheckOutput | GpuinfraError]]


def check(
    selection: SourceOptions, chosen_outputs: Sequence[outputs.OutputOptions], judge: Judge
) -> int:
    """Judge each source, write every requested format, and return the worst exit code.

    A source that can't be judged does not keep the others from it.

    Raises:
        InputError: files that can't be written; all others are.
    """
    prints_table = outputs.PRINTED_TABLE in chosen_outputs
    is_quiet = selection.options["detail"] == "quiet"
    document: list[tuple[Path, outputs.CheckOutput | GpuinfraError]] = []
    for source in selection.sources:
        if prints_table and not is_quiet:
            head(source, first=not document)
        with selection.hints_on(source):
            judged_source = answer_source(source, selection, judge, "not judged")
            if prints_table and is_quiet and _result(source, judged_source).exit_code:
                head(source, first=not any(result.exit_code for result in _results(document)))
            document.append((source, judged_source))
            if prints_table:
                _show(judged_source)
    results = _results(document)
    if prints_table:
        _show_ending(results, quiet=is_quiet)
    others = [output for output in chosen_outputs if output.file or not prints_table]
    _deliver(document, others, selection)
    return multi_source_report.exit_code(results)


def _result(source: Path, check_output: outputs.CheckOutput | GpuinfraError) -> SourceResult:
    result = check_output if isinstance(check_output, GpuinfraError) else check_output.report
    return SourceResult(source=source, result=result)


def _results(source_outputs: SourceOutputs) -> list[SourceResult]:
    return [_result(source, judged_source) for source, judged_source in source_outputs]


def _show(check_output: outputs.CheckOutput | GpuinfraError) -> None:
    """Print one judgement below its heading."""
    if isinstance(check_output, GpuinfraError):
        click.secho("FAIL: the source can't be judged", fg="red", bold=True)
    else:
        check_output.table()


def _show_ending(results: Sequence[SourceResult], *, quiet: bool = False) -> None:
    """Print the summary line; in quiet mode, only if a source fails."""
    code = multi_source_report.exit_code(results)
    if code or not quiet:
        ending_lines = wrap_text(multi_source_report.ending(results), "  ")
        click.echo()
        click.secho(ending_lines, fg="red" if code else "green", bold=True)


def _deliver(
    source_outputs: SourceOutputs,
    chosen_outputs: Sequence[outputs.OutputOptions],
    selection: SourceOptions,
) -> None:
    """Write all judgements as one document in each format.

    Raises:
        InputError: files that can't be written; all others are.
    """
    results = _results(source_outputs)
    problems: list[Problem] = []
    writers: dict[str, Callable[[], str]] = {
        **multi_source_report.writers(results, __version__),
        "json": lambda: json_text(documents(source_outputs)),
        "table": lambda: _table(source_outputs, selection),
    }
    for output in sorted(chosen_outputs, key=lambda output: output.file is None):
        if output.file is not None:
            problems += outputs.write_file(output.file, writers[output.format]())
        elif output.format == "json":
            show_json(documents(source_outputs))
        else:
            click.echo(writers[output.format](), nl=False)
            running_command().printed_json = True
    if any(output.format == "github" for output in chosen_outputs):
        problems += outputs.append_summary(
            lambda limit: multi_source_report.as_markdown(results, limit)
        )
    if problems:
        raise InputError(problems)


def _table(source_outputs: SourceOutputs, selection: SourceOptions) -> str:
    with redirect_stdout(StringIO()) as text:
        for number, (source, judged_source) in enumerate(source_outputs):
            head(source, first=number == 0)
            with selection.hints_on(source):
                _show(judged_source)
        _show_ending(_results(source_outputs))
    return text.getvalue()
