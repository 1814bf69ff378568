"""What a stack file costs, and what a check says of it, before it is written."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from gpuinfra.errors import InputError, RefusedError
from gpuinfra.stackfile import FILE_NAME

if TYPE_CHECKING:
    from gpuinfra.cost import Quote

T = TypeVar("T")

UNCAPPED = "{per_hour: 100000}"
"""A budget of a file whose quote is not known yet."""


def capped(folder: Path, text: Callable[[str, str, str], str]) -> str:
    """The text with caps a little above what its quote comes to at most.

    Args:
        folder: where it is to stand.
        text: makes it of the budget, of further lines, and of the cloud of its machines.

    Raises:
        InputError: what was asked for is not found, or not sold there.
    """
    from gpuinfra.rules.budget import suggested  # noqa: PLC0415  (a pipeline needs no quote)

    (cloud,), _ = _priced(folder, text(UNCAPPED, "", ""))
    _, quote = _priced(folder, text(UNCAPPED, "", cloud))
    hour, month = suggested(quote, "per_hour"), suggested(quote, "per_month")
    aged = "prices: {accept_outdated: true} # warn about an old list price, don't refuse it\n"
    budget = f"{{per_hour: {hour}, per_month: {month}}}"
    return text(budget, aged if quote.at_risk else "", cloud)


def warnings(folder: Path, text: str) -> list[str]:
    """What a check warns of in a stack file that is to stand in a folder.

    Raises:
        InputError: it can't be planned.
        RefusedError: the check fails.
    """
    from gpuinfra import api  # noqa: PLC0415
    from gpuinfra.rules.verdict import BAD  # noqa: PLC0415

    verdict = _read(folder, text, lambda file: api.check(file).verdict)
    bad = [
        f"{finding.rule}: {finding.message}; {finding.fix}"
        for finding in verdict.findings
        if finding.outcome in BAD
    ]
    if not verdict.ok:
        raise RefusedError(f"the check fails: {'; '.join(bad)}")
    return bad


def _priced(folder: Path, text: str) -> "tuple[set[str], Quote]":
    """The clouds on which the machines of a stack file stand, and its quote.

    Raises:
        InputError: it can't be planned.
    """
    from gpuinfra import api  # noqa: PLC0415

    def priced(file: Path) -> "tuple[set[str], Quote]":
        source = api.load(file)
        return {group.cloud for group in api.plan(source).groups}, api.quote(source)

    return _read(folder, text, priced)


def _read(folder: Path, text: str, read: Callable[[Path], T]) -> T:
    """What is read of a stack file before it stands in its folder.

    Raises:
        InputError: it can't be planned; without places, as no file has them.
    """
    with TemporaryDirectory(prefix="gpuinfra-") as made:
        there = Path(made, folder.resolve().name)
        there.mkdir()
        file = there / FILE_NAME
        file.write_text(text, encoding="utf-8")
        try:
            return read(file)
        except InputError as error:
            raise InputError(
                [replace(problem, position=None) for problem in error.problems]
            ) from None
