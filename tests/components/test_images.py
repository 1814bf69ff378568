"""Which image the machines of AWS start from, and when it is looked up anew."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi.runtime.mocks import MockResourceArgs

from gpuinfra.components.args import TrainingArgs
from gpuinfra.components.training import TrainingNode
from tests.components import mocked
from tests.components.mocked import aws

REGION = "us-east-1"
PARAMETER = "aws:ssm/getParameter:getParameter"


def node(**args: Any) -> TrainingNode:
    return TrainingNode("dev", TrainingArgs(region=REGION, **args))


def pin(seen: Any) -> Any:
    (only,) = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]
    return only


@pytest.mark.parametrize(
    ("instance", "part", "disk"),
    [
        ("g4dn.xlarge", "x86_64/oss-nvidia-driver-gpu-pytorch-2.10", "/dev/xvda"),
        ("g5g.xlarge", "arm64/oss-nvidia-driver-gpu-pytorch-2.10", "/dev/xvda"),
        ("trn1.32xlarge", "neuron/dlami/multi-framework", "/dev/sda1"),
    ],
)
def test_the_image_is_the_one_of_the_machines_family(
    record, instance: str, part: str, disk: str
) -> None:
    seen = record(lambda: node(instance=instance))
    (lookup,) = [args for token, args in seen.calls if token == PARAMETER]

    assert part in lookup["name"]
    template = seen.of("dev-launch-template").inputs
    assert template["blockDeviceMappings"][0]["deviceName"] == disk
    assert template["imageId"] == pin(seen).outputs["output"]["id"]
    assert pin(seen).inputs["input"]["name"] == f"resolve:ssm:{lookup['name']}"


def test_a_newer_release_behind_the_parameter_leaves_the_pin_as_it_is(
    record, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = pin(record(lambda: node(instance="g6.xlarge")))
    monkeypatch.setitem(aws.PROVIDER.answers, PARAMETER, {"insecureValue": "ami-0fedcba987654321"})
    after = pin(record(lambda: node(instance="g6.xlarge")))

    assert after.inputs != before.inputs
    assert after.name == before.name
    assert after.options == {"ignoreChanges": ["input"]}


def test_a_pin_of_an_earlier_version_is_the_id_alone(
    record, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = mocked.made

    def kept(args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        id_, outputs = made(args)
        return id_, ({**outputs, "output": "ami-0old"} if args.typ.endswith(":Stash") else outputs)

    monkeypatch.setattr(mocked, "made", kept)
    template = record(lambda: node(instance="g6.xlarge")).of("dev-launch-template")

    assert template.inputs["imageId"] == "ami-0old"


def test_an_update_of_images_looks_each_up_anew_and_once(record) -> None:
    def named(config: Mapping[str, str], **args: Any) -> str:
        return pin(record(lambda: node(instance="g6.xlarge", **args), config)).name

    today, later = {"images": "2026-11-21"}, {"images": "2026-12-01"}

    assert len({named({}), named(today), named(later)}) == 3
    assert named(today) == named(today)
    assert (
        len({named({}, machine_image="/team/ami"), named(today, machine_image="/team/ami")}) == 2
    )
    assert named({"images": ""}) == named({})


def test_an_id_of_the_users_own_is_no_matter_of_updates(record) -> None:
    own = {"instance": "g6.xlarge", "machine_image": "ami-0feedbeeffeedbeef"}
    seen = record(lambda: node(**own), {"images": "2026-11-21"})

    assert not [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]
    assert seen.of("dev-launch-template").inputs["imageId"] == "ami-0feedbeeffeedbeef"
