"""The migration of stack files of older versions to the newest; comments and order are kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.records import record
from gpuinfra.stackfile.reader import StackFileError
from gpuinfra.stackfile.yaml_composer import compose
from gpuinfra.stackfile.yaml_edit import Value, set_value

FIRST_VERSION: Final = 1
"""The version of a file that does not say one."""

Edits = Callable[[Mapping[str, Any]], Iterable[tuple[Sequence[PathPart], Value]]]


@record
class Migration:
    """The step from one version to the next.

    Attributes:
        version: the version that a file has after it.
        summary: what changes, for the reader of the file.
        edits: the values to write, by path, from the whole file's plain value.
    """

    version: int
    summary: str
    edits: Edits


@record
class MigratedText:
    """A stack file's text in the newest version, and the steps that were applied."""

    text: str
    version: int
    steps: tuple[Migration, ...]


MIGRATIONS: Final[tuple[Migration, ...]] = ()
"""Every step, in the order of versions: version 1 is the first and the newest."""


def migrate_text(
    text: str, file: str, migrations: Sequence[Migration] = MIGRATIONS
) -> MigratedText:
    """Return a stack file's text in the newest version.

    Args:
        text: the file's.
        file: what messages call it.
        migrations: the steps that are known, in the order of versions.

    Raises:
        InputError: the text is not YAML, its version is unknown, or it can't be edited.
    """
    newest = max((step.version for step in migrations), default=FIRST_VERSION)
    version = _version(text, file, newest)
    steps = tuple(step for step in migrations if step.version > version)
    for step in steps:
        for path, value in step.edits(compose(text, file).value):
            text = set_value(text, path, value)
        text = set_value(text, ("version",), step.version)
    return MigratedText(text=text, version=newest, steps=steps)


def _version(text: str, file: str, newest: int) -> int:
    composed = compose(text, file)
    if composed.problems or not isinstance(composed.value, dict):
        raise StackFileError(composed.problems or (Problem(message=f"{file} is no stack file"),))
    version = composed.value.get("version", FIRST_VERSION)
    if (
        isinstance(version, int)
        and not isinstance(version, bool)
        and FIRST_VERSION <= version <= newest
    ):
        return version
    raise InputError.of(
        f"{file} has the unknown version {version}",
        allowed=f"{FIRST_VERSION} to {newest}" if newest > FIRST_VERSION else str(FIRST_VERSION),
        fix="install a newer gpuinfra, or correct the version",
    )
