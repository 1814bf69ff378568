"""The consistency rules of a machine's settings: capacity type, GPUs, boot disk.

The cloud refuses it at the create. The official provider looks at none of it before, so a preview
goes on: `scheduling` has no check but `AtLeastOneOf` and `CustomizeDiff` leaves it alone in
terraform-provider-google-beta 055f694f, google-beta/services/compute/resource_compute_instance.go
(templates were not read).
Sources: docs.cloud.google.com/compute/docs/instances/{create-use-spot,create-flex-start} and
/compute/docs/gpus; the Cluster Toolkit's blueprints for disks.
"""

from collections.abc import Iterator

from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.gcp import machines
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import Unknown, has_unknown

_FLEX_SECONDS = (600, 604_800)
_HYPERDISK_ONLY = ("a3-ultragpu-", "a4-", "a4x-")
_INTERRUPTIBLE_MODES = ("spot", "flex-start")


def problems(inputs: Inputs) -> Iterator[Failure]:
    """Yield the problems of an instance's or a template's settings."""
    machine = inputs.get("machineType")
    if isinstance(machine, str):
        name = machine.rsplit("/", 1)[-1]
        if not machines.well_formed(name):
            yield Failure("machineType", f"'{name}' is not a Google Cloud machine type")
            return
        yield from _accelerators(name, inputs)
        yield from _disk(name, inputs)
    scheduling = inputs.get("scheduling")
    if isinstance(scheduling, Unknown) or has_unknown(machine):
        return
    yield from _restart(scheduling or {})
    yield from _flex_start_failures(scheduling or {})
    yield from _maintenance(inputs, scheduling or {})
    yield from _reservation(inputs)


def _restart(scheduling: Inputs) -> Iterator[Failure]:
    is_spot = (
        scheduling.get("provisioningModel") == "SPOT" or scheduling.get("preemptible") is True
    )
    restart = scheduling.get("automaticRestart", True)  # the provider's own default
    if is_spot and restart is True:
        reason = "spot machines can't restart automatically: set automaticRestart to false"
        yield Failure("scheduling.automaticRestart", reason)


def _flex_start_failures(scheduling: Inputs) -> Iterator[Failure]:
    if scheduling.get("provisioningModel") != "FLEX_START":
        return
    low, high = _FLEX_SECONDS
    lasting = scheduling.get("maxRunDuration")
    seconds = lasting.get("seconds") if isinstance(lasting, dict) else lasting
    if seconds is None or (isinstance(seconds, int) and not low <= seconds <= high):
        reason = f"FLEX_START needs a maxRunDuration of {low} to {high} seconds"
        yield Failure("scheduling.maxRunDuration", reason)
    if scheduling.get("instanceTerminationAction") == "STOP":
        reason = "FLEX_START machines can't be stopped: DELETE"
        yield Failure("scheduling.instanceTerminationAction", reason)
    if scheduling.get("automaticRestart", True) is True:
        reason = "FLEX_START machines can't restart automatically: set automaticRestart to false"
        yield Failure("scheduling.automaticRestart", reason)


def _maintenance(inputs: Inputs, scheduling: Inputs) -> Iterator[Failure]:
    host_maintenance = scheduling.get("onHostMaintenance")
    if (
        not machines.has_gpus(inputs)
        or isinstance(host_maintenance, Unknown)
        or host_maintenance == "TERMINATE"
    ):
        return
    if host_maintenance is None and machines.capacity_type(inputs) in _INTERRUPTIBLE_MODES:
        return
    reason = (
        "Instances with guest accelerators do not support live migration: set onHostMaintenance "
        "to TERMINATE"
    )
    yield Failure("scheduling.onHostMaintenance", reason)


def _reservation(inputs: Inputs) -> Iterator[Failure]:
    affinity = inputs.get("reservationAffinity")
    kind = affinity.get("type") if isinstance(affinity, dict) else None
    bought = machines.capacity_type(inputs)
    if kind == "SPECIFIC_RESERVATION" and bought in _INTERRUPTIBLE_MODES:
        reason = f"{bought} machines can't use a reservation: NO_RESERVATION"
        yield Failure("reservationAffinity.type", reason)


def _accelerators(machine: str, inputs: Inputs) -> Iterator[Failure]:
    accelerators = inputs.get("guestAccelerators")
    if not isinstance(accelerators, list) or has_unknown(accelerators):
        return
    declared = [
        (str(accelerator["type"]).rsplit("/", 1)[-1], accelerator["count"])
        for accelerator in accelerators
        if accelerator["count"]
    ]
    built_in = machines.built_in_gpus(machine)
    if built_in and declared and declared != [built_in]:
        reason = f"{machine} always has {built_in[1]} {built_in[0]}: remove guestAccelerators"
        yield Failure("guestAccelerators", reason)
    if not built_in and declared and not machines.takes_gpus(machine):
        reason = f"{machine} does not support GPUs: only N1 machines do"
        yield Failure("guestAccelerators", reason)


def _disk(machine: str, inputs: Inputs) -> Iterator[Failure]:
    if not machine.startswith(_HYPERDISK_ONLY):
        return
    boot = inputs.get("bootDisk")
    first = boot.get("initializeParams") if isinstance(boot, dict) else None
    kinds = {"bootDisk.initializeParams.type": first.get("type") if first else None}
    disks = inputs.get("disks")
    for index, disk in enumerate(disks if isinstance(disks, list) else ()):
        if isinstance(disk, dict) and disk.get("type") != "SCRATCH":
            kinds[f"disks[{index}].diskType"] = disk.get("diskType")
    for path, kind in kinds.items():
        if isinstance(kind, str) and kind.startswith("pd-"):
            reason = f"{machine} does not support {kind} disks: hyperdisk-balanced"
            yield Failure(path, reason)
