"""The image that a workload is declared to start from, as a lock and a check name it."""

from dataclasses import replace

import pytest

from gpuinfra.clouds.image_name import ImageName, declared_image, shown_image
from gpuinfra.planning import choices
from gpuinfra.planning.declared_stack import workload_graph
from gpuinfra.stackfile import loads

HEAD = "version: 1\nname: lab\nowner: me\n"
AMI = "ami-0123456789abcdef0"
FAMILY = "projects/team/global/images/family/cuda"
VERSIONED = "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026010101"


@pytest.mark.parametrize(
    ("cloud", "region", "own", "locked", "expected"),
    [
        (
            "aws",
            "us-east-1",
            None,
            None,
            ImageName(
                found_by="ssm-parameter",
                name="/aws/service/deeplearning/ami/x86_64/"
                "oss-nvidia-driver-gpu-pytorch-2.10-amazon-linux-2023/latest/ami-id",
            ),
        ),
        (
            "aws",
            "us-east-1",
            "/team/ami",
            None,
            ImageName(found_by="ssm-parameter", name="/team/ami"),
        ),
        ("aws", "us-east-1", AMI, None, ImageName(found_by="id", name=AMI)),
        ("aws", "us-east-1", "/team/ami", AMI, ImageName(found_by="id", name=AMI)),
        ("gcp", "us-central1", FAMILY, None, ImageName(found_by="image-family", name=FAMILY)),
        ("gcp", "us-central1", "projects/a/global/images/b", None, None),
        ("azure", "eastus", VERSIONED, None, ImageName(found_by="id", name=VERSIONED)),
    ],
)
def test_it_is_what_the_declared_machines_name(cloud, region, own, locked, expected) -> None:
    image = f", machine_image: '{own}'" if own else ""
    stack = loads(
        f"{HEAD}where: {{cloud: {cloud}, regions: [{region}]}}\n"
        f'training: {{t: {{gpu: "T4:1"{image}}}}}\n'
    ).stack
    (group,) = choices(stack).groups
    frozen = tuple(replace(rung, image=locked) for rung in group.rungs)

    graph = workload_graph(stack, replace(group, rungs=frozen))

    assert declared_image(graph, "training.t") == (expected or ImageName(found_by="id", name=own))


def test_a_resource_names_an_image_or_a_parameter() -> None:
    assert shown_image("resolve:ssm:/team/ami") == ImageName(
        found_by="ssm-parameter", name="/team/ami"
    )
    assert shown_image(AMI) == ImageName(found_by="id", name=AMI)
