"""The error that left a part of a stack unjudged, and its effect on the results."""

from typing import Final

from gpuinfra.errors import CloudError, GpuinfraError, InputError, printable
from gpuinfra.records import record
from gpuinfra.units import format_count

BOUND: Final = (
    "only a part of the stack was judged: totals are a lower bound, and the missing resources may "
    "add findings or settle some of these"
)
"""The note on a partial check, for every format."""

_FAILED_PREFIX: Final = "the program failed: "
_ERROR: Final = "error: "
_MAX_TEXT_LENGTH: Final = 200


@record
class StopReason:
    """The error that stopped a program or a preview before all resources were registered.

    Attributes:
        error: what stopped it.
        resources: how many were registered until then.
        is_program: whether a program was run; else it is a file of a preview.
    """

    error: GpuinfraError
    resources: int
    is_program: bool = True

    @property
    def text(self) -> str:
        """The number of judged resources and the reason for the stop, in one phrase."""
        event = "the program stopped" if self.is_program else "the preview failed"
        return f"{format_count(self.resources, 'resource')} judged before {event}: {self.reason}"

    @property
    def reason(self) -> str:
        """The reason for the stop, in short."""
        error = self.error
        if isinstance(error, CloudError):
            return _short_text(f"{error.refusals[0].what} was refused")
        if not isinstance(error, InputError):
            return _short_text(str(error).partition("; ")[0])
        problem = error.problems[0]
        return _short_text(
            problem.message if self.is_program else problem.value or problem.message
        )


def _short_text(text: str) -> str:
    """Return the start of a text, in one line, without an error prefix."""
    line = printable(" ".join(text.removeprefix(_FAILED_PREFIX).removeprefix(_ERROR).split()))
    return line if len(line) <= _MAX_TEXT_LENGTH else f"{line[:_MAX_TEXT_LENGTH]}…"
