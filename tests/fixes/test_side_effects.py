"""What an edit changes without taking away what was asked for is told beside its price."""

import pytest

from gpuinfra import stackfile
from gpuinfra.fixes.effects import effect
from gpuinfra.fixes.side_effects import group_differences
from gpuinfra.fixes.tradeoffs import loss, plan_requests
from gpuinfra.source import Source
from tests.fixes.conftest import judge

HEAD = "name: demo\nowner: ml\nbudget: {per_hour: 900}\nprices: {accept_outdated: true}\n"
RUN = "gpu: L4:1, duration: 24h, checkpoints: {bucket: data}"
POOL = "gpu: L4:1, replicas: 2..4, image: vllm/vllm-openai:v0.11.0, port: 80"
ENDS = "its machines end after 30 h, its run finished or not"


def judged(inside: str, where: str = "us-east-1"):
    """A stack of one workload, planned and priced."""
    section = "inference" if "replicas" in inside else "training"
    place = "where: {cloud: aws, regions: [us-east-1]}\n"
    text = f"{HEAD}{place}{section}: {{t: {{{inside}}}}}\nbuckets: {{data: {{region: {where}}}}}\n"
    return judge(Source(document=stackfile.loads(text, "stack.yaml")))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (RUN, f"{RUN}, capacity: spot", ["spot machines may be interrupted at any time"]),
        (
            f"{RUN}, capacity: [spot, on-demand]",
            RUN,
            ["on-demand machines are not interrupted"],
        ),
        (RUN, f"{RUN}, time_to_live: 30h", [ENDS]),
        (RUN.replace("L4", "A10G"), RUN, ["50% less memory bandwidth per GPU"]),
        (RUN, RUN.replace("L4", "A10G"), []),
        (POOL, POOL.replace("2..4", "1..4"), ["at least 1 instead of 2 machines"]),
        (
            f"{POOL}, capacity: {{on_demand_base: 2, above: spot}}",
            f"{POOL}, capacity: {{on_demand_base: 1, above: spot}}",
            ["1 instead of 2 machines that are not interrupted"],
        ),
        (
            RUN.replace("gpu: L4:1", "instance: g6.48xlarge"),
            RUN.replace(
                "gpu: L4:1", "instance: trn1.32xlarge, machine_image: ami-0123456789abcdef0"
            ),
            ["programs and images for L4 do not run on TRAINIUM1"],
        ),
        (RUN, RUN, []),
    ],
)
def test_what_is_different_is_told(before: str, after: str, words: list[str]) -> None:
    was, now = judged(before), judged(after)

    told = list(group_differences(was.plan, now.plan))

    assert told == [f"t: {each}" for each in words]
    shown = effect(was, now, loss(plan_requests(was.plan), now.plan))
    assert all(each in str(shown) for each in told)


def test_data_that_must_be_moved_is_told_beside_the_price() -> None:
    shown = effect(judged(RUN), judged(RUN, "us-west-2"), loss({}, judged(RUN).plan))

    assert "bucket data: us-west-2, was us-east-1; its data must be moved" in str(shown)


def test_spot_machines_that_are_given_up_lose_their_discount() -> None:
    was, now = judged(f"{RUN}, capacity: [spot, on-demand]"), judged(RUN)

    assert effect(was, now, loss(plan_requests(was.plan), now.plan)).losses == (
        "t: the spot discount",
    )
    assert effect(was, was, loss(plan_requests(was.plan), was.plan)).losses == ()


def test_the_effect_says_that_a_file_chose_no_fabric():
    plain = judged("gpu: L4:1, nodes: 2, duration: 24h, fabric: none")
    told = effect(plain, plain, loss(plan_requests(plain.plan), plain.plan, ()))
    assert [each.after for each in told.fabric] == ["NCCL over RDMA: no, as chosen (fabric: none)"]
