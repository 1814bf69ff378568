"""Checks that the images exist from which machines and containers start."""

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import NoAnswer
from gpuinfra.clouds.aws.account.workload_needs import WorkloadNeed

MACHINE: Final = "image"
DISK: Final = "disk"
NO_PARAMETER: Final = frozenset({"ParameterNotFound", "ParameterVersionNotFound"})
NO_IMAGE: Final = frozenset(
    {"InvalidAMIID.NotFound", "InvalidAMIID.Malformed", "InvalidAMIID.Unavailable"}
)


def checks(client: AccountClient, need: WorkloadNeed) -> Iterator[AccountCheck]:
    """Check that the image of a workload's machines exists and fits them."""
    if need.image is None:
        item = f"image of {need.workload_and_rung}"
        reason = f"no public image is known for {need.rung.machine}"
        yield unknown(MACHINE, item, reason, "set machine_image: to an image for it")
        return
    if need.image.found_by == "id":
        yield from _image(client, need, need.image.name)
        return
    id_ = yield from _check_image_parameter(client, need, need.image.name)
    if id_ is not None:
        yield from _image(client, need, id_)


def _check_image_parameter(
    client: AccountClient, need: WorkloadNeed, name: str
) -> Generator[AccountCheck, None, str | None]:
    """Check an SSM parameter; return the id of the image that it names."""
    item = f"SSM parameter {name} in {need.rung.region}: {need.workload_and_rung}"
    answer = client.ask("ssm", need.rung.region, "get_parameter", Name=name)
    if isinstance(answer, NoAnswer):
        if answer.code in NO_PARAMETER:
            yield answered_check(
                MACHINE,
                item,
                fine=False,
                value="no such parameter",
                allowed="a parameter that contains the id of an image in this region",
                fix="set machine_image: to an image or a parameter that exists",
            )
        else:
            yield unknown(MACHINE, item, answer.why, answer.fix)
        return None
    value = str(answer["Parameter"]["Value"])
    fine = value.startswith("ami-")
    allowed = "the id of an image"
    fix = "set machine_image: to a parameter that contains the id of an image"
    yield answered_check(MACHINE, item, fine=fine, value=value, allowed=allowed, fix=fix)
    return value if fine else None


def _image(client: AccountClient, need: WorkloadNeed, id_: str) -> Iterator[AccountCheck]:
    """Yield the check of an image.

    See https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeImages.html.
    """
    item = f"{id_} in {need.rung.region}: {need.workload_and_rung}"
    machine = need.machine
    architecture = machine.architecture if machine else ""
    allowed = f"available, {architecture or 'of the machine'}"
    answer = client.ask("ec2", need.rung.region, "describe_images", ImageIds=[id_])
    if isinstance(answer, NoAnswer) and answer.code not in NO_IMAGE:
        yield unknown(MACHINE, item, answer.why, answer.fix, allowed)
        return
    images = () if isinstance(answer, NoAnswer) else answer["Images"]
    if not images:
        fix = "use the id of an image of this region that the account may use"
        yield answered_check(
            MACHINE, item, fine=False, value="no such image", allowed=allowed, fix=fix
        )
        return
    yield _check_image(need, item, allowed, images[0])
    yield from _disk(need, images[0])


def _check_image(
    need: WorkloadNeed, label: str, allowed: str, image: Mapping[str, Any]
) -> AccountCheck:
    """Check that the image is available and has the machine's processor architecture."""
    machine = need.machine
    state = f"{image['State']}, {image['Architecture']}"
    if machine is None or machine.architecture is None:
        reason = f"{state}; the architecture of {need.rung.machine} is unknown"
        return unknown(MACHINE, label, reason, "see the machine type's page", allowed)
    return answered_check(
        MACHINE,
        label,
        fine=image["State"] == "available" and image["Architecture"] == machine.architecture,
        value=state,
        allowed=allowed,
        fix=f"set machine_image: to an available image for {machine.architecture}",
    )


def _disk(need: WorkloadNeed, image: Mapping[str, Any]) -> Iterator[AccountCheck]:
    """Check that the image's snapshot fits the machine's disk, where both sizes are known.

    EC2 refuses a volume that is smaller than its snapshot:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
    """
    sizes = [
        mapping["Ebs"]["VolumeSize"]
        for mapping in image.get("BlockDeviceMappings", ())
        if mapping["DeviceName"] == image.get("RootDeviceName")
        and "VolumeSize" in mapping.get("Ebs", ())
    ]
    if need.disk is not None and sizes:
        yield answered_check(
            DISK,
            f"{image['ImageId']} on the disk of {need.workload_and_rung}",
            fine=sizes[0] <= need.disk,
            value=f"an image of {sizes[0]:,} GiB",
            allowed=f"at most {need.disk:,} GiB, as large as the disk",
            fix=f"set disk: {sizes[0]}GiB, or use a smaller image",
        )
