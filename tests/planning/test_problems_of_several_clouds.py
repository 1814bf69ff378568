"""`cloud: any`: what is wrong on all clouds is told once, what differs for each."""

import pytest

from gpuinfra.clouds import CLOUDS
from tests.planning.anywhere import path, refused, stack


def test_what_is_wrong_on_all_clouds_is_told_once() -> None:
    (gpu, type_) = refused(
        stack(training={"a": {"gpu": "H10O:8"}, "b": {"instance": "Standard_ND96isr_H100_v6"}})
    )

    assert (gpu.message, gpu.suggestion) == ("unknown GPU", "H100")
    assert {"L40S", "A100-PCIe-80GB", "GB300-288GB"} <= set(gpu.allowed.split(", "))
    assert type_.suggestion == "Standard_ND96isr_H100_v5"
    assert "Standard_ND96isr_H100_v5" in type_.allowed


def test_what_differs_is_told_for_each_cloud() -> None:
    problems = refused(stack(training={"trainer": {"gpu": {"model": "T4", "ram_per_gpu": "9TB"}}}))

    assert [problem.message.partition(":")[0] for problem in problems] == list(CLOUDS)
    assert {path(problem) for problem in problems} == {"training.trainer.gpu.ram_per_gpu"}


@pytest.mark.parametrize(
    ("machine", "words", "key"),
    [
        ({"gpu": "TRAINIUM2:16"}, "aws: no machine type fits: TRAINIUM2:16, on-demand", "gpu"),
        ({"instance": "trn2.48xlarge"}, "aws: no machine type fits: trn2", "instance"),
        ({"gpu": "MI300X:8"}, "azure: no machine type fits: MI300X:8, on-demand, in", "gpu"),
    ],
)
def test_a_cloud_without_the_machine_tells_nothing_where_another_has_it(
    machine: dict[str, str], words: str, key: str
) -> None:
    (problem,) = refused(stack(training={"t": machine}))

    assert problem.message.startswith(words)
    assert path(problem) == f"training.t.{key}"


def test_problems_of_all_workloads_come_at_once_in_the_order_of_the_file() -> None:
    mount = {"data": [{"bucket": "data"}]}
    problems = refused(
        stack(
            training={
                "a": {"gpu": "H10O:1", **mount},
                "b": {"gpu": "L44:1"},
                "c": {"gpu": "T44:1", **mount},
                "d": {"gpu": "L4:1", **mount},
            },
            buckets={"data": {"region": "mars"}},
        )
    )

    assert [problem.value for problem in problems] == ["H10O:1", "L44:1", "T44:1", "mars"]


def test_a_number_of_gpus_that_no_cloud_has_is_one_problem_with_those_of_each() -> None:
    (problem,) = refused(stack(training={"t": {"gpu": "H100:3"}}))

    assert (path(problem), problem.value) == ("training.t.gpu.count", "H100:3")
    assert problem.allowed == "aws 1, 8; gcp 8; azure 1, 2, 8"
    (of_two,) = refused(stack(training={"t": {"gpu": "L4:3"}}))
    assert of_two.allowed == "aws 1, 4, 8; gcp 1, 2, 4, 8"
