"""What AWS does not take of a workload's words, through a whole stack file."""

from typing import Any

import pytest

from gpuinfra.clouds.supported_keys import reason
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Plan
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: words
owner: me
prices: {{accept_outdated: true}}
where: {{cloud: aws, {where}}}
{top}
training:
  t: {{{training}}}
{buckets}
"""

POOL = """
inference:
  p:
    gpu: "T4:1"
    replicas: {replicas}
    image: "{image}"
    port: 80
    scale_on: {{requests_per_target: 5}}
    {pool}
"""

IDLE = "gpu: 'L4:1', idle_stop: {below: 5%, after: 1h}"


ECR = "123456789012.dkr.ecr.{}.amazonaws.com/team/model:v3"
REGION = "regions: [us-east-1]"


def planned(
    training: str = "instance: g6.xlarge",
    top: str = "",
    pool: str = "",
    where: str = REGION,
    buckets: str = "buckets: {d: {}}",
    replicas: int = 2,
    image: str = "a/b:1",
) -> Plan:
    text = STACK.format(training=training, top=top, where=where, buckets=buckets)
    text += POOL.format(pool=pool, replicas=replicas, image=image) if pool else ""
    return from_stack(loads(text).stack)


def problems(*args: str, **given: Any) -> tuple[Problem, ...]:
    try:
        planned(*args, **given)
    except InputError as error:
        return error.problems
    return ()


def only(**given: Any) -> Problem:
    (problem,) = problems(**given)
    return problem


def test_a_layout_that_nobody_tells_of_the_machine():
    problem = only(training="instance: p5en.48xlarge, nodes: 2, efa_layout: most-ip")

    assert problem.path == ("training", "t", "efa_layout")
    assert "p5.48xlarge, p5e.48xlarge" in problem.message


@pytest.mark.parametrize(
    "training",
    [
        "instance: p5.48xlarge, nodes: 2, fabric: none, efa_layout: most-ip",
        "instance: p5.48xlarge, efa_layout: classic",
        "instance: g6.xlarge, nodes: 2, fabric: preferred, efa_layout: classic",
    ],
)
def test_a_layout_without_a_fabric_is_told(training: str):
    problem = only(training=training)

    assert problem.path == ("training", "t", "efa_layout")
    assert "efa_layout requires EFA interfaces, and the workload has" in problem.message


@pytest.mark.parametrize("more", ["fabric: required, efa_layout: classic", "efa_layout: standard"])
def test_one_machine_may_have_a_fabric_and_the_usual_layout_is_nobodys_business(more: str):
    assert problems(f"instance: p5.48xlarge, {more}") == ()


@pytest.mark.parametrize(
    ("machine", "fits"), [("p5.48xlarge", True), ("p4d.24xlarge", False), ("g6.xlarge", False)]
)
def test_ena_express_where_it_exists(machine: str, fits: bool):
    told = problems(f"instance: {machine}, ena_express: true")

    assert [problem.path for problem in told] == (
        [] if fits else [("training", "t", "ena_express")]
    )


def test_a_training_workload_stands_in_one_subnet():
    network = "vpc: vpc-00000000, subnets: [subnet-00000000, subnet-11111111]"
    problem = only(training=f"instance: g6.xlarge, network: {{{network}}}")

    assert problem.path == ("training", "t", "network", "subnets")
    assert problem.allowed.startswith("one")


def test_a_pool_stands_in_two_and_the_stacks_network_is_told_at_its_place():
    top = "network: {vpc: vpc-00000000, subnets: [subnet-00000000]}"
    problem = only(top=top, pool="expected: 2")

    assert problem.path == ("network", "subnets")
    assert problem.allowed.startswith("two or more")


def test_a_block_without_room_for_the_classic_layout():
    problem = only(
        training="instance: p5.48xlarge, nodes: 20, efa_layout: classic, "
        "network: {cidr: 10.0.0.0/22}"
    )

    assert problem.path == ("training", "t", "network", "cidr")
    assert "443 addresses" in problem.message
    assert "20 machines need 640" in problem.message


def test_more_zones_than_the_region_has():
    told = problems(
        "instance: g4dn.xlarge",
        top="network: {zones: 6}",
        pool="expected: 2",
        where="regions: [us-west-1]",
    )

    assert ("network", "zones") in [problem.path for problem in told]


def test_a_pool_needs_room_beside_the_load_balancer_and_endpoints():
    problem = only(pool="network: {cidr: 10.1.0.0/22}", replicas=200)
    closed = problems(
        pool="network: {cidr: 10.1.0.0/22, nat: false}", replicas=84, image=ECR.format("us-east-1")
    )

    assert problem.path == ("inference", "p", "network", "cidr")
    assert "102 addresses for machines" in problem.message
    assert problems(pool="network: {cidr: 10.1.0.0/22}", replicas=102) == ()
    assert ["80 addresses" in problem.message for problem in closed] == [True]


def test_more_machines_than_the_usual_network_holds_are_told_at_their_number():
    problem = only(pool="expected: 2", replicas=9000)
    nodes = problems("instance: p5.48xlarge, nodes: 1100, efa_layout: classic")

    assert problem.path == ("inference", "p", "replicas")
    assert [problem.path for problem in nodes] == [("training", "t", "nodes")]


def test_training_does_not_span_zones_but_a_stack_s_network_may():
    problem = only(training="instance: g6.xlarge, network: {zones: 3}")

    assert problem.path == ("training", "t", "network", "zones")
    assert problems(top="network: {zones: 3}") == ()


@pytest.mark.parametrize(
    ("named", "count", "fits"),
    [("ab", 3, False), ("abc", 3, True), ("abc", 2, False), ("", 3, True)],
)
def test_zones_that_are_named_are_the_ones_that_are_used(named: str, count: int, fits: bool):
    where = f"regions: [us-east-1], zones: [{', '.join(f'us-east-1{letter}' for letter in named)}]"
    told = problems(pool=f"network: {{zones: {count}}}", where=where)

    assert [problem.path for problem in told] == (
        [] if fits else [("inference", "p", "network", "zones")]
    )
    assert fits or f"set network.zones: {len(named)}, or name {count} zones" in told[0].fix


@pytest.mark.parametrize(
    ("where", "more"),
    [
        ("regions: [us-east-1, us-west-2]", ""),
        ("regions: [us-east-1]", ", capacity: [on-demand, {spot: {region: us-west-2}}]"),
    ],
)
def test_a_network_that_is_there_is_in_one_region(where: str, more: str):
    network = "network: {vpc: vpc-00000000, subnets: [subnet-00000000]}"
    problem = only(training=f"instance: g6.xlarge, {network}{more}", where=where)

    assert problem.path == ("training", "t", "network", "vpc")
    assert "us-east-1, us-west-2" in problem.message


CLOSED = "network: {nat: false}"
OWN = "machine_image: ami-0123456789abcdef0"


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("data", "data: [{bucket: d}]"),
        ("checkpoints", "checkpoints: {bucket: d}"),
        ("shared_storage", "shared_storage: {deployment: scratch-2, size: 1.2TiB}"),
    ],
)
@pytest.mark.parametrize("at_top", [True, False])
def test_without_a_way_out_an_image_has_to_have_what_start_up_would_fetch(
    word: str, more: str, at_top: bool
):
    training = f"instance: p4d.24xlarge, {more}" + ("" if at_top else f", {CLOSED}")
    given = {"top": CLOSED if at_top else "", "buckets": "buckets: {d: {}}"}
    problem = only(training=training, **given)

    assert problem.path == (() if at_top else ("training", "t")) + ("network", "nat")
    assert word in problem.message
    assert "machine_image" in problem.fix
    assert problems(f"{training}, {OWN}", **given) == ()


def test_an_image_that_has_to_have_it_all_is_noted():
    notes = [
        planned(f"instance: g6.xlarge, data: [{{bucket: d}}], {OWN}{more}").groups[0].notes
        for more in (f", {CLOSED}", "")
    ]

    assert any(
        "the network has no outbound route, so machine_image" in note and "mount-s3" in note
        for note in notes[0]
    )
    assert not any("way out" in note for note in notes[1])


def test_prometheus_without_a_way_out_needs_an_image_too():
    top = "monitoring: {prometheus: 10.0.0.0/8}"
    problem = only(training=f"instance: g6.xlarge, {CLOSED}", top=top)

    assert problem.path == ("training", "t", "network", "nat")
    assert "monitoring.prometheus" in problem.message
    assert problems(f"instance: g6.xlarge, {CLOSED}, {OWN}", top=top) == ()
    assert problems("instance: g6.xlarge", top=top) == ()


@pytest.mark.parametrize("image", ["a/b:1", "public.ecr.aws/a/b:1", ECR.format("us-west-2")])
@pytest.mark.parametrize("more", ["", OWN])
def test_without_a_way_out_a_pool_s_container_is_in_ecr_of_the_region(image: str, more: str):
    problem = only(pool=f"{CLOSED}\n    {more}", image=image)

    assert problem.path == ("inference", "p", "network", "nat")
    assert image in problem.message
    assert problems(pool=CLOSED, image=ECR.format("us-east-1")) == ()


def test_without_a_way_out_buckets_are_in_the_region_of_the_machines():
    training = f"instance: g6.xlarge, data: [{{bucket: d}}], {CLOSED}, {OWN}"
    problem = only(training=training, buckets="buckets: {d: {region: us-west-2}}")
    two = only(training=training, where="regions: [us-east-1, us-west-2]")

    assert problem.path == ("training", "t", "network", "nat")
    assert "d is in us-west-2, and machines may be in us-east-1" in problem.message
    assert "d is in us-east-1, and machines may be in us-west-2" in two.message


def test_other_clouds_say_which_words_they_do_not_build():
    text = STACK.format(training=IDLE, top="tags: {a: b}", where=REGION, buckets="")
    text = text.replace("cloud: aws, regions: [us-east-1]", "cloud: gcp, regions: [us-central1]")
    with pytest.raises(InputError) as caught:
        from_stack(loads(text).stack)

    assert [(problem.path, problem.message) for problem in caught.value.problems] == [
        (("tags",), f"tags is not supported on gcp: {reason('tags', 'gcp')}"),
        (
            ("training", "t", "idle_stop"),
            f"idle_stop is not supported on gcp: {reason('idle_stop', 'gcp')}",
        ),
    ]
    assert [problem.fix for problem in caught.value.problems] == [
        "remove it, or use aws",
        "write time_to_live: 72h in its place, or use aws",
    ]


@pytest.mark.parametrize(
    ("more", "fix"),
    [
        ("duration: 72h", "write time_to_live: 90h in its place, or use aws"),
        (
            "duration: 72h, time_to_live: 90h",
            "remove it (time_to_live: 90h ends the run), or use aws",
        ),
    ],
)
def test_the_fix_of_idle_stop_knows_the_end_of_the_run(more: str, fix: str):
    text = STACK.format(training=f"{IDLE}, {more}", top="", where=REGION, buckets="")
    text = text.replace("cloud: aws, regions: [us-east-1]", "cloud: gcp, regions: [us-central1]")
    with pytest.raises(InputError) as caught:
        from_stack(loads(text).stack)

    assert [problem.fix for problem in caught.value.problems] == [fix]


def test_any_cloud_means_one_that_builds_the_words():
    text = STACK.format(training=IDLE, top="", where=REGION, buckets="")
    text = text.replace(
        "cloud: aws, regions: [us-east-1]", "cloud: any, regions: [us-east-1, us-central1]"
    )

    (group,) = from_stack(loads(text).stack).groups
    assert group.cloud == "aws"


@pytest.mark.parametrize(
    "word",
    ["tags: {a: b}", "monitoring: {alarms: true}", "budget: {per_month: 9, on_breach: stop}"],
)
def test_words_of_the_stack_are_refused_where_it_has_buckets_alone(word: str):
    text = f"""\
version: 1
name: alone
owner: me
where: {{cloud: gcp, regions: [us-central1]}}
{word}
buckets: {{b: {{}}}}
"""
    with pytest.raises(InputError) as caught:
        from_stack(loads(text).stack)

    assert [
        "is not supported on gcp: " in problem.message for problem in caught.value.problems
    ] == [True]


def test_checkpoints_are_not_kept_where_nothing_can_be_deleted() -> None:
    text = STACK.format(
        training="instance: g6.xlarge, checkpoints: {bucket: b}",
        top="",
        where=REGION,
        buckets="buckets: {b: {object_lock: {keep: 30d}}}",
    )
    with pytest.raises(InputError) as caught:
        from_stack(loads(text).stack)

    (problem,) = caught.value.problems
    assert problem.path == ("training", "t", "checkpoints", "bucket")
