"""Hygiene rules on rows: what is not applicable, buckets, names, one fact of a group."""

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.hygiene import bucket, of_group
from tests.rules.cases.judging import findings, group, outcomes, plan

RULES = (
    *("owner-label", "valid-names", "image-pinned", "scaling-signal"),
    *("idle-stop", "bucket-lifecycle"),
)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_to_judge_is_not_applicable(rule):
    (finding,) = findings(plan(), rule)
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")


@pytest.mark.parametrize(
    ("rule", "field"), [("image-pinned", "image_pinned"), ("idle-stop", "stops_idle")]
)
@pytest.mark.parametrize(
    ("fact", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_one_fact_of_a_group(rule, field, fact, outcome):
    finding = of_group(rule, **{field: fact})
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_only_machines_that_somebody_works_on_have_to_stop():
    assert of_group("idle-stop", stops_idle=None).outcome == "not-applicable"


@pytest.mark.parametrize(
    ("fact", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_something_of_a_bucket_expires(fact, outcome):
    (finding,) = findings(plan(buckets=(bucket(expires=fact),)), "bucket-lifecycle")
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_names_of_machines_and_buckets_are_judged_and_refuse():
    judged = plan(
        group(faults=rule_faults("valid-names", ("a is bad", "b too"))), buckets=(bucket(),)
    )
    machines, data = findings(judged, "valid-names")
    assert (machines.outcome, machines.refuses) == ("violated", True)
    assert machines.message == "a is bad; b too"
    assert (data.outcome, data.subject) == ("fine", "buckets.data")
    hidden = plan(buckets=(bucket(faults=rule_faults("valid-names", UNKNOWN)),))
    assert outcomes(hidden, "valid-names") == ["not-knowable"]
