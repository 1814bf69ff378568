"""`framework`: the versions that a job needs in its machines' image."""

from typing import ClassVar

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.forms import RequiredKeyForm, RequiredKeys


class Framework(RequiredKeyForm):
    """The versions that the job was built for, compared with those of the image."""

    needs: ClassVar[RequiredKeys] = RequiredKeys(
        keys=("cuda", "driver", "pytorch", "nccl", "efa"),
        missing_message="names no version",
        fix='write framework: {cuda: "12.8", pytorch: "2.7"}',
    )

    cuda: v.SoftwareVersion | None = Field(default=None, description='CUDA, for example "12.8".')
    driver: v.SoftwareVersion | None = Field(
        default=None, description='Oldest NVIDIA driver, for example "570".'
    )
    pytorch: v.SoftwareVersion | None = Field(
        default=None, description='PyTorch, for example "2.7".'
    )
    nccl: v.SoftwareVersion | None = Field(
        default=None, description='Oldest NCCL, for example "2.18.5".'
    )
    efa: v.SoftwareVersion | None = Field(
        default=None, description='Oldest EFA installer, for example "1.43".'
    )
