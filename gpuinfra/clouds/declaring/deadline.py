"""A workload's time to live: its end is fixed at the first `up`, and kept in the state."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.declaring.children import Children
from gpuinfra.clouds.declaring.inputs import NOW
from gpuinfra.clouds.declaring.pinned_values import pin_value
from gpuinfra.errors import RefusedError
from gpuinfra.graph import compute
from gpuinfra.units import format_duration

FORM: Final = "%Y-%m-%dT%H:%M:%S"
"""A moment in UTC, without its zone."""

_MARGIN: Final = timedelta(days=1)
"""For a clock here that is ahead of the cloud's."""


def moment_of(children: Children, child: str, workload: str, time: timedelta) -> Any:
    """Return the end of a workload's time to live, in the format of FORM.

    A moment that has passed ends the program: machines that an up started again would have no end.
    Another time restarts the count.
    """
    time_value = pin_value(
        children, child, [workload, format_duration(time)], compute(partial(end_time, time), NOW)
    )
    return compute(partial(require_future, workload, time), time_value, NOW)


def long_before(time: timedelta, moment: str) -> str:
    """Return the moment one day before the start of a time to live that ends at `moment`."""
    return (datetime.strptime(moment, FORM) - time - _MARGIN).strftime(FORM)  # noqa: DTZ007  (UTC)


def end_time(time: timedelta, start_time: str) -> str:
    """Return the moment at which a time that starts now ends."""
    return (datetime.fromisoformat(start_time) + time).strftime(FORM)


def require_future(workload: str, time: timedelta, moment: str, current_time: str) -> str:
    """Return the moment, after checking that it is in the future.

    Raises:
        RefusedError: it is over.
    """
    if datetime.strptime(moment, FORM).replace(tzinfo=UTC) > datetime.fromisoformat(current_time):
        return moment
    text = format_duration(time)
    raise RefusedError(
        f"{workload}: its time to live of {text} was over at {moment} UTC, and its machines were"
        " ended",
        fix="set another time_to_live, which counts from the next `gpuinfra up`, or remove"
        f" {workload} from the file",
    )
