"""The cap holds while an update runs: read from the state file and the sandbox, not the pack."""

from dataclasses import replace

import pytest

from gpuinfra.engine import lifecycle
from tests.policies.ground import AMI, OTHER_AMI, PRICE, Ground, Stood

pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore:.*aws:DeprecationWarning")]

KINDS = pytest.mark.parametrize("ground", ["instance", "group"], indirect=True)
ONE_WAY = pytest.mark.parametrize("environment", ["analyzer"], indirect=True)
"""For what does not depend on how the pack is started."""

TWO = 2 * PRICE + 5
"""A cap that two machines fit under, with their disks, and three do not."""


def held(ground: Ground, cap: object) -> tuple[str, ...]:
    """The machines that stand, after seeing that they keep to the cap."""
    stood = ground.stood()
    assert stood.per_hour <= cap
    assert ground.in_sandbox() * PRICE <= cap
    assert ground.in_sandbox() == len(stood.names)
    return stood.names


@KINDS
def test_one_machine_too_many(ground):
    outcome = ground.up(["a", "b", "c"], TWO)

    assert outcome.ending == "refused"
    assert len(held(ground, TWO)) == 2, "whatever fits is created"

    assert ground.up(["a", "b", "c"], 2 * TWO).ok
    assert held(ground, 2 * TWO) == ("a", "b", "c")


@KINDS
def test_a_swap_of_one_group_for_another_at_the_cap(ground):
    assert ground.up(["a", "b"], TWO).ok

    outcome = ground.up(["c", "d"], TWO)

    assert outcome.ending == "refused"
    assert "a swap at the cap takes two updates" in outcome.reason
    assert held(ground, TWO) == ("a", "b"), "deletes come last, so nothing new fits"

    room_for_one = TWO + PRICE
    assert ground.up(["c", "d"], room_for_one).ending == "refused"
    stands = held(ground, room_for_one)
    assert len(stands) == 3, "whatever fits is created"
    assert {"a", "b"} < set(stands)

    assert ground.up(["c", "d"], 2 * TWO).ok
    assert held(ground, TWO) == ("c", "d")


@ONE_WAY
def test_a_swap_in_two_updates_needs_no_higher_cap(ground):
    assert ground.up(["a", "b"], TWO).ok
    assert ground.up(["a"], TWO).ok
    assert ground.up(["a", "c"], TWO).ok
    assert held(ground, TWO) == ("a", "c")


@ONE_WAY
def test_a_stack_above_a_lowered_cap_may_shrink_but_not_grow(ground):
    assert ground.up(["a", "b"], TWO).ok
    assert ground.up(["a", "b", "c"], PRICE).ending == "refused"
    assert held(ground, TWO) == ("a", "b")
    assert ground.up(["a"], PRICE + 5).ok
    assert held(ground, PRICE + 5) == ("a",)


@ONE_WAY
def test_an_update_that_was_refused_half_way_is_gone_on_with(ground):
    assert ground.up(["a", "b", "c"], TWO).ending == "refused"
    first = held(ground, TWO)

    assert ground.up(["a", "b", "c"], TWO).ending == "refused"
    assert held(ground, TWO) == first

    assert ground.up(["a", "b", "c"], 2 * TWO).ok
    assert held(ground, 2 * TWO) == ("a", "b", "c")


def test_an_update_that_was_killed_half_way_is_gone_on_with(ground, killed_update):
    """What was being created when the engine died may stand: it counts until somebody looks."""
    assert ground.up(["a"], TWO).ok
    killed_update(ground, ["a", "b"])
    assert ground.stood() == Stood(("a",), ("b",))

    outcome = ground.up(["a", "b", "c"], TWO)

    assert outcome.ending == "refused"
    assert "creating" in outcome.reason
    assert "--clear-pending-creates" in outcome.reason
    assert ground.stood() == Stood(("a",), ("b",)), "a, and b that may stand: no room for a third"
    assert ground.in_sandbox() * PRICE <= TWO

    three = TWO + PRICE
    assert ground.up(["a", "b", "c"], three).ending == "refused"
    assert len(ground.stood().names) == 2, "whatever fits is created"
    assert ground.stood().per_hour <= three
    assert ground.in_sandbox() * PRICE <= three

    assert ground.up(["a", "b", "c"], 2 * TWO).ok
    assert ground.stood() == Stood(("a", "b", "c"), ("b",))
    assert ground.in_sandbox() * PRICE <= 2 * TWO


def unpriced_type(made):
    import pulumi
    import pulumi_aws as aws

    aws.sqs.Queue("work", opts=pulumi.ResourceOptions(depends_on=made))


def unpriced_machine(made):
    import pulumi
    import pulumi_aws as aws

    aws.ec2.Instance(
        "other", ami=AMI, instance_type="t2.nano", opts=pulumi.ResourceOptions(depends_on=made)
    )


@pytest.mark.parametrize("then", [unpriced_type, unpriced_machine])
def test_an_unpriced_type(ground, then):
    outcome = ground.up(["a"], TWO, then=then)

    assert outcome.ending == "refused"
    assert {"price-unknown", "cap-per-hour"} == {one.policy for one in outcome.findings}
    assert held(ground, TWO) == ("a",), "whatever fits is created, and nothing without a price"


@ONE_WAY
def test_an_unpriced_type_that_is_not_counted_comes_up(ground):
    prices = {"not_counted": ["aws:sqs/queue:Queue"]}
    assert ground.up(["a"], TWO, then=unpriced_type, prices=prices).ok
    assert held(ground, TWO) == ("a",)


@ONE_WAY
def test_a_replacement_at_the_cap_counts_twice_unless_it_deletes_first(ground):
    assert ground.up(["a", "b"], TWO).ok

    renewed = replace(ground, image=OTHER_AMI)
    outcome = renewed.up(["a", "b"], TWO)

    assert outcome.ending == "refused"
    assert "delete_before_replace" in outcome.reason
    assert held(ground, TWO) == ("a", "b")
    assert replace(renewed, deletes_first=True).up(["a", "b"], TWO).ok
    assert held(ground, TWO) == ("a", "b")


@pytest.mark.parametrize("broken", ["exit 1", "echo '{\"version\": 9}'"])
def test_a_state_that_cannot_be_read_refuses(ground, tmp_path, broken):
    assert ground.up(["a"], TWO).ok
    pulumi = tmp_path / "pulumi"
    pulumi.write_text(f"#!/bin/sh\n{broken}\n")
    pulumi.chmod(0o755)
    blind = replace(ground, environment={**ground.environment, "GPUINFRA_PULUMI": str(pulumi)})

    outcome = blind.up(["a", "b"], 2 * TWO)

    assert outcome.ending == "refused"
    assert "not knowable" in outcome.reason
    assert held(ground, TWO) == ("a",)


@ONE_WAY
def test_no_cap_anywhere_is_refused(ground):
    outcome = ground.up(["a"])
    assert outcome.ending == "refused"
    assert {one.policy for one in outcome.findings} == {"no-cap"}
    assert held(ground, 0) == ()


def root(per_hour):
    """The root component that gpuinfra.deploy registers, before anything else."""
    import pulumi

    pulumi.ComponentResource("gpuinfra:index:Stack", "root", {"budget": {"perHour": per_hour}})


@pytest.mark.parametrize(
    ("pack", "program"), [(None, str(TWO)), (3 * TWO, str(TWO)), (TWO, "999")]
)
def test_the_stricter_of_the_packs_cap_and_the_programs_holds(ground, pack, program):
    outcome = ground.up(["a", "b", "c"], pack, first=lambda: root(program))
    assert outcome.ending == "refused"
    assert len(held(ground, TWO)) == 2


@ONE_WAY
@KINDS
def test_a_preview_shows_that_a_swap_at_the_cap_will_be_refused(ground):
    """A group's machine is known only by dependency then: its launch template has no id yet."""
    assert ground.up(["a", "b"], TWO).ok

    outcome = ground.up(["c", "d"], TWO, verb=lifecycle.preview)

    assert outcome.ending == "refused"
    assert {one.policy for one in outcome.findings} == {"cap-per-hour"}
    assert "a swap at the cap takes two updates" in outcome.reason
    assert held(ground, TWO) == ("a", "b")
