"""A SOURCE: its stack file and what lies beside it, planned and priced as they say."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gpuinfra import planning, stackfile
from gpuinfra.catalog import CATALOG, Book
from gpuinfra.cost import Terms
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Plan
from gpuinfra.stackfile import Document, Stack


@dataclass(frozen=True, kw_only=True)
class Source:
    """A stack file as it was read, and the price book that goes with it."""

    document: Document
    prices: Book = CATALOG

    @property
    def stack(self) -> Stack:
        """What the file says."""
        return self.document.stack

    def terms(self, as_of: date) -> Terms:
        """The terms on which the file wants to be priced, on a day."""
        said = self.stack.prices
        return Terms(
            as_of=as_of,
            prices=self.prices,
            accept_outdated=said.accept_outdated,
            outdated_after_days=said.outdated_after_days,
            not_counted=said.not_counted,
        )


def _nothing(_: Stack) -> Iterable[Problem]:
    return ()


def read(
    path: Path | str,
    rungs: Mapping[str, str],
    judge: Callable[[Stack], Iterable[Problem]] = _nothing,
) -> tuple[Source, Plan]:
    """Read and plan a stack file, or that of a folder.

    Args:
        path: the file or its folder.
        rungs: rungs by workload that somebody named beside the file.
        judge: says what else is wrong with a stack, by path.

    Raises:
        InputError: the problems of reading and of planning together, in the file's order.
    """
    problems: tuple[Problem, ...] = ()
    try:
        document = stackfile.read(path)
    except stackfile.StackFileError as error:
        if error.rest is None:
            raise
        problems, document = error.problems, error.rest
    source = Source(document=document)
    later = list(judge(document.stack))
    try:
        plan = planning.from_stack(source.stack, rungs=rungs, prices=source.prices)
    except InputError as error:
        later += error.problems
    else:
        if not problems and not later:
            return source, plan
    raise InputError(sorted((*problems, *stackfile.with_positions(later, document)), key=_place))


def plan(source: Source, rungs: Mapping[str, str]) -> Plan:
    """Plan a source that was read, on the rungs that somebody named.

    Raises:
        InputError: with the place of each problem.
    """
    try:
        return planning.from_stack(source.stack, rungs=rungs, prices=source.prices)
    except InputError as error:
        raise InputError(stackfile.with_positions(error.problems, source.document)) from error


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.position.line, problem.position.column) if problem.position else (0, 0)
