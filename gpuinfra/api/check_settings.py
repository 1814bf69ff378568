"""Settings, a stack file and waivers given beside a Pulumi preview or state."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpuinfra.api.loaded_settings import CheckSettings
from gpuinfra.rules.settings import WORKLOADS
from gpuinfra.rules.waivers import goes_by

if TYPE_CHECKING:
    pass

WAIVER_FILE: Final = "gpuinfra.waivers.yaml"


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


def unmatched_words(
    checks: CheckSettings, called: Collection[str], subjects: Iterable[Sequence[str]]
) -> Iterator[str]:
    """Name the words of the settings that match nothing in the stack.

    Args:
        checks: the settings beside the file; a stack file's words are of its own workloads.
        called: the names of the stack's resources.
        subjects: what findings may be about, each by all of its names.
    """
    if checks.stack is not None:
        return
    for name in checks.told:
        if name not in called:
            yield f"no resource named {name}; its entry is ignored"
    names = {name for each in subjects for name in each}
    for rule, settings in checks.rules.items():
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
