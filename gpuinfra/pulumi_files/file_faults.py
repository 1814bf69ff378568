"""The faults of a file that Pulumi wrote, with their position."""

from collections.abc import Callable
from typing import Final, NoReturn

from gpuinfra.errors import InputError, Position, Problem

CREATE_FILE_AGAIN: Final = (
    "create the file again: pulumi preview --json --show-sames > preview.json, or "
    "pulumi stack export > state.json"
)


class FileError(ValueError):
    """The error of a file that is not as Pulumi writes it; its reader adds the position."""

    def __init__(self, message: str, *, value: str = "", allowed: str = "", fix: str = "") -> None:
        self.message, self.value, self.allowed, self.fix = message, value, allowed, fix
        super().__init__(message)

    def at(self, position: Position) -> InputError:
        """Return the error as an InputError at a position."""
        problem = Problem(
            message=self.message,
            value=self.value,
            allowed=self.allowed,
            fix=self.fix or CREATE_FILE_AGAIN,
            position=position,
        )
        return InputError([problem])


OnFault = Callable[[FileError], None]
"""Takes the fault of a preview that failed: it raises it, or keeps it and goes on."""


def refuse(error: FileError) -> NoReturn:
    """Refuse a preview that failed.

    Raises:
        FileError: always.
    """
    raise error
