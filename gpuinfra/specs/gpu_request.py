"""`gpu`: the GPUs of one machine, as a user requests them."""

from typing import Any

from pydantic import Field

from gpuinfra.specs import other_tool_keys, shorthand
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import JsonSchema
from gpuinfra.specs.for_model import ForModel
from gpuinfra.specs.forms import RequiredKeyForm, RequiredKeys


class GpuRequest(RequiredKeyForm):
    """The GPUs of one machine, by model or by capability; `H100:8` is the short form."""

    key_synonyms = other_tool_keys.GPU_MEANT
    short = v.GPU_ALLOWED
    needs = RequiredKeys(
        keys=("model", "memory", "for_model"),
        missing_message="names no GPU, no memory and no model",
        fix="write gpu: H100:8, or gpu: {memory: 80GB.., count: 8}, or gpu: {for_model: 70B}",
    )

    model: v.GpuModel | None = Field(
        default=None, description="The GPU's name, for example H100 or L4."
    )
    memory: v.SizeRange | None = Field(
        default=None, description="Memory of one GPU, for example 80GB.. ."
    )
    count: v.GpuCount | None = Field(
        default=None, description="GPUs in one machine; any whole number when absent."
    )
    nvlink: v.Flag | None = Field(
        default=None, description="Whether NVLink must connect the GPUs."
    )
    nvlink_domain: v.GpuCount | None = Field(
        default=None, description="Minimum number of GPUs in one NVLink domain."
    )
    fabric: v.FabricKind | None = Field(
        default=None, description="The machine's RDMA network: efa, infiniband, gpudirect-tcpx …"
    )
    fabric_speed: v.Rate | None = Field(
        default=None, description="Minimum rate of all its fabric interfaces: 400Gbps or 50GB/s."
    )
    precision: v.Precision | None = Field(
        default=None,
        description="Only GPUs with a known dense rate in this precision: bf16, fp16, fp8, fp32.",
    )
    vcpu_per_gpu: v.Vcpus | None = Field(default=None, description="Minimum vCPUs per GPU.")
    ram_per_gpu: v.Size | None = Field(
        default=None, description="Minimum machine memory per GPU, for example 64GiB."
    )
    architecture: v.Architecture | None = Field(
        default=None, description="Processor architecture: x86_64 or arm64."
    )
    max_per_hour: v.Price | None = Field(
        default=None,
        description="Maximum price in USD per machine-hour; a spot request includes it.",
    )
    for_model: ForModel | None = Field(
        default=None,
        description="A model that must fit on all GPUs of the workload together, for example 70B "
        "or llama-3.1-70b.",
    )

    @classmethod
    def spelled_out(cls, raw_value: Any) -> Any:
        """Return the mapping that a short form stands for; anything else unchanged."""
        return shorthand.gpu(raw_value)

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.gpu_schema(super()._user_schema(mapping))
