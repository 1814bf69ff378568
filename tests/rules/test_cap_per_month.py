"""The cap of a month: its hours, and the end of a run."""

from decimal import Decimal

from gpuinfra.model import Caps
from tests.rules.cases.judging import group, outcomes, plan

P5 = Decimal("55.04")


def test_a_month_has_730_hours_or_those_until_its_end():
    caps = Caps(per_month=P5 * 730)
    assert outcomes(plan(group(), caps=caps), "cap-per-month") == ["fine"]
    less = Caps(per_month=P5 * 730 - 1)
    assert outcomes(plan(group(), caps=less), "cap-per-month") == ["violated"]
    assert outcomes(plan(group(hours=Decimal(72)), caps=less), "cap-per-month") == ["violated"]
    assert outcomes(plan(group(ends_after=Decimal(72)), caps=less), "cap-per-month") == ["fine"]


def test_a_month_without_a_price_is_not_known_and_without_a_cap_not_asked():
    caps = Caps(per_month=Decimal(1_000_000))
    assert outcomes(plan(group("p9.48xlarge"), caps=caps), "cap-per-month") == ["not-knowable"]
    assert outcomes(plan(group(), caps=Caps()), "cap-per-month") == ["not-applicable"]
