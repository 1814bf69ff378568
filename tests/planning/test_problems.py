"""What only planning can refuse is told at its place."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.planning import from_stack
from tests.planning.stacks import OWN_IMAGE, changed, refused


def test_a_rung_that_is_not_there_is_refused_with_those_that_are() -> None:
    (problem,) = refused(rungs={"trainer": "on-demnd"})

    assert problem.allowed == "spot@us-east-1, on-demand@us-east-1"
    assert problem.message == "--rung trainer=on-demnd: trainer has no such rung"
    assert (problem.path, problem.suggestion) == ((), "on-demand")
    (problem,) = refused(rungs={"traner": "spot"})
    assert problem.suggestion == "trainer"
    assert problem.message == "--rung traner=spot: the file has no workload 'traner'"


def test_a_rung_of_no_workload_is_told_beside_what_is_wrong_with_the_file() -> None:
    problems = refused(("training.trainer.gpu", "H10:8"), rungs={"traner": "spot", "trainer": "x"})

    assert [problem.value for problem in problems] == ["H10:8", "traner"]


@pytest.mark.parametrize(
    ("changes", "path", "value", "suggestion"),
    [
        ([("training.trainer.gpu", "H10:8")], "training.trainer.gpu.model", "H10:8", "H100"),
        (
            [("training.trainer.gpu", None), ("training.trainer.instance", "p5.48xlage")],
            "training.trainer.instance",
            "p5.48xlage",
            "p5.48xlarge",
        ),
        ([("where.regions", ["us-eas-1"])], "where.regions.0", "us-eas-1", "us-east-1"),
        ([("where.zones", ["us-east-1z"])], "where.zones.0", "us-east-1z", None),
        (
            [("inference.chat.where", {"cloud": "aws", "regions": ["us-east-1", "us-wst-2"]})],
            "inference.chat.where.regions.1",
            "us-wst-2",
            "us-west-2",
        ),
        (
            [("training.trainer.capacity", ["spot", {"on-demand": {"region": "us-eas-2"}}])],
            "training.trainer.capacity.1.region",
            "us-eas-2",
            "us-east-2",
        ),
        ([("buckets.data.region", "eu-wes-1")], "buckets.data.region", "eu-wes-1", "eu-west-1"),
        (
            [("training.trainer.disk", {"size": "200GB", "iops": 2000})],
            "training.trainer.disk.iops",
            "2000",
            "",
        ),
        ([("training.trainer.max_price", 0)], "training.trainer.max_price", "0", ""),
        (
            [("training.trainer.capacity", ["spot", {"spot": {"region": "us-east-1"}}])],
            "training.trainer.capacity.1",
            "spot@us-east-1",
            "",
        ),
        (
            [("where", {"cloud": "aws", "regions": ["us-east-1"], "zones": ["us-east-1a"]}),
             ("where.regions", ["us-east-1", "us-west-2"])],
            "where.zones",
            "",
            "",
        ),
    ],
)  # fmt: skip
def test_what_only_planning_can_refuse_is_told_with_its_place(
    changes: list[tuple[str, Any]], path: str, value: str, suggestion: str | None
) -> None:
    problems = refused(*changes)
    (problem,) = problems

    assert ".".join(map(str, problem.path)) == path
    assert problem.value == value
    assert problem.allowed or problem.fix
    if suggestion is not None:
        assert problem.suggestion == suggestion


def test_a_wrong_word_is_told_once_for_all_rungs() -> None:
    problems = refused(
        ("training.trainer.gpu", "H10:8"), ("where.regions", ["us-east-1", "us-west-2"])
    )

    assert [problem.value for problem in problems] == ["H10:8"]


def test_all_problems_come_at_once() -> None:
    problems = refused(
        ("where.regions", ["us-east-1", "us-eas-2"]),
        ("training.trainer.gpu", "H10:8"),
        ("training.trainer.disk", {"size": "200GB", "iops": 99_999}),
        ("inference.chat.gpu", "L44:1"),
        ("buckets.data.region", "mars"),
    )

    assert {problem.value for problem in problems} == {
        "us-eas-2",
        "H10:8",
        "99999",
        "L44:1",
        "mars",
    }


def test_where_nothing_fits_on_one_rung_it_is_told_once_for_all_ways_to_buy() -> None:
    trainer, chat = refused(("where.regions", ["us-east-1", "eu-west-1"]))

    assert trainer.path == ("training", "trainer", "gpu")
    assert chat.path == ("inference", "chat", "gpu")
    assert "eu-west-1" in trainer.message
    assert (
        "use another region: eu-north-1, eu-west-2, ap-northeast-1 and 10 more"
        " (gpuinfra catalog show p5.48xlarge)"
    ) in trainer.fix


def test_a_command_too_long_for_the_cloud_is_refused_at_its_place() -> None:
    command = "".join(chr(0x4E00 + n * n * 7919 % 20_000) for n in range(8192))
    (problem,) = refused(
        ("training.trainer.command", command),
        # With a bucket, the machines fetch what is long from it.
        ("training.trainer.data", []),
        ("training.trainer.checkpoints", None),
        ("buckets", {}),
    )

    assert problem.path == ("training", "trainer", "command")
    assert "too long for its machines" in problem.message
    assert (problem.value, problem.allowed) == ("24,576 bytes", "16,128 bytes compressed")


@pytest.mark.parametrize("region", ["us-esat-1", "moon-1"])
def test_where_no_region_is_known_words_are_still_judged(region: str) -> None:
    problems = refused(
        ("where.regions", [region]),
        ("training.trainer.gpu", "H10O:8"),
        ("inference.chat.gpu", None),
        ("inference.chat.instance", "p5.48xlrge"),
    )

    assert [problem.value for problem in problems] == [region, "H10O:8", "p5.48xlrge"]
    assert [problem.suggestion for problem in problems[1:]] == ["H100", "p5.48xlarge"]


def test_where_no_region_is_known_what_no_region_has_is_told() -> None:
    region, machine = refused(
        ("where.regions", ["us-esat-1"]),
        ("training.trainer.gpu", "H100:3"),
        ("training.trainer.capacity", ["on-demand"]),
        ("training.trainer.max_price", None),
    )

    assert region.suggestion == "us-east-1"
    assert (
        machine.message == "no machine type fits: H100:3 with a fabric, on-demand, in any region"
    )
    assert machine.value == "H100:3"


@pytest.mark.parametrize(
    ("words", "path", "kind"),
    [
        ({"instance": "inf1.24xlarge", "nodes": 2}, "instance", "inf1.24xlarge (INFERENTIA1, x86"),
        ({"instance": "g6f.xlarge"}, "instance", "g6f.xlarge (L4, x86_64)"),
        ({"instance": "p3dn.24xlarge"}, "instance", "p3dn.24xlarge (V100-32GB, x86_64)"),
        ({"gpu": "V100:8"}, "gpu", "p3dn."),
    ],
)
def test_a_machine_that_no_public_image_serves_needs_one_of_the_user(
    words: dict[str, Any], path: str, kind: str
) -> None:
    work = {**words, "capacity": "on-demand", "fabric": "preferred"}
    (problem,) = refused(("training.trainer", work))
    own = changed(("training.trainer", {**work, "machine_image": OWN_IMAGE[1]}))

    assert problem.message.startswith(f"no public image is known for {kind}")
    assert problem.path == ("training", "trainer", path)
    assert problem.value == words[path]
    assert "machine_image" in problem.fix
    fabric = from_stack(own).groups[0].fabric
    assert fabric is None or fabric.driver_image is UNKNOWN


def test_a_missing_image_is_told_with_the_region_that_has_the_machine() -> None:
    place = ("where.regions", ["eu-west-2"])
    work = {"gpu": "V100:8", "capacity": "on-demand", "fabric": "preferred"}
    (image,) = refused(place, ("training.trainer", work))
    (region,) = refused(place, ("training.trainer", {**work, "machine_image": OWN_IMAGE[1]}))

    no_image = "no public image is known for p3dn.24xlarge (V100-32GB, x86_64)"
    assert image.message == f"{region.message}; {no_image}"
    assert region.fix.startswith("use another region: eu-west-1")
    own_image = "set machine_image to an image that has its drivers"
    assert image.fix.startswith(f"{own_image}, and {region.fix.partition(';')[0]}, or use a GPU")


def test_a_pool_needs_an_image_too() -> None:
    (problem,) = refused(("inference.chat.gpu", "INFERENTIA2:1"))

    assert problem.path == ("inference", "chat", "gpu")
    assert "inf2.xlarge" in problem.message


def test_a_listed_zone_that_is_known_not_to_have_the_machine_is_refused() -> None:
    (problem,) = refused(
        ("where", {"cloud": "gcp", "regions": ["us-central1"], "zones": ["us-central1-f"]}),
        ("training.trainer", {"instance": "a3-ultragpu-8g", "capacity": "spot"}),
        ("inference", {}),
    )

    assert problem.path == ("training", "trainer", "instance")
    assert (problem.value, problem.allowed) == ("us-central1-f", "us-central1-b")


def test_an_image_of_another_cloud_is_refused_at_its_line() -> None:
    (problem,) = refused(
        ("where", {"cloud": "azure", "regions": ["eastus"]}),
        ("training.trainer", {"gpu": "T4:1", "machine_image": "ami-0123456789abcdef0"}),
        ("inference", {}),
    )

    assert problem.path == ("training", "trainer", "machine_image")
    assert "is not an Azure image" in problem.message
