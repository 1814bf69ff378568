"""What the cap keeps while an update runs, on any cloud: a test module makes a class of it."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

import pytest

from gpuinfra.engine import lifecycle
from tests.policies.ground import ANALYZER, LANGUAGE_HOST, Ground, Stood, refusing

Pair = tuple[str, str]
"""How packs are started, and the kind of machine."""

Case = TypeVar("Case", bound=Callable[..., None])


def tried(*pairs: Pair) -> Callable[[Case], Case]:
    """Says how a case is tried; the first pair is the one for a cloud that tries only one."""

    def keep(case: Case) -> Case:
        case.__dict__["pairs"] = pairs
        return case

    return keep


def caps(ground: Ground) -> tuple[Decimal, Decimal]:
    """Caps that one machine fits under, with its disk, or two, and no more."""
    return ground.price + 5, 2 * ground.price + 5


def held(ground: Ground, cap: Decimal) -> tuple[str, ...]:
    """The machines that stand, after seeing that they keep to the cap."""
    stood = ground.stood()
    assert len(stood) * ground.price <= cap
    assert ground.running() * ground.price <= cap
    assert ground.running() == len(stood.names)
    return stood.names


class CapCases:
    """Read from the state file and the sandbox, never from the pack's own words.

    Attributes:
        pairs: how many of the ways of each case are tried. How a pack is started does not depend
            on the cloud.
    """

    pairs = 1

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        pairs = metafunc.function.pairs[: self.pairs]
        metafunc.parametrize(("environment", "ground"), pairs, indirect=True)

    @tried((ANALYZER, "pool"), (LANGUAGE_HOST, "instance"))
    def test_one_machine_too_many_is_refused_until_the_cap_is_raised(self, ground):
        _, two = caps(ground)

        assert ground.up(["a", "b", "c"], two).ending == "refused"
        first = held(ground, two)
        assert len(first) == 2, "whatever fits is created"

        assert ground.up(["a", "b", "c"], two).ending == "refused"
        assert held(ground, two) == first, "going on with it changes nothing"

        assert ground.up(["a", "b", "c"], 2 * two).ok
        assert held(ground, 2 * two) == ("a", "b", "c")

    @tried((LANGUAGE_HOST, "pool"), (ANALYZER, "instance"))
    def test_a_swap_of_one_group_for_another_at_the_cap(self, ground):
        """At the preview, what names a pool's machine is known only by dependency."""
        _, two = caps(ground)
        for verb in (lifecycle.preview, lifecycle.up):
            outcome = ground.up(["a", "b"], two, verb=verb)
            assert outcome.ok, outcome.reason

        for verb in (lifecycle.preview, lifecycle.up):
            outcome = ground.up(["c", "d"], two, verb=verb)
            assert outcome.ending == "refused"
            assert refusing(outcome) == {"cap-per-hour"}
            assert "at the cap, use two updates: remove it" in outcome.reason
            assert held(ground, two) == ("a", "b"), "deletes come last, so nothing new fits"

        room_for_one = two + ground.price
        assert ground.up(["c", "d"], room_for_one).ending == "refused"
        stands = held(ground, room_for_one)
        assert len(stands) == 3, "whatever fits is created"
        assert {"a", "b"} < set(stands)

        assert ground.up(["c", "d"], 2 * two).ok
        assert held(ground, two) == ("c", "d")

    @tried((ANALYZER, "instance"))
    def test_a_stack_above_a_lowered_cap_may_shrink_and_a_swap_needs_two_updates(self, ground):
        single, two = caps(ground)
        assert ground.up(["a", "b"], two).ok
        assert ground.up(["a", "b", "c"], ground.price).ending == "refused"
        assert held(ground, two) == ("a", "b")
        assert ground.up(["a"], single).ok
        assert held(ground, single) == ("a",)
        assert ground.up(["a", "c"], two).ok
        assert held(ground, two) == ("a", "c")

    @tried((ANALYZER, "pool"))
    def test_more_machines_of_one_group_and_a_new_template_at_the_cap(self, ground):
        single, two = caps(ground)
        assert ground.up(["a"], two).ok
        assert replace(ground, size=3).up(["a"], two).ending == "refused"
        assert ground.running() == 1

        larger = replace(ground, size=2, edition=1)
        for verb in (lifecycle.preview, lifecycle.up):
            outcome = larger.up(["a"], two, verb=verb)
            assert outcome.ok, outcome.reason
        assert ground.running() == 2

        assert replace(ground, edition=1).up(["a"], single).ok, "shrinking is never refused"
        assert ground.running() == 1

    @tried((LANGUAGE_HOST, "instance"), (ANALYZER, "instance"))
    def test_an_update_that_was_killed_half_way_is_gone_on_with(self, ground, killed_update):
        """What was being created when the engine died may stand: it counts until a look."""
        _, two = caps(ground)
        assert ground.up(["a"], two).ok
        killed_update(ground, ["a", "b"])
        assert ground.stood() == Stood(("a",), ("b",))

        outcome = ground.up(["a", "b", "c"], two)

        assert outcome.ending == "refused"
        assert "creating" in outcome.reason
        assert "--clear-pending-creates" in outcome.reason
        assert ground.stood() == Stood(("a",), ("b",)), "a, and b that may stand: that is all"
        assert ground.running() * ground.price <= two

        three = two + ground.price
        assert ground.up(["a", "b", "c"], three).ending == "refused"
        # One more fits; the engine may stop at the refusal of the other before it is made.
        assert {"a"} <= set(ground.stood().names)
        assert len(ground.stood()) * ground.price <= three
        assert ground.running() * ground.price <= three

        assert ground.up(["a", "b", "c"], 2 * two).ok
        assert ground.stood() == Stood(("a", "b", "c"), ("b",))
        assert ground.running() * ground.price <= 2 * two

    @tried((ANALYZER, "group"), (LANGUAGE_HOST, "pool"))
    def test_what_has_no_price_is_refused_unless_it_is_not_counted(self, ground):
        _, two = caps(ground)
        everything = {"covers": "everything"}
        for then in ground.cloud.unpriced.values():
            outcome = ground.up(["a"], two, then=then, budget=everything)
            assert outcome.ending == "refused"
            assert refusing(outcome) == {"price-unknown", "cap-per-hour"}
            assert held(ground, two) == ("a",), "whatever fits, and nothing without a price"

        prices = {"not_counted": [ground.cloud.unpriced_type]}
        counted = {"budget": everything, "prices": prices}
        assert ground.up(["a"], two, then=ground.cloud.unpriced["type"], **counted).ok
        assert held(ground, two) == ("a",)

    @tried((ANALYZER, "instance"))
    def test_a_replacement_at_the_cap_counts_twice_unless_it_deletes_first(self, ground):
        _, two = caps(ground)
        assert ground.up(["a", "b"], two).ok

        renewed = replace(ground, edition=1)
        outcome = renewed.up(["a", "b"], two)

        assert outcome.ending == "refused"
        assert "delete_before_replace" in outcome.reason
        assert held(ground, two) == ("a", "b")
        assert replace(renewed, deletes_first=True).up(["a", "b"], two).ok
        assert held(ground, two) == ("a", "b")

    @tried((LANGUAGE_HOST, "group"), (ANALYZER, "instance"))
    def test_a_state_that_cannot_be_read_refuses(self, ground, tmp_path):
        _, two = caps(ground)
        assert ground.up(["a"], two).ok
        pulumi = tmp_path / "pulumi"
        blind = replace(ground, environment={**ground.environment, "GPUINFRA_PULUMI": str(pulumi)})
        for broken in ("exit 1", "echo '{\"version\": 9}'"):
            pulumi.write_text(f"#!/bin/sh\n{broken}\n")
            pulumi.chmod(0o755)

            outcome = blind.up(["a", "b"], 2 * two)

            assert outcome.ending == "refused"
            assert "so the cap can't be checked" in outcome.reason
            assert held(ground, two) == ("a",)

    @tried((ANALYZER, "pool"))
    def test_no_cap_anywhere_is_refused(self, ground):
        outcome = ground.up(["a"])
        assert outcome.ending == "refused"
        assert refusing(outcome) == {"no-cap"}
        assert held(ground, Decimal(0)) == ()
