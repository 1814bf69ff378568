import re
from itertools import pairwise

from gpuinfra.clouds import versions
from gpuinfra.clouds.aws.compatibility.version_needs import (
    SOFTWARE_NAMES,
    VersionNeed,
    contents,
    cuda_needs,
    machine_needs,
    wheels,
)
from gpuinfra.clouds.aws.images import family, public_image
from gpuinfra.clouds.aws.machines import MACHINES, machine
from gpuinfra.clouds.aws.tables import TABLES

DATE = re.compile(r"20\d\d-\d\d(-\d\d)?")


def test_every_row_is_sourced_dated_and_of_something_that_is_there() -> None:
    known = {
        "gpu": {machine.gpu for machine in MACHINES.all_machines()},
        "family": {family(machine) for machine in MACHINES.all_machines()},
        "type": {machine.type for machine in MACHINES.all_machines()},
    }
    for row in TABLES.rows("compatibility"):
        assert row["kind"] in {*known, "cuda", "cuda-major"}
        assert row["subject"] in known.get(row["kind"], {row["subject"]})
        assert row["source"]
        need = VersionNeed(**{key: value for key, value in row.items() if key != "kind"})
        assert need.part in SOFTWARE_NAMES
        assert DATE.fullmatch(need.as_of)
        assert need.below is None or versions.is_at_least(need.below, need.least)
        assert need.is_met_by(need.least)


def test_no_need_is_said_twice() -> None:
    rows = [
        (row["kind"], row["subject"], row["part"], row["firm"])
        for row in TABLES.rows("compatibility")
    ]

    assert len(rows) == len(set(rows))


def test_newer_cuda_needs_a_newer_driver() -> None:
    rows = [row for row in TABLES.rows("compatibility") if row["kind"] == "cuda"]
    own = [row["least"] for row in rows]

    for older, newer in pairwise(own):
        assert versions.is_at_least(newer, older)
    for row in rows:
        least, toolkit = cuda_needs(row["subject"])
        assert (least.firm, toolkit.firm) == (True, False)
        assert versions.is_at_least(toolkit.least, least.least)


def test_a_cuda_that_no_table_has_needs_what_nobody_knows() -> None:
    assert cuda_needs("12.99") == ()
    assert cuda_needs("99.0") == ()


def test_a_type_may_need_more_than_its_family() -> None:
    single = machine_needs(machine("p5.4xlarge"), "efa")
    whole = machine_needs(machine("p5.48xlarge"), "efa")

    assert [need.least for need in whole] == ["1.24.1"]
    assert [need.least for need in single] == ["1.24.1", "1.43.1"]


def test_too_old_is_only_certain_where_the_source_says_so() -> None:
    (firm,) = machine_needs(machine("p6-b200.48xlarge"), "driver")
    (advice,) = machine_needs(machine("p5.48xlarge"), "driver")
    (volta,) = machine_needs(machine("p3dn.24xlarge"), "cuda")

    assert (firm.is_met_by("569"), firm.is_met_by("570")) == (False, True)
    assert (advice.is_met_by("529"), advice.is_met_by("530")) == (None, True)
    assert (volta.is_met_by("12.9"), volta.is_met_by("13.0")) == (True, False)
    assert volta.version_range_text == "CUDA 10.0 or newer, below 13.0"


def test_wheels_are_of_the_release_and_none_of_another() -> None:
    assert {wheel.cuda for wheel in wheels("2.7.1")} == {"11.8", "12.6", "12.8"}
    assert wheels("2.70") == ()
    assert all(DATE.fullmatch(wheel.as_of) for wheel in wheels("2.10"))


def test_what_is_in_an_image_in_words() -> None:
    assert contents(public_image("inference", machine("p6-b300.48xlarge"))) == {
        "NVIDIA driver": "595.91.07",
        "CUDA": "13.2",
        "PyTorch": "none",
        "NCCL": "unknown",
        "EFA installer": "1.50.0",
        "aws-ofi-nccl": "1.21.1",
    }
