"""A lock names each image as the workload looks it up: what it freezes is what is built."""

from dataclasses import replace
from typing import Final

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.imagename import ImageName
from gpuinfra.graph import Lookup, Ref, ResourceGraph
from gpuinfra.planning import choices
from gpuinfra.planning.declaring import workload_graph
from tests.components.test_invariant import documents

ASKED: Final = {
    "aws:ssm/getParameter:getParameter": ("ssm-parameter", "{name}"),
    "gcp:compute/getImage:getImage": (
        "image-family",
        "projects/{project}/global/images/family/{family}",
    ),
}
"""How a cloud is asked for an image, and what its name is made of, by the function that asks."""


def looked_up(graph: ResourceGraph) -> ImageName:
    """The image that a declared workload starts from."""
    (outputs,) = graph.outputs.values()
    image = outputs.image_id
    if isinstance(image, Ref):
        image = graph.resources[image.key].inputs["input"]
    if isinstance(image, Lookup):
        found_by, form = ASKED[image.token]
        return ImageName(found_by=found_by, name=form.format_map(image.arguments))
    return ImageName(found_by="id", name=image)


@pytest.mark.parametrize("name", documents())
def test_an_image_has_one_name_in_a_lock_and_in_what_is_declared(name: str) -> None:
    stack = documents()[name].stack
    for group in choices(stack).groups:
        provider = provider_of(group.cloud)
        work = stack.training.get(group.name) or stack.inference[group.name]
        for index, rung in enumerate(group.rungs):
            machine = provider.machines.get(rung.machine)
            assert machine is not None

            named = provider.images.image_name(machine, group.purpose, work.machine_image)

            assert looked_up(workload_graph(stack, replace(group, standing=index))) == named
