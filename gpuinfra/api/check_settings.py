"""Loads the settings, stack file and waivers for a Pulumi preview or state."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.rules.settings import WORKLOADS
from gpuinfra.rules.waivers import matches_name

if TYPE_CHECKING:
    pass

WAIVER_FILE: Final = "gpuinfra.waivers.yaml"


def read(
    settings: Path | None, stack: Path | None, day: date, waivers: Path | None = None
) -> CheckSettings:
    """Return the settings from at most one of settings and a stack file, and from waivers.

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
    """Return the settings for a SOURCE, with the waivers of its folder unless a file is named.

    Raises:
        InputError: as for `read`.
    """
    return read(settings, stack, day, waivers_for(source, waivers))


def unmatched_words(
    checks: CheckSettings, called: Collection[str], subjects: Iterable[Sequence[str]]
) -> Iterator[str]:
    """Yield a note for each name in the settings that matches nothing in the stack.

    Args:
        checks: the settings beside the file; a stack file's words are of its own workloads.
        called: the names of the stack's resources.
        subjects: what findings may be about, each by all of its names.
    """
    if checks.stack is not None:
        return
    for name in checks.resource_names:
        if name not in called:
            yield f"no resource named {name}; its entry is ignored"
    names = {name for subject in subjects for name in subject}
    for rule, settings in checks.rules.items():
        for pattern in settings.get(WORKLOADS) or {}:
            if not matches_name(names, pattern):
                settings_path = f"`rules.{rule}`"
                yield f"no resource named {pattern}; {settings_path} is ignored"


def waivers_for(source: Path, waiver_file: Path | None = None) -> Path | None:
    """Return the waiver file of a SOURCE: the named one, else the one in its folder, else None."""
    if waiver_file is not None:
        return waiver_file
    path = (source if source.is_dir() else source.parent) / WAIVER_FILE
    return path if path.exists() or path.is_symlink() else None
