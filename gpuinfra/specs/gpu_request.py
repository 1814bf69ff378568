"""`gpu`: the GPUs of one machine, as a user asks for them."""

from typing import Any

from pydantic import Field, model_validator

from gpuinfra.specs import shorthand
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import JsonSchema
from gpuinfra.specs.for_model import ForModel
from gpuinfra.specs.forms import Choice, Needs


class GpuRequest(Choice):
    """The GPUs of one machine, by model or by what they can do; `H100:8` is short for both."""

    needs = Needs(
        keys=("model", "memory", "for_model"),
        otherwise="says neither which GPU, how much memory, nor for which model",
        fix="write gpu: H100:8, or gpu: {memory: 80GB.., count: 8}, or gpu: {for_model: 70B}",
    )

    model: v.GpuModel | None = Field(
        default=None, description="The GPU's name, such as H100 or L4."
    )
    memory: v.SizeRange | None = Field(
        default=None, description="Memory of one GPU, such as 80GB.. ."
    )
    count: v.GpuCount | None = Field(
        default=None, description="GPUs in one machine; any when absent."
    )
    nvlink: v.Flag | None = Field(default=None, description="Whether NVLink has to join the GPUs.")
    nvlink_domain: v.GpuCount | None = Field(
        default=None, description="GPUs that one NVLink fabric has to join, at least."
    )
    fabric: v.FabricKind | None = Field(
        default=None, description="The machine's RDMA network: efa, infiniband, gpudirect-tcpx …"
    )
    fabric_speed: v.Rate | None = Field(
        default=None, description="Of all its fabric interfaces, at least: 400Gbps or 50GB/s."
    )
    precision: v.Precision | None = Field(
        default=None, description="The GPU's dense rate is known for it: bf16, fp16, fp8 or fp32."
    )
    vcpu_per_gpu: v.Vcpus | None = Field(
        default=None, description="vCPUs of the machine for each GPU, at least."
    )
    ram_per_gpu: v.Size | None = Field(
        default=None, description="Memory of the machine for each GPU, at least, such as 64GiB."
    )
    architecture: v.Architecture | None = Field(
        default=None, description="Of the processor: x86_64 or arm64."
    )
    max_per_hour: v.Price | None = Field(
        default=None,
        description="US dollars an hour that one machine costs at most; a spot request says so.",
    )
    for_model: ForModel | None = Field(
        default=None, description="A model that all GPUs of the workload together have to hold."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        return shorthand.gpu(given)

    @classmethod
    def _written(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.gpu_schema(super()._written(mapping))
