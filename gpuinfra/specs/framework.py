"""`framework`: the versions that a job needs of its machines' image."""

from typing import ClassVar

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Choice, Needs


class Framework(Choice):
    """What the job was built for; each is held against what the image is known to have."""

    needs: ClassVar[Needs] = Needs(
        keys=("cuda", "driver", "pytorch", "nccl", "efa"),
        otherwise="names no version",
        fix='write framework: {cuda: "12.8", pytorch: "2.7"}',
    )

    cuda: v.SoftwareVersion | None = Field(default=None, description='CUDA, such as "12.8".')
    driver: v.SoftwareVersion | None = Field(
        default=None, description='The least NVIDIA driver, such as "570".'
    )
    pytorch: v.SoftwareVersion | None = Field(default=None, description='PyTorch, such as "2.7".')
    nccl: v.SoftwareVersion | None = Field(
        default=None, description='The least NCCL, such as "2.18.5".'
    )
    efa: v.SoftwareVersion | None = Field(
        default=None, description='The least EFA installer, such as "1.43".'
    )
