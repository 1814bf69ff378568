import pytest

from gpuinfra.clouds.aws.account import image_checks
from gpuinfra.clouds.image_name import ImageName
from tests.clouds.aws.account.conftest import need

PARAMETER = ("ssm", "get_parameter")
IMAGES = ("ec2", "describe_images")
AMI = "ami-0123456789abcdef0"


def checked(caller, **changed):
    return list(image_checks.checks(caller, need(**changed)))


def named(value):
    return (*PARAMETER, {"Parameter": {"Value": value}})


def image(state="available", architecture="x86_64"):
    details = {"ImageId": AMI, "State": state, "Architecture": architecture}
    return (*IMAGES, {"Images": [details]})


def test_a_parameter_names_an_image_that_fits(stubbed):
    parameter, image_check = checked(stubbed(named(AMI), image()))

    assert (parameter.state, parameter.result) == ("ok", AMI)
    assert (image_check.state, image_check.result) == ("ok", "available, x86_64")


@pytest.mark.parametrize(
    ("disk", "size", "state"),
    [(187, 187, "ok"), (187, 188, "problem"), (None, 188, None), (187, None, None)],
)
def test_an_image_is_held_against_the_disk(stubbed, disk, size, state):
    """Only the root disk's own snapshot counts."""
    answer = image()
    ebs = {} if size is None else {"VolumeSize": size}
    answer[2]["Images"][0] |= {
        "RootDeviceName": "/dev/sda1",
        "BlockDeviceMappings": [
            {"DeviceName": "/dev/sdb", "VirtualName": "ephemeral0"},
            {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 900}},
            {"DeviceName": "/dev/sda1", "Ebs": ebs},
        ],
    }
    own = ImageName(found_by="id", name=AMI)
    _, *checks = checked(stubbed(answer), image=own, disk=disk)

    assert [check.state for check in checks] == ([] if state is None else [state])
    assert all(check.result == f"an image of {size} GiB" for check in checks)


@pytest.mark.parametrize(
    "answer", [image(state="deregistered"), image(architecture="arm64"), (*IMAGES, {"Images": []})]
)
def test_an_image_that_does_not_fit_is_a_problem(stubbed, answer):
    (check,) = checked(stubbed(answer), image=ImageName(found_by="id", name=AMI))

    assert (check.state, check.allowed) == ("problem", "available, x86_64")


def test_an_image_of_another_account_is_a_problem_and_one_nobody_may_see_unknown(stubbed):
    own = ImageName(found_by="id", name=AMI)
    (gone,) = checked(stubbed((*IMAGES, "InvalidAMIID.NotFound")), image=own)
    (hidden,) = checked(stubbed((*IMAGES, "UnauthorizedOperation")), image=own)

    assert (gone.state, hidden.state) == ("problem", "unknown")


def test_a_parameter_that_is_not_there_or_names_no_image_is_a_problem(stubbed):
    (gone,) = checked(stubbed((*PARAMETER, "ParameterNotFound")))
    (odd,) = checked(stubbed(named("latest")))
    (hidden,) = checked(stubbed((*PARAMETER, "AccessDeniedException")))

    assert (gone.state, odd.state, hidden.state) == ("problem", "problem", "unknown")
    assert hidden.fix == "allow ssm:GetParameter to the caller"


def test_a_machine_that_no_public_image_serves_is_unknown(stubbed):
    (check,) = checked(stubbed(), image=None)

    assert (check.state, check.fix) == ("unknown", "set machine_image: to an image for it")


def test_a_machine_of_unknown_architecture_is_unknown(stubbed):
    own = ImageName(found_by="id", name=AMI)
    (check,) = checked(stubbed(image()), image=own, rung={"machine": "p9.48xlarge"})

    assert check.state == "unknown"
