"""The container that serves: one of Amazon ECR is pinned by its digest."""

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import userdata
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.building.pinned import pinned_image


def pinned_container(children: Children, image: str) -> pulumi.Input[str]:
    """The image by its digest, as its tag led to it when it was first looked up.

    So all machines of a pool run one build, whenever they start; another one comes by an order
    (`gpuinfra up --update-images`). Of a registry elsewhere nobody is asked: write the digest.
    """
    found = userdata.ecr(image)
    if found is None or "@" in image:
        return image
    registry, region = found
    name, _, tag = image.removeprefix(f"{registry}/").partition(":")
    looked_up = aws.ecr.get_image_output(
        registry_id=registry.partition(".")[0],
        repository_name=name,
        image_tag=tag or "latest",
        region=region,
        opts=children.invoke(),
    )
    digest = pinned_image(children, (region, image), looked_up.image_digest)
    return pulumi.Output.concat(f"{registry}/{name}@", digest)
