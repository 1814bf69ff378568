"""A group that names its launch template starts the one of its own region."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import Resource
from tests.clouds.aws.scaling_group import GROUP, TEMPLATE


def namesakes(*regions: str | None, group: str | None) -> list[Resource]:
    """Templates of one name in regions, dearer from one to the next, and a group that names it."""
    types = ("g6.xlarge", "p5.48xlarge")
    templates = [
        Resource(
            urn=f"urn:pulumi:dev::shop::{TEMPLATE}::t{number}",
            type=TEMPLATE,
            name=f"t{number}",
            inputs={"name": "node", "imageId": "ami-1", "instanceType": type_},
            region=region,
        )
        for number, (region, type_) in enumerate(zip(regions, types, strict=False))
    ]
    group_inputs = {"launchTemplate": {"name": "node", "version": "$Latest"}}
    workers = Resource(
        urn=f"urn:pulumi:dev::shop::{GROUP}::workers",
        type=GROUP,
        name="workers",
        inputs={"minSize": 1, "maxSize": 1, **group_inputs},
        region=group,
    )
    return [*templates, workers]


@pytest.mark.parametrize(
    ("regions", "group", "machines"),
    [
        (("us-east-1", "eu-west-1"), "us-east-1", ("g6.xlarge",)),
        (("us-east-1", "eu-west-1"), "eu-west-1", ("p5.48xlarge",)),
        (("us-east-1", "eu-west-1"), None, None),
        (("us-east-1", "eu-west-1"), "us-west-2", None),
        (("us-east-1", "us-east-1"), "us-east-1", ("p5.48xlarge",)),
        (("us-east-1",), None, ("g6.xlarge",)),
    ],
)
def test_a_name_is_that_of_the_region_of_who_refers_to_it(
    regions: tuple[str, ...], group: str | None, machines: tuple[str, ...] | None
) -> None:
    seen = observe(namesakes(*regions, group=group))

    assert [group.machines for group in seen.groups] == ([] if machines is None else [machines])
    hidden = {row.subject.rpartition("::")[2] for row in seen.not_judged}
    assert ("workers" in hidden) == (machines is None)
