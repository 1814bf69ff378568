"""How many machines of a pool the caps count, and how that is told."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.cost import Quote
from gpuinfra.model import UNKNOWN, Caps, GroupLifecycle
from gpuinfra.rules.machine_counts import machines_counted, no_way_left
from tests.rules.cases.judging import findings, group, plan, quoted


@pytest.mark.parametrize(
    ("minimum", "maximum", "surge", "told"),
    [
        (1, 1, 0, "1 machine"),
        (2, 6, 0, "6 machines (2 to 6 as it scales)"),
        (1, 4, 2, "6 machines (1 to 4 as it scales and 2 more during an update)"),
        (4, 4, 1, "5 machines (4 at other times and 1 more during an update)"),
        (UNKNOWN, 4, 1, "5 machines (4 at other times and 1 more during an update)"),
        (0, 0, 1, "0 machines"),
        (1, UNKNOWN, 0, ""),
        (1, 4, UNKNOWN, ""),
    ],
)
def test_the_number_says_what_it_is_made_of(
    minimum: Any, maximum: Any, surge: Any, told: str
) -> None:
    pool = group(minimum=minimum, maximum=maximum, lifecycle=GroupLifecycle(surge=surge))

    assert machines_counted(pool) == told


@pytest.mark.parametrize(
    ("caps", "rule"),
    [
        (Caps(per_hour=Decimal(100), per_month=Decimal(100)), "cap-per-hour"),
        (Caps(per_hour=Decimal(10_000), per_month=Decimal(100)), "cap-per-month"),
    ],
)
def test_the_first_cap_that_a_pool_exceeds_says_at_how_many_machines_it_counts(
    caps: Caps, rule: str
) -> None:
    pool = group(minimum=1, maximum=4, lifecycle=GroupLifecycle(surge=2))
    fixed = group(name="b", minimum=2, maximum=2)
    judged = plan(pool, fixed, caps=caps)
    told = {
        name: finding.message
        for name in ("cap-per-hour", "cap-per-month")
        for finding in findings(judged, name)
    }

    clause = "; trainer counts at 6 machines (1 to 4 as it scales and 2 more during an update)"
    assert [name for name, message in told.items() if clause in message] == [rule]
    assert "b counts" not in told[rule]


def test_the_maximum_of_a_pool_is_explained() -> None:
    (finding,) = findings(plan(group(minimum=2, maximum=6)), "pool-maximum")

    assert finding.message.startswith("at most 6 machines (2 to 6 as it scales); the caps count")


def test_pools_that_count_alike_are_named_together() -> None:
    pools = (group(name=name, minimum=1, maximum=4) for name in "ab")
    (finding,) = findings(plan(*pools, caps=Caps(per_hour=Decimal(100))), "cap-per-hour")

    assert "; a and b each count at 4 machines (1 to 4 as it scales)" in finding.message


LIMIT = "the cap of $50.00"


def with_reasons(*reasons: str | None) -> Quote:
    """The quote of a workload with as many purchase options, each excluded for its reason."""
    first = group()
    ladder = replace(first, rungs=first.rungs * len(reasons))
    quote = quoted(plan(ladder))
    rungs = zip(quote.rungs, reasons, strict=True)
    return replace(quote, rungs=tuple(replace(rung, skip_reason=why) for rung, why in rungs))


@pytest.mark.parametrize(
    ("reasons", "of", "is_told"),
    [
        ((f"above {LIMIT}", f"above {LIMIT}"), None, True),
        ((f"above {LIMIT}", f"above {LIMIT}"), "trainer", True),
        ((f"above {LIMIT}", f"above {LIMIT}"), "other", False),
        (("no capacity", f"above {LIMIT}"), None, True),
        (("no capacity", "no capacity"), None, False),
        ((f"above {LIMIT}", None), None, False),
        ((f"above {LIMIT}",), None, False),
    ],
)
def test_a_cap_that_leaves_no_purchase_option_says_so(
    reasons: tuple[str | None, ...], of: str | None, is_told: bool
) -> None:
    told = "; no purchase option is left for trainer (on-demand)" if is_told else ""

    assert no_way_left(with_reasons(*reasons), LIMIT, of) == told


def test_a_stack_names_workloads_with_a_single_option_too() -> None:
    quote = with_reasons(f"above {LIMIT}")
    several = replace(quote, active_rungs={**quote.active_rungs, "other": 0})

    told = "; no purchase option is left for trainer (on-demand)"
    assert no_way_left(several, LIMIT, None) == told
    assert no_way_left(several, LIMIT, "trainer") == ""
