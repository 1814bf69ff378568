"""Which pools AWS can't hold, through a whole stack file; and what a pool's words cost."""

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.aws.pool_keys import serving_faults
from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.cost.energy import energies
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Plan, Rung
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads

CERTIFICATE = "arn:aws:acm:{}:123456789012:certificate/0a1b2c3d"
QUEUE = "queue: {messages_per_machine: 10}"

STACK = """\
version: 1
name: words
owner: me
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [{regions}]}}
inference:
  p:
    {machine}
    mixed: [{mixed}]
    replicas: {replicas}
    capacity: {capacity}
    image: a/b:1
    port: 80
    scale_on: {{{scale_on}}}
    {more}
"""


def planned(
    mixed: str = "",
    *,
    machine: str = "instance: g6.xlarge",
    regions: str = "us-east-1",
    replicas: str = "1..4",
    capacity: str = "spot",
    scale_on: str = QUEUE,
    more: str = "",
) -> Plan:
    text = STACK.format(
        mixed=mixed,
        machine=machine,
        regions=regions,
        replicas=replicas,
        capacity=capacity,
        scale_on=scale_on,
        more=more,
    )
    return from_stack(loads(text).stack)


def only(mixed: str = "", **given: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        planned(mixed, **given)
    (problem,) = caught.value.problems
    return problem


def test_other_types_that_start_as_the_first_one_does_are_held() -> None:
    (group,) = planned("g5.xlarge, g6.2xlarge").groups

    assert group.machines == ("g6.xlarge", "g5.xlarge", "g6.2xlarge")


@pytest.mark.parametrize(
    ("mixed", "given", "message"),
    [
        ("g99.xlarge", {}, "unknown aws machine type g99.xlarge"),
        ("g6.xlarge", {}, "g6.xlarge is in the pool already"),
        ("g5g.xlarge", {}, "g5g.xlarge is arm64, and g6.xlarge is x86_64"),
        ("g7e.2xlarge", {}, "it is unknown whether the image of g6.xlarge has the drivers of"),
        ("inf2.xlarge", {}, "inf2.xlarge has no NVIDIA GPU"),
        ("inf2.xlarge", {"more": "machine_image: ami-0123456789abcdef0"}, "no NVIDIA GPU"),
        (
            "p6e-gb200.36xlarge",
            {"machine": "instance: g5g.xlarge", "more": "machine_image: ami-0123456789abcdef0"},
            "p6e-gb200.36xlarge is not offered on spot",
        ),
        (
            "p5.48xlarge",
            {"regions": "eu-central-2", "machine": "instance: g6.xlarge"},
            "p5.48xlarge is not offered in eu-central-2",
        ),
    ],
)
def test_a_type_that_does_not_fit_is_named(
    mixed: str, given: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        planned(mixed, **given)
    problems = caught.value.problems

    assert {problem.path for problem in problems} == {("inference", "p", "mixed", 0)}
    assert any(message in problem.message for problem in problems)
    assert all(problem.fix for problem in problems)


def test_an_own_image_is_its_owners_to_know() -> None:
    plan = planned("g7e.2xlarge", more="machine_image: ami-0123456789abcdef0")

    assert plan.groups[0].machines == ("g6.xlarge", "g7e.2xlarge")


def test_types_stand_beside_one_first_machine() -> None:
    pool = loads(
        STACK.format(
            mixed="g6.4xlarge",
            machine="gpu: 'L4:1'",
            regions="us-east-1",
            replicas="1..4",
            capacity="spot",
            scale_on=QUEUE,
            more="",
        )
    ).stack.inference["p"]
    rungs = tuple(
        Rung(capacity="spot", machine=machine, region=region, zones=())
        for machine, region in (("g6.xlarge", "us-east-1"), ("g6.2xlarge", "eu-west-1"))
    )

    (fault,) = serving_faults(pool, rungs)

    assert fault.key == ("mixed",)
    assert "g6.xlarge, g6.2xlarge" in fault.message
    assert fault.fix == "set instance: g6.xlarge"


def test_a_pool_starts_its_container_with_nvidias_gpus() -> None:
    problem = only(
        machine="instance: inf2.xlarge",
        more="machine_image: ami-0123456789abcdef0",
        scale_on="requests_per_target: 5",
    )

    assert problem.path == ("inference", "p", "instance")
    assert "no NVIDIA GPU" in problem.message


def test_a_certificate_is_of_the_pools_own_region() -> None:
    given = {"scale_on": "requests_per_target: 5", "regions": "us-east-1, us-west-2"}
    problem = only(more=f"certificate: {CERTIFICATE.format('us-east-1')}", **given)

    assert problem.path == ("inference", "p", "certificate")
    assert problem.message == "the certificate is in us-east-1, and the pool may be in us-west-2"
    assert "us-west-2" in problem.fix


def test_a_certificate_there_is_taken() -> None:
    planned(
        more=f"certificate: {CERTIFICATE.format('us-east-1')}", scale_on="requests_per_target: 5"
    )


def test_a_pool_on_a_queue_has_nothing_to_answer_by() -> None:
    problem = only(more=f"certificate: {CERTIFICATE.format('us-east-1')}")

    assert problem.path == ("inference", "p", "certificate")
    assert problem.message == "a pool that reads a queue has no address"


def test_a_connection_idles_no_longer_than_a_balancer_lets_it() -> None:
    pool = {"scale_on": "requests_per_target: 5"}
    planned(more="idle_timeout: 4000s", **pool)
    problem = only(more="idle_timeout: 2h", **pool)

    assert problem.path == ("inference", "p", "idle_timeout")
    assert "4000s" in problem.allowed


def test_a_pool_on_a_queue_has_no_connections() -> None:
    assert only(more="idle_timeout: 10m").path == ("inference", "p", "idle_timeout")


def quote(plan: Plan) -> Quote:
    return estimate(plan, PricingTerms(as_of=date(2026, 11, 21), accept_outdated=True))


def paid(plan: Plan) -> Counter[tuple[str, str]]:
    return Counter((item.item, str(item.quantity)) for item in plan.items)


def test_a_pool_on_a_queue_pays_for_queues_and_alarms_but_no_balancer() -> None:
    awake, asleep = (paid(planned(replicas=replicas)) for replicas in ("1..4", "0..4"))

    assert asleep - awake == Counter({("cloudwatch-alarm-standard", "2"): 1})
    assert awake - asleep == Counter()
    assert asleep["sqs-requests", "None"] == 2
    assert asleep["cloudwatch-alarm-standard", "6"] == 1
    assert not [item for item, _ in asleep if item.startswith("alb")]


def test_a_queue_that_is_there_is_not_paid_for_here() -> None:
    named = planned(scale_on="queue: {messages_per_machine: 10, name: jobs}")

    assert not [item for item, _ in paid(named) if item.startswith("sqs")]


def test_a_mixed_pool_costs_at_most_its_dearest_type() -> None:
    mixed, dearest, first = (
        quote(planned(others, machine=f"instance: {machine}"))
        for machine, others in (
            ("g6.xlarge", "g5.xlarge, g6.12xlarge"),
            ("g6.12xlarge", ""),
            ("g6.xlarge", ""),
        )
    )

    assert mixed.per_hour.ceiling == dearest.per_hour.ceiling
    assert mixed.per_hour.ceiling > first.per_hour.ceiling


def test_from_zero_the_least_is_what_stands_without_machines() -> None:
    asleep, awake = (quote(planned(replicas=replicas)) for replicas in ("0..4", "1..4"))
    machines = {"NAT gateway", "address", "alarm"}
    beside = sum(line.per_month or Decimal(0) for line in asleep.lines if line.kind in machines)

    assert asleep.per_month.minimum == beside
    assert asleep.per_month.expected == asleep.per_month.minimum
    assert asleep.per_month.minimum < awake.per_month.minimum
    assert asleep.per_hour.ceiling - awake.per_hour.ceiling < Decimal("0.001")


def test_the_expected_machines_of_a_pool_from_zero() -> None:
    two, none = (
        quote(planned(replicas="0..4", capacity="on-demand", more=words))
        for words in ("expected: 2", "expected: 0")
    )
    least, most = none.per_hour.minimum, none.per_hour.ceiling

    assert none.per_hour.expected == least
    assert two.per_hour.expected > least
    assert two.per_hour.expected < most


def test_a_mixed_pool_draws_what_its_hungriest_machine_draws() -> None:
    text = (
        "version: 1\nname: mix\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
        "inference:\n  p: {instance: g6.xlarge, mixed: [g5.xlarge], replicas: 2, image: a/b:1, "
        "port: 80, scale_on: {gpu_memory: 80%}}\n"
    )
    (energy,) = energies(from_stack(loads(text).stack), None, None)

    assert energy.gpu.startswith("A10G")
