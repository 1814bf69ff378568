"""What is taken away is found, and told in words."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra import stackfile
from gpuinfra.fixes.tradeoffs import WorkloadRequest, loss, plan_requests
from gpuinfra.fixes.workload_requests import planned_requests, workload_requests
from gpuinfra.source import Source
from tests.fixes.conftest import judge


def plan(text):
    return judge(Source(document=stackfile.loads(text, "stack.yaml"))).plan


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (("nodes: 2", "nodes: 1"), ("trainer: 50% of the GPUs",)),
        (
            ("p5.48xlarge", "p4d.24xlarge"),
            (
                "trainer: 50% of the memory per GPU",
                "trainer: 68% of the speed per GPU",
                "trainer: 50% of the vCPUs per machine",
                "trainer: 44% of the memory per machine",
                "trainer: 88% of the speed of the fabric",
            ),
        ),
        (("fabric: required", "fabric: none"), ("trainer: the fabric",)),
        (("duration: 72h", "duration: 36h"), ("trainer: 50% of the hours of a run",)),
        (("    checkpoints: {bucket: data}\n", ""), ("trainer: checkpoints",)),
        (("p5.48xlarge", "p5en.48xlarge"), ()),
        (("on-demand", "spot"), ()),
    ],
)
def test_what_there_is_less_of(text, edit, words):
    lost = loss(plan_requests(plan(text())), plan(text(edit)))

    assert lost.texts == words
    assert (lost.amount > 0) is bool(words)


def test_what_an_edit_gives_up_itself_counts(text):
    same = plan(text())

    lost = loss(plan_requests(same), same, [(Decimal("0.5"), "half of it")])

    assert (lost.amount, lost.texts) == (Decimal("0.5"), ("half of it",))


def test_what_is_not_known_any_more_counts_as_gone(text):
    now = plan(text())
    requested = {
        "training.trainer": replace(plan_requests(now)["training.trainer"], size=Decimal(1200))
    }

    assert loss(requested, now).texts == (
        "trainer: the size of the file system, by an unknown amount",
    )


def test_a_resource_keeps_the_dots_of_its_name(text):
    now, urn = plan(text()), "urn:pulumi:dev::shop::aws:ec2/instance:Instance::team.trainer"
    of_resource = replace(now, groups=(replace(now.groups[0], subject=urn),))
    requested = replace(plan_requests(of_resource)[urn], size=Decimal(1200))

    (words,) = loss({urn: requested}, of_resource).texts

    assert words.startswith("team.trainer: ")


def test_who_asks_for_gpus_does_not_ask_for_a_host(text):
    by_gpu = text(("instance: p5.48xlarge", "gpu: H100:8"))
    stack = stackfile.loads(by_gpu).stack

    has = planned_requests(stack, plan(by_gpu))["training.trainer"]

    assert (has.vcpu, has.host_memory) == (None, None)
    assert has.gpus == 16
    by_type = text()
    named = planned_requests(stackfile.loads(by_type).stack, plan(by_type))["training.trainer"]
    assert named.vcpu == 192


def test_what_can_not_be_planned_is_asked_for_in_words(text):
    stack = stackfile.loads(text(("p5.48xlarge", "g6.xlarge"))).stack

    requested = workload_requests(stack)["training.trainer"]

    assert requested.gpus == 2
    assert requested.memory == 24
    assert requested.fabric_rank == 2
    assert requested.hours == 72
    assert requested.checkpoints is True
    assert requested != WorkloadRequest()


def test_no_fabric_is_a_larger_loss_than_an_unproven_one(text):
    requests = plan_requests(plan(text()))
    unproven, removed = (
        loss(requests, plan(text(("fabric: required", f"fabric: {value}"))))
        for value in ("preferred", "none")
    )

    assert unproven.texts == ("trainer: proof of a fabric",)
    assert 0 < unproven.amount < removed.amount


def test_another_processor_is_a_loss(text):
    loose = ("fabric: required", "fabric: none")
    was = plan_requests(plan(text(loose, ("p5.48xlarge", "g6.xlarge"))))
    after = plan(text(loose, ("p5.48xlarge", "g5g.xlarge"), ("us-east-2", "us-east-1")))

    words = loss(was, after).texts

    assert "trainer: images and programs built for x86_64: the new processor is arm64" in words
    assert not loss(plan_requests(after), after).texts
