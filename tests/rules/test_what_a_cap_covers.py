"""A cap is of machines by default: what can't be one and has no price is listed, not refused."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.crossguard import pricing_terms
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.crossguard.settings import pack_settings
from gpuinfra.model import Caps, NotJudged
from tests.rules.cases.judging import TODAY, outcomes, plan, quoted

PAGE = NotJudged(
    subject="urn:pulumi:dev::shop::aws:s3/bucketObject:BucketObject::page",
    type="aws:s3/bucketObject:BucketObject",
    reason="content and settings of a bucket",
    may_start_machines=False,
)
DATABASE = NotJudged(
    subject="urn:pulumi:dev::shop::aws:rds/instance:Instance::orders",
    type="aws:rds/instance:Instance",
    reason="gpuinfra does not know this type",
)
SMALL = replace(
    PAGE,
    subject="urn:pulumi:dev::shop::aws:dynamodb/table:Table::t",
    type="aws:dynamodb/table:Table",
    hourly_maximum=Decimal("0.09"),
)
CAPPED = Caps(per_hour=Decimal(1))


@pytest.mark.parametrize(
    ("resource", "everything", "outcome"),
    [
        (PAGE, False, "fine"),
        (PAGE, True, "violated"),
        (DATABASE, False, "violated"),
        (DATABASE, True, "violated"),
    ],
)
def test_a_type_that_holds_no_machine_is_refused_by_a_cap_of_everything(
    resource, everything, outcome
):
    stack = plan(not_judged=(resource,), caps=CAPPED)

    assert outcomes(stack, "price-unknown", covers_everything=everything) == [outcome]


def test_what_is_left_out_is_told_with_its_number():
    pages = tuple(PAGE for _ in range(3))
    quote = quoted(plan(not_judged=pages, caps=CAPPED))

    assert (
        "not counted (no price is known, no machine in it): "
        "3 × aws:s3/bucketObject:BucketObject" in quote.warnings
    )


@pytest.mark.parametrize(
    ("number", "per_hour", "outcome"),
    [(1, "0", "fine"), (2, "0.18", "fine"), (11, "0.99", "fine"), (12, "1.08", "violated")],
)
def test_small_charges_count_from_where_they_add_up(number, per_hour, outcome):
    tables = tuple(replace(SMALL, subject=f"{SMALL.subject}{n}") for n in range(number))
    stack = plan(not_judged=tables, caps=CAPPED)
    quote = quoted(stack)

    assert quote.per_hour.ceiling == Decimal(per_hour)
    assert quote.per_hour.minimum == Decimal(per_hour)
    assert quote.per_month.ceiling == Decimal(per_hour) * 730
    assert outcomes(stack, "cap-per-hour") == [outcome]
    assert any("at its highest price" in words for words in quote.warnings) is (number > 1)


def test_small_charges_that_the_user_leaves_out_do_not_count():
    left = PricingTerms(as_of=TODAY, not_counted=frozenset({SMALL.type}))

    assert not estimate(plan(not_judged=(SMALL,) * 9, caps=CAPPED), left).per_hour.ceiling


@pytest.mark.parametrize(
    ("pack", "program", "everything"),
    [
        (None, None, False),
        ("machines", None, False),
        ("everything", None, True),
        ("everything", "machines", True),
        (None, "everything", True),
        ("machines", "everything", True),
    ],
)
def test_a_program_may_only_widen_what_the_caps_of_a_pack_cover(pack, program, everything):
    both = PolicySettings(covers=pack).stricter(PolicySettings(covers=program))

    assert pricing_terms.terms(both, TODAY).covers_everything is everything


def test_a_pack_reads_what_its_caps_cover():
    assert pack_settings({"budget": {"per_hour": 1}}).covers is None
    assert pack_settings({"budget": {"covers": "everything"}}).covers == "everything"
