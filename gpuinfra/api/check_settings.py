"""Settings, a stack file and waivers given beside a Pulumi preview or state."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.catalog import Book
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.errors import PathPart, Position
from gpuinfra.records import record
from gpuinfra.rules.settings import WORKLOADS
from gpuinfra.rules.waivers import goes_by

if TYPE_CHECKING:
    from gpuinfra.price_overrides.prices import OwnPrices
    from gpuinfra.source import Source

WAIVER_FILE: Final = "gpuinfra.waivers.yaml"

Locate = Callable[[Sequence[PathPart]], Position | None]


def _nowhere(_: Sequence[PathPart]) -> Position | None:
    return None


@record
class CheckSettings:
    """What is given beside the file: settings, or a stack file.

    `stack` is the stack file; `own` are the prices of the prices.yaml beside it or beside the
    settings, and `prices` the book that they make. Without these, a program's own make the book.
    `told` are the names of the resources that the settings refer to.
    """

    said: PolicySettings = field(default_factory=PolicySettings)
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    region: str | None = None
    prices: Book | None = None
    own: "OwnPrices | None" = None
    stack: "Source | None" = None
    locate: Locate = _nowhere
    told: tuple[str, ...] = ()


def read(
    settings: Path | None, stack: Path | None, day: date, waivers: Path | None = None
) -> CheckSettings:
    """What holds besides the file: at most one of settings and a stack file, and waivers.

    Raises:
        InputError: both are given, or some have faults: those of all files.
    """
    if settings is None and stack is None and waivers is None:
        return CheckSettings()
    from gpuinfra.api import check_files  # noqa: PLC0415  (most checks have no file beside)

    return check_files.read(settings, stack, day, waivers)


def read_for(
    source: Path, settings: Path | None, stack: Path | None, waivers: Path | None, day: date
) -> CheckSettings:
    """What holds besides a SOURCE, with the waivers beside it where none are named.

    Raises:
        InputError: as for `read`.
    """
    return read(settings, stack, day, waivers_for(source, waivers))


def idle(
    said: CheckSettings, called: Collection[str], subjects: Iterable[Sequence[str]]
) -> Iterator[str]:
    """Name the words of the settings that match nothing in the stack.

    Args:
        said: what is said beside the file; a stack file's words are of its own workloads.
        called: the names of the stack's resources.
        subjects: what findings may be about, each by all of its names.
    """
    if said.stack is not None:
        return
    for name in said.told:
        if name not in called:
            yield f"no resource named {name}; its entry is ignored"
    names = {one for each in subjects for one in each}
    for rule, settings in said.rules.items():
        for pattern in settings.get(WORKLOADS) or {}:
            if not goes_by(names, pattern):
                what = f"`rules.{rule}`"
                yield f"no resource named {pattern}; {what} is ignored"


def waivers_for(source: Path, named: Path | None = None) -> Path | None:
    """The file of waivers that holds for a SOURCE: the one named, else the one beside it."""
    if named is not None:
        return named
    path = (source if source.is_dir() else source.parent) / WAIVER_FILE
    return path if path.exists() or path.is_symlink() else None
