"""Converts a machine type of DescribeInstanceTypes into a row of the machine table."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from pydantic import BaseModel

from gpuinfra.clouds.refreshing.contract import FetchedData, RefreshRequest

SOURCE: Final = "EC2 DescribeInstanceTypes"
_MIB: Final = 1024
_ACCELERATORS: Final = (("GpuInfo", "Gpus"), ("NeuronInfo", "NeuronDevices"))


class MachineShape(BaseModel):
    """A machine type with GPUs or accelerators; memory in MiB."""

    type: str
    gpu: str
    gpu_count: int
    gpu_mib: int | None
    vcpu: int
    memory_mib: int
    storage_gb: int
    efa_interfaces: int
    network_cards: int | None
    architecture: str
    usage_classes: list[str]


class Shapes(BaseModel):
    """The machine types of a region."""

    shapes: list[MachineShape]


def shape(answer: Mapping[str, Any]) -> MachineShape | None:
    """Return a machine type of the response; None for one without GPUs.

    Raises:
        KeyError, TypeError, ValueError: it is not in the documented form.
    """
    devices = [
        device for info, name in _ACCELERATORS for device in answer.get(info, {}).get(name, ())
    ]
    if not devices:
        return None
    network = answer["NetworkInfo"]
    return MachineShape(
        type=answer["InstanceType"],
        gpu=devices[0].get("Name", ""),
        gpu_count=sum(device.get("Count", 0) for device in devices),
        gpu_mib=devices[0].get("MemoryInfo", {}).get("SizeInMiB"),
        vcpu=answer["VCpuInfo"]["DefaultVCpus"],
        memory_mib=answer["MemoryInfo"]["SizeInMiB"],
        storage_gb=answer.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        efa_interfaces=network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        network_cards=network.get("MaximumNetworkCards"),
        architecture=answer["ProcessorInfo"]["SupportedArchitectures"][-1],
        usage_classes=sorted(answer["SupportedUsageClasses"]),
    )


def rows(pages: Mapping[str, Shapes], request: RefreshRequest, day: date) -> FetchedData:
    """Return the rows of all types: known ones with the API's cells, new ones complete.

    A cell that the shipped table settled against the interface (GPU memory, network) stays.
    """
    by_type: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for region, page in pages.items():
        for shape in page.shapes:
            row = by_type.get(shape.type) or _row(shape, request, day)
            if row is None:
                size = f" of {shape.gpu_mib} MiB" if shape.gpu_mib else ""
                left_out[shape.type] = f"{shape.type}: unknown GPU {shape.gpu!r}{size}"
            else:
                row["regions"] = sorted({*row["regions"], region})
                by_type[shape.type] = row
    return FetchedData(machines=tuple(by_type.values()), left_out=tuple(left_out.values()))


def _row(shape: MachineShape, request: RefreshRequest, day: date) -> dict[str, Any] | None:
    row: dict[str, Any] = {
        "type": shape.type,
        "vcpu": shape.vcpu,
        "memory_gib": str(Decimal(shape.memory_mib) / _MIB),
        "local_storage_gb": str(shape.storage_gb),
        "fabric_interfaces": shape.efa_interfaces,
        "network_cards": shape.network_cards,
        "usage_classes": shape.usage_classes,
        "as_of": day.isoformat(),
    }
    machine_row = request.machines.get(shape.type)
    if machine_row is not None:
        other_cells = machine_row.source.partition("; other cells: ")[2] or machine_row.source
        return {
            **row,
            "regions": list(machine_row.regions),
            "source": f"{SOURCE}; other cells: {other_cells}",
        }
    memory = None if shape.gpu_mib is None else Decimal(shape.gpu_mib) / _MIB
    key = request.gpu_key(shape.gpu, memory)
    if key is None or not shape.gpu_count:
        return None
    return {
        **row,
        "gpu": key,
        "gpu_count": str(shape.gpu_count),
        "gpu_memory_gib": None if memory is None else str(memory),
        "fabric": "efa" if shape.efa_interfaces else None,
        "architecture": shape.architecture,
        "status": "current",
        "regions": [],
        "source": SOURCE,
        "notes": "the interface has no NVLink and network rate",
    }
