"""What the finding of an exceeded cap says of sizes, ends and prices, and what its fix names."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import Quote
from gpuinfra.model import UNKNOWN, Caps, Group
from gpuinfra.rules import Finding
from gpuinfra.rules.budget import (
    compare,
    exceeded_cap_fix,
    groups_without_sure_end,
    rounded_cap,
    with_raised_cap,
)
from gpuinfra.rules.rule import violated
from tests.rules.cases.judging import findings, group, plan, quoted

HOUR = Decimal("55.04")


LIMITED = "use fewer or cheaper machines"


def quote_of(*groups: Group) -> Quote:
    return quoted(plan(*groups))


def over(rule: str, judged: Group, **caps: Decimal) -> Finding:
    """The finding of a cap of resources, by the only group of their plan."""
    (finding,) = findings(plan(judged, caps=Caps(**caps)), rule)
    return finding


def ladder(*capacities: str, cloud: str = "aws", **fields: Any) -> Group:
    first, *others = (group(capacity=capacity, cloud=cloud, **fields) for capacity in capacities)
    return replace(first, rungs=(first.rung, *(it.rung for it in others)))


ENDLESS = group(hours=Decimal(700))


POOL = {"purpose": "inference", "minimum": 1, "maximum": 4}


@pytest.mark.parametrize(
    ("groups", "fix"),
    [
        ((ENDLESS,), f"end trainer after a time (time_to_live), {LIMITED}"),
        ((group(hours=Decimal(72)),), LIMITED),
        ((group(ends_after=Decimal(9)),), LIMITED),
        (
            (group(**POOL),),
            (
                f"set a smaller maximum of replicas of trainer, {LIMITED}, "
                "end trainer after a time (time_to_live)"
            ),
        ),
        (
            (group(**{**POOL, "maximum": 1}),),
            f"{LIMITED}, end trainer after a time (time_to_live)",
        ),
        (
            (group(**{**POOL, "minimum": UNKNOWN}),),
            f"{LIMITED}, end trainer after a time (time_to_live)",
        ),
        (
            (group(**{**POOL, "maximum": UNKNOWN}),),
            f"{LIMITED}, end trainer after a time (time_to_live)",
        ),
        ((group(minimum=1, maximum=4, hours=Decimal(72)),), LIMITED),
        (
            (ladder("spot", "on-demand", ends_after=Decimal(9)),),
            f"{LIMITED}, set max_price for spot",
        ),
        (
            (group(ends_after=Decimal(9)), ladder("spot", ends_after=Decimal(9))),
            f"{LIMITED}, set max_price for spot",
        ),
        ((ladder("spot", max_price=Decimal(9), ends_after=Decimal(9)),), LIMITED),
        ((ladder("spot", cloud="gcp", ends_after=Decimal(9)),), LIMITED),
    ],
)
def test_the_fix_of_a_month_names_the_keys_that_bound_it(
    groups: tuple[Group, ...], fix: str
) -> None:
    file = plan(*groups, from_file=True)

    assert exceeded_cap_fix("per_month", file, groups) == f"{fix}, or raise budget.per_month"


@pytest.mark.parametrize("from_file", [True, False])
def test_the_fix_of_an_hour_names_no_end(from_file: bool) -> None:
    judged = plan(ENDLESS, from_file=from_file)

    fix = exceeded_cap_fix("per_hour", judged, judged.groups)

    assert fix == f"{LIMITED}, or raise budget.per_hour"


def test_the_fix_of_resources_names_no_workload() -> None:
    fix = (
        f"set a time limit (time_to_live, where the cloud supports it), {LIMITED}, "
        "or raise budget.per_month"
    )

    assert exceeded_cap_fix("per_month", plan(ENDLESS), (ENDLESS,)) == fix
    assert exceeded_cap_fix("per_month") == fix


SURGE = group(ends_after=Decimal(10), surge=1)


SIZE = "trainer counts at 2 machines (1 at other times and 1 more during an update)"


def test_sizes_are_said_once_where_both_caps_are_exceeded() -> None:
    both = {"per_hour": HOUR, "per_month": HOUR}

    assert SIZE in over("cap-per-hour", SURGE, **both).message
    assert SIZE not in over("cap-per-month", SURGE, **both).message


@pytest.mark.parametrize("hour", [None, HOUR * 2, HOUR * 3])
def test_sizes_are_said_with_the_month_where_the_hour_is_within_its_cap(
    hour: Decimal | None,
) -> None:
    finding = over("cap-per-month", SURGE, per_hour=hour, per_month=HOUR)

    assert finding.outcome == "violated"
    assert SIZE in finding.message


ENDLESS_REASON = "counts 730 hours: nothing ends it after its"


AGAIN = (
    "trainer counts 730 hours, since the stack starts it again after it ends: set how many runs a "
    "month has (runs) in resources of the settings"
)


@pytest.mark.parametrize(
    ("fields", "is_said"),
    [
        ({"hours": Decimal(729)}, True),
        ({"hours": Decimal(730)}, False),
        ({}, False),
        ({"hours": Decimal(72), "ends_after": Decimal(90)}, False),
        ({"hours": Decimal(72), "ends_claimed": Decimal(90)}, False),
        ({"hours": Decimal(72), "capacity": "capacity-block"}, False),
    ],
)
def test_a_month_says_that_nothing_ends_a_shorter_run(
    fields: dict[str, Any], is_said: bool
) -> None:
    finding = over("cap-per-month", group(**fields), per_month=Decimal(1))

    assert (ENDLESS_REASON in finding.message) == is_said


@pytest.mark.parametrize(
    ("fields", "is_said"),
    [
        ({"ends_after": Decimal(9), "starts_again": True}, True),
        ({"ends_after": Decimal(9)}, False),
        ({"starts_again": True}, False),
        ({"ends_after": Decimal(9), "starts_again": True, "runs": Decimal(2)}, False),
    ],
)
def test_a_month_says_that_its_machines_start_again(fields: dict[str, Any], is_said: bool) -> None:
    finding = over("cap-per-month", group(**fields), per_month=Decimal(1))

    assert (AGAIN in finding.message) == is_said


@pytest.mark.parametrize(
    ("claimed", "runs", "is_unsure"),
    [(365, 1, True), (365, 2, False), (364, 2, True), (730, 1, False), (9, 100, False)],
)
def test_an_end_by_the_word_of_a_program_is_unsure_where_it_would_shorten_the_month(
    claimed: int, runs: int, is_unsure: bool
) -> None:
    judged = group(ends_claimed=Decimal(claimed), runs=Decimal(runs))

    assert groups_without_sure_end([judged]) == (("trainer",) if is_unsure else ())


def test_a_cap_is_raised_only_where_it_is_exceeded_by_a_known_total() -> None:
    quote = quote_of(group())
    fine = findings(plan(group()), "cap-per-hour")[0]
    above = violated("shop", "above")

    assert with_raised_cap(fine, "raise it", "per_hour", quote) is fine
    assert quote.per_run is None
    assert with_raised_cap(above, "raise it", "per_run", quote) is above
    assert with_raised_cap(above, "raise it", "per_hour", quote).fix == "raise it to 55.04"


ENOUGH = "is enough with prices: {accept_outdated: true}"


@pytest.mark.parametrize(
    ("doubled", "fix"),
    [
        (HOUR, "raise it to 55.04"),
        (
            HOUR + 1,
            f"raise it to 56.04 (covers outdated prices that double; 55.04 {ENOUGH})",
        ),
    ],
)
def test_a_raised_cap_leaves_room_for_prices_that_may_double(doubled: Decimal, fix: str) -> None:
    quote = replace(quote_of(group()), doubled={"per_hour": doubled})

    assert with_raised_cap(violated("shop", "above"), "raise it", "per_hour", quote).fix == fix


@pytest.mark.parametrize(
    ("cost", "minimum", "cap"),
    [("0", "61", "65"), ("0.0015", "0", "0.01"), ("0.015", "0", "0.02")],
)
def test_a_suggested_cap_is_rounded_by_a_twelfth_at_most_and_to_cents(
    cost: str, minimum: str, cap: str
) -> None:
    assert rounded_cap(Decimal(cost), Decimal(minimum)) == cap


def test_items_counted_at_a_bound_are_named_with_the_workload_or_resource() -> None:
    quote = quote_of(group())
    (line,) = quote.lines
    bounded = (
        replace(line, item="own"),
        replace(line, item="nat", group=None, name="gateway"),
        replace(line, item="other", group="other"),
        replace(line, item="rate", status="rate"),
    )
    quote = replace(quote, bounded=bounded)

    def note(of: str | None) -> str:
        found = compare("shop", quote.per_hour, "hour", HOUR, quote, of)
        return found.message.partition("; counted at a bound: ")[2]

    assert note(None) == "own of trainer, nat of gateway, other of other"
    assert note("trainer") == "own of trainer"


def test_the_fix_of_a_run_without_a_duration_names_what_is_not_stated() -> None:
    def fix(**fields: Any) -> str:
        return over("cap-per-run", group(**fields), per_run=Decimal(1)).fix

    assert "purpose: training, duration: 24h" in fix(purpose="unknown", subject="urn:a::b::c::d")
    assert "purpose: training" not in fix(subject="urn:a::b::c::d")


@pytest.mark.parametrize(
    ("capacities", "is_needed"), [(("on-demand",), False), (("on-demand", "reserved"), True)]
)
def test_a_booked_machine_needs_a_cap(capacities: tuple[str, ...], is_needed: bool) -> None:
    judged = ladder(*capacities, machine="c7i.large")

    (finding,) = findings(plan(judged, caps=Caps()), "no-cap")

    assert (finding.outcome == "violated") == is_needed
