"""Keys of a workload that Google Cloud can't build, and what a reader of its plan has to know."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.clouds.lifetimes import lifetime_faults, lifetime_note
from gpuinfra.model import Rung
from gpuinfra.specs.schema import Inference, Training

if TYPE_CHECKING:
    from gpuinfra.specs.networks import NetworkSpec

_CHANGED: Final = "a changed time_to_live replaces them at the next one, and counts from then"


def workload_faults(
    name: str,  # noqa: ARG001  the signature is the same for every cloud
    workload: Training | Inference,
    rungs: tuple[Rung, ...],  # noqa: ARG001  as above
    network: "NetworkSpec | None",  # noqa: ARG001  as above
) -> Iterator[KeyFault]:
    """Yield why machines can't end as they are asked to."""
    yield from lifetime_faults(workload)


def workload_notes(
    workload: Training | Inference,
    rungs: tuple[Rung, ...],  # noqa: ARG001  as above
    network: "NetworkSpec | None",  # noqa: ARG001  as above
) -> tuple[str, ...]:
    """When the machines end."""
    return lifetime_note(workload, _CHANGED)
