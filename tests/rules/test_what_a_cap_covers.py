"""A cap is of machines by default: what can't be one and has no price is listed, not refused."""

from decimal import Decimal

import pytest

from gpuinfra.cost import Terms, estimate
from gpuinfra.crossguard import terms
from gpuinfra.crossguard.policy_settings import PolicySettings
from gpuinfra.crossguard.settings import of_pack
from gpuinfra.model import Caps, NotJudged
from tests.rules.cases.judging import TODAY, outcomes, plan

PAGE = NotJudged(
    subject="urn:pulumi:dev::shop::aws:s3/bucketObject:BucketObject::page",
    type="aws:s3/bucketObject:BucketObject",
    reason="content and settings of a bucket",
    may_start_machines=False,
)
DATABASE = NotJudged(
    subject="urn:pulumi:dev::shop::aws:rds/instance:Instance::orders",
    type="aws:rds/instance:Instance",
    reason="no table has its type",
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
    quote = estimate(plan(not_judged=pages, caps=CAPPED), Terms(as_of=TODAY))

    assert (
        "not counted (no price is known, no machine in it): "
        "3 × aws:s3/bucketObject:BucketObject" in quote.warnings
    )


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

    assert terms.terms(both, TODAY).covers_everything is everything


def test_a_pack_reads_what_its_caps_cover():
    assert of_pack({"budget": {"per_hour": 1}}).covers is None
    assert of_pack({"budget": {"covers": "everything"}}).covers == "everything"
