"""The machine that a workload requests, as a request to the catalog."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpuinfra.catalog import Request
from gpuinfra.errors import InputError, PathPart, Problem
from gpuinfra.model import Purpose
from gpuinfra.planning.locations import CloudPlace
from gpuinfra.specs.gpu_request import GpuRequest
from gpuinfra.specs.schema import Inference, Training

if TYPE_CHECKING:
    from gpuinfra.catalog.sizing.model_request import ModelRequest, Task

Path = tuple[PathPart, ...]


def requested_machine(
    workload: Training | Inference, cloud_place: CloudPlace, path: Path, problems: list[Problem]
) -> Request | None:
    """Return the machine request of a workload on one cloud; None where its keys contradict."""
    is_training = isinstance(workload, Training)
    purpose: Purpose = "training" if is_training else "inference"
    request = Request(
        clouds=(cloud_place.cloud,),
        regions=cloud_place.regions,
        instance=workload.instance,
        purpose=purpose if workload.machine_image is None else None,
        **({} if workload.gpu is None else _gpu(workload.gpu)),
    )
    if workload.gpu is None or workload.gpu.for_model is None:
        return request
    model, wrong = _model(workload.gpu, "train" if is_training else "serve")
    problems += (
        replace(problem, path=(*path, "gpu", "for_model", *problem.path)) for problem in wrong
    )
    if model is None:
        return None
    return replace(
        request, model=model, machines=workload.nodes if isinstance(workload, Training) else 1
    )


def _gpu(gpu: GpuRequest) -> dict[str, Any]:
    """Return the request's fields for the GPUs and for the machine around them."""
    return {
        "gpu": gpu.model,
        "memory": gpu.memory,
        "count": gpu.count,
        "nvlink": gpu.nvlink,
        "nvlink_domain": gpu.nvlink_domain,
        "fabric_kind": gpu.fabric,
        "fabric_speed": gpu.fabric_speed,
        "precision": gpu.precision,
        "vcpu_per_gpu": gpu.vcpu_per_gpu,
        "ram_per_gpu": gpu.ram_per_gpu,
        "architecture": gpu.architecture,
        "max_per_hour": gpu.max_per_hour,
    }


def _model(gpu: GpuRequest, task: "Task") -> tuple["ModelRequest | None", tuple[Problem, ...]]:
    """Return the model that the GPUs have to hold, or None and the problems of its description."""
    if gpu.for_model is None:
        return None, ()
    # Few workloads name a model, and what it takes is loaded for those alone.
    from gpuinfra.catalog.sizing.machine_fit import refusals  # noqa: PLC0415
    from gpuinfra.catalog.sizing.model_request import model_request_of  # noqa: PLC0415

    try:
        model_request = model_request_of(gpu.for_model, task)
    except InputError as error:
        return None, error.problems
    wrong = tuple(refusals(model_request))
    return (None if wrong else model_request), wrong
