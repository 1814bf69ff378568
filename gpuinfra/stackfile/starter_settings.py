"""What options of `gpuinfra init` set in the workload of a short stack file."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.errors import InputError, Problem
from gpuinfra.model.time_to_live import TIME_TO_LIVE_FACTOR
from gpuinfra.records import record
from gpuinfra.units import UnitError, format_duration, parse_duration

_DURATION: Final = "24h"
"""The duration of a run where none is set."""

STARTER_COMMENTS: Final = {"fabric": "# required refuses machines without RDMA"}
"""Comments after the value of a key that are wrong after another value."""

_SPOT: Final = {"fine-tune": "spot", "pool": "{on_demand_base: 1, above: spot}"}
"""The capacity that buys spot machines, by the kind of file: a pool keeps one on demand."""


@record
class WorkloadSettings:
    """The machines, the duration and the capacity of a workload; None for the file's own.

    A machine type takes the place of the GPUs.

    Attributes:
        nodes: how many machines.
        duration: of the run, for example 72h.
        capacity: on-demand or spot.
        instance: the machine type.
    """

    nodes: int | None = None
    duration: str | None = None
    capacity: str | None = None
    instance: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the file is as it is without options."""
        return self == WorkloadSettings()

    @property
    def has_several_machines(self) -> bool:
        """Whether several machines are to work together."""
        return self.nodes is not None and self.nodes > 1

    def check(self, kind: str) -> None:
        """Raise an error if a kind of file has no key for a setting.

        Raises:
            InputError: it has none, or the duration is not valid.
        """
        if problems := list(self._problems(kind)):
            raise InputError(problems)

    def lines(self, kind: str) -> Iterator[str]:
        """Yield the lines that a workload of a kind of file has below its GPUs."""
        if self.has_several_machines:
            yield f"nodes: {self.nodes}"
            yield f"fabric: preferred         {STARTER_COMMENTS['fabric']}"
        if self.capacity == "spot":
            yield f"capacity: {_SPOT[kind]}"

    @property
    def run_duration(self) -> str:
        """The duration of the run, as the file writes it."""
        return self.duration or _DURATION

    @property
    def time_to_live(self) -> str:
        """After how long the machines of the run end: with a quarter of its duration to spare."""
        return format_duration(parse_duration(self.run_duration) * float(TIME_TO_LIVE_FACTOR))

    def _problems(self, kind: str) -> Iterator[Problem]:
        kinds = {
            "nodes": (self.nodes, ("fine-tune",)),
            "duration": (self.duration, ("fine-tune",)),
            "capacity": (self.capacity, tuple(_SPOT)),
        }
        for option, (value, allowed) in kinds.items():
            if value is not None and kind not in allowed:
                yield Problem(
                    message=f"--{option} sets nothing in a file of --what {kind}",
                    value=str(value),
                    allowed=f"--{option} with --what {' or '.join(allowed)}",
                    fix=f"add --what {allowed[0]}, or remove --{option}",
                )
        try:
            parse_duration(self.run_duration)
        except UnitError as error:
            yield Problem(
                message=f"--duration: {error}",
                value=str(self.duration),
                allowed=error.allowed,
                suggestion=error.hint,
            )
