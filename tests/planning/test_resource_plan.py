from decimal import Decimal

from gpuinfra.clouds.observing.rows import UniqueNames
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN, Caps, Usage
from gpuinfra.planning import from_resources
from tests.rules.cases import gcp_cluster, stacks
from tests.rules.cases.cluster import cluster
from tests.rules.cases.judging import TODAY
from tests.rules.cases.program import Program


def test_a_plan_of_resources_holds_what_is_observed_and_what_is_given():
    case = cluster()
    caps = Caps(per_hour=Decimal(300))
    usage = Usage(
        hours={"workers": Decimal(72)},
        expected={"workers": Decimal(2)},
        checkpoints={"workers": True},
        nvlink={"workers": True},
    )
    plan = from_resources(
        case.program.resources(), name="shop", caps=caps, usage=usage, owner="ml"
    )
    (group,) = plan.groups
    assert (plan.name, plan.owner, plan.caps) == ("shop", "ml", caps)
    assert (group.needs.hours, group.needs.expected, group.needs.checkpoints) == (
        Decimal(72),
        Decimal(2),
        True,
    )
    assert group.needs.nvlink is True


def test_a_purpose_that_is_given_counts_more_than_one_that_is_seen():
    usage = Usage(purpose={"workers": "inference"})
    resources = cluster().program.resources()
    assert from_resources(resources, name="s", caps=Caps(), usage=usage).groups[0].purpose == (
        "inference"
    )


def test_the_price_of_what_is_observed():
    plan = from_resources(cluster().program.resources("preview"), name="s", caps=Caps())
    quote = estimate(plan, PricingTerms(as_of=TODAY, accept_outdated=True))
    disks = 4 * 500 * Decimal("0.08") / 730
    assert quote.per_hour.ceiling == 4 * Decimal("55.04") + disks
    assert quote.unpriced == ()


def test_an_unknown_resource_is_counted_once_and_makes_the_price_unknown():
    program = Program()
    program.add("gcp:compute/instance:Instance", "theirs")
    plan = from_resources(program.resources(), name="s", caps=Caps())
    assert [row.type for row in plan.not_judged] == ["gcp:compute/instance:Instance"]
    assert estimate(plan, PricingTerms(as_of=TODAY)).unpriced != ()


def test_the_cloud_s_own_budget_and_buckets_are_in_the_plan():
    program, bucket, _ = stacks.good_bucket()
    program.add(
        "aws:budgets/budget:Budget",
        "b",
        budgetType="COST",
        timeUnit="MONTHLY",
        limitAmount=UNKNOWN,
    )
    plan = from_resources(program.resources(), name="s", caps=Caps())
    assert plan.cloud_budget is UNKNOWN
    assert [bucket.subject for bucket in plan.buckets] == [bucket.urn]


def test_groups_of_one_name_on_two_clouds_keep_their_own_rows():
    ours, theirs = cluster().program.resources(), gcp_cluster.tcpx().program.resources()
    here = from_resources(ours, name="s", caps=Caps())
    there = from_resources(theirs, name="s", caps=Caps())
    (name,) = {group.name for group in here.groups}
    (other,) = {group.name for group in there.groups}
    assert name == other

    both = from_resources((*ours, *theirs), name="s", caps=Caps())

    second = f"{name} (2)"
    assert [(group.name, group.cloud) for group in both.groups] == [(name, "aws"), (second, "gcp")]
    assert {(item.group, item.cloud) for item in both.items if item.group} == {
        (name, "aws"),
        (second, "gcp"),
    }
    terms = PricingTerms(as_of=TODAY, accept_outdated=True)
    alone = [estimate(plan, terms).per_hour.ceiling for plan in (here, there)]
    assert estimate(both, terms).per_hour.ceiling == sum(alone)


def test_a_number_is_not_given_that_somebody_wrote():
    names = UniqueNames(["x", "x", "x (2)"])
    assert [names.unique_name(name) for name in ("x", "x (2)", "x", "x")] == [
        *("x", "x (2)", "x (3)", "x (4)")
    ]
