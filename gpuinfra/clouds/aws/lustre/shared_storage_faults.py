"""The faults of `shared_storage` keys that AWS can't build, at their place in the stack file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gpuinfra.clouds.aws.fabric import uses_fabric
from gpuinfra.clouds.aws.lustre.file_system_faults import faults, smallest_over_efa
from gpuinfra.clouds.aws.lustre.tiers import INTELLIGENT_TIERING, request_of
from gpuinfra.clouds.key_faults import KeyFault
from gpuinfra.model import FabricRequirement, Machine, Rung

if TYPE_CHECKING:
    from gpuinfra.specs.schema import Inference, Training
    from gpuinfra.specs.storage import SharedStorage

_KEY = "shared_storage"


def shared_faults(
    workload: "Training | Inference", kinds: Sequence[Machine], rungs: Sequence[Rung]
) -> Iterator[KeyFault]:
    """Yield the faults of a workload's `shared_storage`.

    Args:
        workload: the workload.
        kinds: the machines of its rungs.
        rungs: the possible rungs; the first tells whose prices are shown.
    """
    spec = shared_storage(workload)
    if spec is None:
        return
    region = rungs[0].region if rungs else ""
    for fault in faults(request_of(spec), region):
        yield replace(fault, value=_value_of(spec, str(fault.key[-1])))
    yield from _linked_bucket_faults(spec)
    if spec.efa:
        for kind in kinds:
            if not _has_fabric(workload, kind):
                yield _fault(
                    spec,
                    "efa",
                    f"{kind.type} has no EFA interfaces here: its machines would use an "
                    "EFA-enabled file system over TCP, and its larger minimum size "
                    f"would be billed for no benefit ({smallest_over_efa(region)})",
                    fix="remove efa, or set fabric: required with a machine type that has EFA",
                )


def shared_notes(workload: "Training | Inference") -> Iterator[str]:
    """Yield the note on when a file system is deleted or replaced, and which data is lost.

    A linked one leaves no final backup, and what is not linked only where its tier takes one.
    """
    spec = shared_storage(workload)
    if spec is None:
        return
    tier = request_of(spec).tier
    if spec.bucket is not None:
        lost = (
            "data that was not exported to the bucket is lost with it"
            if spec.export
            else "data in /shared is lost with it, because export is off"
        )
    elif tier is not None and tier.backups:
        lost = "a final backup is kept and billed until you delete it"
    else:
        lost = "data in /shared is lost with it"
    yield (
        "the file system at /shared is deleted when the stack is destroyed, "
        "shared_storage is removed, or it is replaced (for example by a smaller size, "
        "another deployment, storage or efa, or machines in another region or zone): "
        f"{lost}"
    )


def _has_fabric(workload: "Training | Inference", kind: Machine) -> bool:
    nodes: int = getattr(workload, "nodes", 1)
    spec: FabricRequirement = getattr(workload, "fabric", "none")
    return uses_fabric(kind, nodes, spec)


def _linked_bucket_faults(spec: "SharedStorage") -> Iterator[KeyFault]:
    """Yield the faults of a bucket linked to the file system, and of its keys."""
    request = request_of(spec)
    tier = request.tier
    if spec.bucket is None:
        for key in ("prefix", "export"):
            if getattr(spec, key):
                yield _fault(
                    spec,
                    key,
                    f"{key} requires a bucket",
                    fix=f"add bucket, or remove {key}",
                )
    elif request.storage == INTELLIGENT_TIERING or (tier is not None and not tier.repository):
        name = spec.storage if request.storage == INTELLIGENT_TIERING else spec.deployment
        yield _fault(
            spec,
            "bucket",
            f"{name} can't be linked to a bucket",
            allowed="scratch-2, persistent-1, and persistent-2 on ssd",
            fix="mount the bucket under data, or use another deployment",
        )


def _fault(
    spec: "SharedStorage", key: str, message: str, allowed: str = "", fix: str = ""
) -> KeyFault:
    value = _value_of(spec, key)
    return KeyFault(key=(_KEY, key), value=value, message=message, allowed=allowed, fix=fix)


def _value_of(spec: "SharedStorage", key: str) -> str:
    """Return the value of a key as the stack file writes it."""
    value = getattr(spec, key)
    if key == "size" and value is not None:
        return f"{request_of(spec).size}GiB"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def shared_storage(workload: "Training | Inference") -> "SharedStorage | None":
    """Return the file system that a workload asks for; pools have none."""
    storage: SharedStorage | None = getattr(workload, "shared_storage", None)
    return storage
