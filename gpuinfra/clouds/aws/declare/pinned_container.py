"""Pins the container image of a pool in Amazon ECR by its digest."""

from typing import Any

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.declaring.pinned_values import pinned_image
from gpuinfra.graph import Expression, Lookup, concat


def pinned_container(children: Children, image: Any, renewed: str) -> Any:
    """Return the image by the digest that its tag pointed to at the first look-up.

    So all machines of a pool run one build, whenever they start; another one comes by an order
    (`gpuinfra up --update-images`). Other registries are not queried: write the digest. Nor is
    the registry of an output, whose name is not known yet: give one with its digest.
    """
    if isinstance(image, Expression):
        return image
    location = userdata.ecr(image)
    if location is None or "@" in image:
        return image
    registry, region = location
    name, _, tag = image.removeprefix(f"{registry}/").partition(":")
    arguments = {
        "registryId": registry.partition(".")[0],
        "repositoryName": name,
        "imageTag": tag or "latest",
        "region": region,
    }
    looked_up = Lookup("aws:ecr/getImage:getImage", arguments, "imageDigest")
    digest = pinned_image(children, (region, image), looked_up, renewed, "container_pin")
    return concat(f"{registry}/{name}@", digest)
