"""A workload's time to live: the moment is fixed at its first up, and kept in the state."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.declaring.children import Children
from gpuinfra.clouds.declaring.inputs import NOW
from gpuinfra.clouds.declaring.pinned import pinned
from gpuinfra.errors import RefusedError
from gpuinfra.graph import computed
from gpuinfra.units import format_duration

FORM: Final = "%Y-%m-%dT%H:%M:%S"
"""A moment in UTC, without its zone."""

_MARGIN: Final = timedelta(days=1)
"""For a clock here that is ahead of the cloud's."""


def moment_of(children: Children, child: str, workload: str, time: timedelta) -> Any:
    """The moment when a workload's time is over, as FORM has it.

    A moment that has passed ends the program: machines that an up started again would have no end.
    Another time is counted anew.
    """
    fixed = pinned(
        children, child, [workload, format_duration(time)], computed(partial(end_time, time), NOW)
    )
    return computed(partial(require_future, workload, time), fixed, NOW)


def long_before(time: timedelta, moment: str) -> str:
    """The moment a day before the time began that is over at another one."""
    return (datetime.strptime(moment, FORM) - time - _MARGIN).strftime(FORM)  # noqa: DTZ007  (UTC)


def end_time(time: timedelta, now: str) -> str:
    """The moment when a time from now is over."""
    return (datetime.fromisoformat(now) + time).strftime(FORM)


def require_future(workload: str, time: timedelta, fixed: str, now: str) -> str:
    """The moment, which is not over yet.

    Raises:
        RefusedError: it is over.
    """
    if datetime.strptime(fixed, FORM).replace(tzinfo=UTC) > datetime.fromisoformat(now):
        return fixed
    text = format_duration(time)
    raise RefusedError(
        f"{workload}: its time to live of {text} was over at {fixed} UTC, and its machines were"
        " ended",
        fix="set another time_to_live, which counts from the next `gpuinfra up`, or remove"
        f" {workload} from the file",
    )
