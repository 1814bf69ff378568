"""Caps of workloads, growth against a lock, pools beyond their maximum, budgets, time limits."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.cost import PricingTerms, estimate, plan_on_active_rungs
from gpuinfra.model import UNKNOWN, Caps, Item, NotJudged, Rung
from gpuinfra.rules import RULES, LockedTotals, judge
from tests.rules.cases.judging import TODAY, findings, group, outcomes, plan

P5 = Decimal("55.04")
OWN = "cap-per-workload"


def disk(of: str, quantity: Decimal | None = Decimal(1000), **changes) -> Item:
    fields = {
        "name": "root disk",
        "subject": of,
        "kind": "disk",
        "cloud": "aws",
        "item": "ebs-gp3-storage",
        "unit": "GB-month",
        "quantity": quantity,
        "group": of,
        "per_machine": True,
        **changes,
    }
    return Item(**fields)


def test_the_cap_of_a_workload_holds_to_the_cent():
    two = group(minimum=2, maximum=2, ends_after=Decimal(10))
    at = {"per_hour": P5 * 2, "per_month": P5 * 20}
    (finding,) = findings(plan(two), OWN, at)
    assert (finding.outcome, finding.subject) == ("fine", "training.trainer")
    assert finding.message == (
        "its machines cost up to $110.08 per hour, within its cap of $110.08; its "
        "machines cost up to $1,100.80 per month, within its cap of $1,100.80"
    )
    (hour,) = findings(plan(two), OWN, {**at, "per_hour": "110.07"})
    assert (hour.outcome, hour.message) == (
        "violated",
        "its machines cost up to $110.08 per hour, above its cap of $110.07",
    )
    (month,) = findings(plan(two), OWN, {**at, "per_month": "1100.79"})
    assert month.outcome == "violated"
    assert "per month" in month.message
    assert "per hour" not in month.message
    (both,) = findings(plan(two), OWN, {"per_hour": 1, "per_month": 1})
    assert "per hour, above its cap of $1.00; its machines" in both.message


def test_a_workload_s_cap_counts_its_own_disks_and_nothing_shared():
    alone = group()
    shared = disk("trainer", per_machine=False)
    others = disk("other")
    (line,) = estimate(plan(alone, items=(disk("trainer"),)), PricingTerms(as_of=TODAY)).lines[1:]
    assert line.per_hour
    rich = {"per_hour": P5}
    assert outcomes(plan(alone, items=(shared, others)), OWN, rich) == ["fine"]
    assert outcomes(plan(alone, items=(disk("trainer"),)), OWN, rich) == ["violated"]
    enough = {"per_hour": P5 + line.per_hour}
    assert outcomes(plan(alone, items=(disk("trainer"),)), OWN, enough) == ["fine"]


def test_the_dearest_rung_that_is_left_counts():
    ladder = group(capacity="spot", max_price=Decimal(40))
    ladder = replace(ladder, rungs=(ladder.rung, group().rung))
    assert outcomes(plan(ladder), OWN, {"per_hour": 50}) == ["violated"]
    capped = plan(ladder, caps=Caps(per_hour=Decimal(50)))
    assert outcomes(capped, OWN, {"per_hour": 50}) == ["fine"]
    none_left = plan(ladder, caps=Caps(per_hour=Decimal(1)))
    assert outcomes(none_left, OWN, {"per_hour": 50}) == ["violated"]


def test_a_workload_without_a_price_is_not_known_unless_it_is_above_already():
    odd = group("p9.48xlarge")
    (finding,) = findings(plan(odd), OWN, {"per_hour": 1})
    assert finding.outcome == "not-knowable"
    assert "p9.48xlarge" in finding.message
    part = plan(group(), items=(disk("trainer", UNKNOWN),))
    assert outcomes(part, OWN, {"per_hour": 1}) == ["violated"]
    assert outcomes(part, OWN, {"per_hour": 100}) == ["not-knowable"]


def test_without_a_cap_or_a_quote_a_workload_s_cap_says_so():
    (finding,) = findings(plan(group()), OWN)
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")
    verdict = judge(plan(group()), None, {OWN: {"per_hour": 1}}, (), TODAY, only={OWN})
    assert [finding.outcome for finding in verdict.findings] == ["not-knowable"]
    assert outcomes(plan(), OWN, {"per_month": 1}) == ["not-applicable"]


def test_one_workload_may_have_a_cap_of_its_own():
    chat = group(name="chat", subject="inference.chat")
    settings = {"per_hour": 10, "workloads": {"trainer": {"per_hour": 60}}}
    by_subject = {
        finding.subject: finding.outcome
        for finding in findings(plan(group(), chat), OWN, settings)
    }
    assert by_subject == {"training.trainer": "fine", "inference.chat": "violated"}


GROWTH = "cost-growth"


def grown(locked: LockedTotals | None, settings=None, judged=None):
    ten = Decimal(10)
    judged = plan(group(hours=ten, ends_after=ten)) if judged is None else judged
    quote = estimate(judged, PricingTerms(as_of=TODAY))
    given = {GROWTH: settings} if settings else {}
    verdict = judge(
        plan_on_active_rungs(judged, quote), quote, given, (), TODAY, only={GROWTH}, locked=locked
    )
    (finding,) = verdict.findings
    return finding


def lock(hour=None, month=None, run=None, today=None) -> LockedTotals:
    sums = (None if amount is None else Decimal(amount) for amount in (hour, month, run))
    return LockedTotals(
        **dict(zip(("per_hour", "per_month", "per_run"), sums, strict=True)), quote_today=today
    )


@pytest.mark.parametrize(
    ("locked", "settings", "outcome"),
    [
        (lock("55.04"), None, "fine"),
        (lock(P5 / Decimal("1.1")), {"maximum": "10%"}, "fine"),
        (lock("50"), None, "violated"),
        (lock("50"), {"maximum": "10.08%"}, "fine"),
        (lock("50"), {"maximum": "10.07%"}, "violated"),
        (lock("100", "550.40", "550.40"), {"maximum": "0%"}, "fine"),
        (lock("100", "550.39", "550.40"), {"maximum": "0%"}, "violated"),
        (lock("100", "550.40", "550.39"), {"maximum": "0%"}, "violated"),
        (lock("0"), None, "violated"),
    ],
)
def test_a_stack_grows_no_further_than_its_lock_allows(locked, settings, outcome):
    finding = grown(locked, settings)
    assert (finding.outcome, finding.subject) == (outcome, "shop")


def test_growth_is_told_by_its_span_and_share():
    finding = grown(lock("50", "400", "1000"))
    assert finding.message == (
        "up to $55.04 per hour, 10.1% more than the $50.00 of its lock; allowed: 10%; "
        "up to $550.40 per month, 37.6% more than the $400.00 of its lock; allowed: 10%"
    )
    assert grown(lock("0")).message.startswith("up to $55.04 per hour, more than the $0.00")
    assert "gpuinfra lock --update" in finding.fix


def test_growth_is_counted_at_the_prices_of_today():
    dear = estimate(plan(group(maximum=2, minimum=2)), PricingTerms(as_of=TODAY))
    assert grown(lock("55.04", today=dear)).outcome == "violated"
    assert grown(lock("200", today=dear)).outcome == "fine"


def test_growth_without_a_lock_a_price_or_a_run():
    assert grown(None).outcome == "not-applicable"
    odd = plan(group("p9.48xlarge"))
    finding = grown(lock("55.04"), judged=odd)
    assert finding.outcome == "not-knowable"
    assert "p9.48xlarge" in finding.message
    endless = plan(group())
    assert grown(lock("55.04", run="1"), judged=endless).outcome == "fine"
    verdict = judge(endless, None, {}, (), TODAY, only={GROWTH}, locked=lock("1"))
    assert [finding.outcome for finding in verdict.findings] == ["not-knowable"]


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({"maximum": 4}, "fine", "at most 4"),
        ({"maximum": UNKNOWN}, "not-knowable", "number of machines"),
        ({"faults": rule_faults("pool-maximum", ("one more",))}, "violated", "one more"),
        (
            {"faults": rule_faults("pool-maximum", ("a", "b")), "maximum": UNKNOWN},
            "violated",
            "a; b",
        ),
        ({"faults": rule_faults("pool-maximum", UNKNOWN)}, "not-knowable", "exceed its maximum"),
    ],
)
def test_no_pool_outgrows_what_the_caps_count(changes, outcome, words):
    (finding,) = findings(plan(group(**changes)), "pool-maximum")
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message
    assert outcomes(plan(), "pool-maximum") == ["not-applicable"]


@pytest.mark.parametrize(
    ("kept", "cap", "outcome", "words"),
    [
        (None, None, "violated", "no monthly budget in the cloud counts these machines"),
        (None, 100, "noted", "no monthly budget in the cloud counts these machines"),
        (UNKNOWN, 100, "not-knowable", "is unknown"),
        (100, 100, "fine", "the cloud's budget is $100.00 a month; its alerts arrive hours late"),
        (100, None, "fine", "budget is $100.00"),
        (101, 100, "violated", "of $101.00 a month is above the cap of $100.00"),
    ],
)
def test_a_budget_stands_in_the_cloud_itself(kept, cap, outcome, words):
    limit = Decimal(kept) if isinstance(kept, int) else kept
    caps = Caps(per_month=None if cap is None else Decimal(cap))
    (finding,) = findings(plan(group(), caps=caps, cloud_budget=limit), "cloud-budget")
    assert (finding.outcome, finding.level, finding.subject) == (outcome, "advisory", "shop")
    assert words in finding.message
    assert outcomes(plan(caps=caps, cloud_budget=limit), "cloud-budget") == ["not-applicable"]


@pytest.mark.parametrize(
    ("caps", "from_file", "outcome"),
    [
        (Caps(per_hour=Decimal(9)), True, "noted"),
        (Caps(per_run=Decimal(9)), True, "noted"),
        (Caps(), True, "violated"),
        (Caps(per_hour=Decimal(9)), False, "noted"),
        (Caps(), False, "violated"),
    ],
)
def test_a_missing_budget_is_only_noted_with_caps(caps, from_file, outcome):
    judged = plan(group(), caps=caps, from_file=from_file)
    assert outcomes(judged, "cloud-budget") == [outcome]


@pytest.mark.parametrize(
    ("purpose", "ends", "outcome"),
    [
        ("training", True, "fine"),
        ("training", False, "violated"),
        ("training", None, "violated"),
        ("training", UNKNOWN, "not-knowable"),
        ("unknown", True, "fine"),
        ("unknown", False, "not-knowable"),
        ("inference", False, "not-applicable"),
    ],
)
def test_training_ends_after_a_time(purpose, ends, outcome):
    (finding,) = findings(plan(group(purpose=purpose, ends=ends)), "time-limit")
    assert (finding.outcome, finding.level) == (outcome, "advisory")
    if outcome == "not-knowable":
        assert ("unknown whether it trains" in finding.message) is (purpose == "unknown")


@pytest.mark.parametrize(("end", "outcome"), [(12, "violated"), (24, "fine"), (None, "fine")])
def test_machines_that_end_before_their_run_are_told(end, outcome):
    within = None if end is None else Decimal(end)
    early = group(ends=True, ends_within=within, hours=Decimal(24))
    (finding,) = findings(plan(early), "time-limit")
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message == "its machines end after 12 h, before its run of 24 h does"


@pytest.mark.parametrize("stated", ["ends_after", "ends_claimed"])
def test_the_hours_that_are_left_of_a_run_are_not_its_length(stated):
    begun = group(ends=True, ends_within=Decimal("2.8"), hours=Decimal(4), **{stated: Decimal(5)})
    (finding,) = findings(plan(begun), "time-limit")
    assert finding.outcome == "fine"


def test_a_capacity_block_ends_its_machines():
    block = group(ends=False)
    rung = Rung(capacity="capacity-block", machine="p5.48xlarge", region="us-east-1", zones=())
    (finding,) = findings(plan(replace(block, rungs=(rung,))), "time-limit")
    assert (finding.outcome, finding.message) == (
        "fine",
        "its machines end with their capacity block",
    )


@pytest.mark.parametrize(
    ("rule", "firm"),
    [
        *((rule, True) for rule in ("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run")),
        *(("price-unknown", True), ("price-outdated", True)),
        *((rule, False) for rule in (OWN, GROWTH, "pool-maximum", "cloud-budget", "time-limit")),
    ],
)
def test_the_caps_and_what_they_stand_on_can_t_be_waived(rule, firm):
    (judging,) = (candidate for candidate in RULES if candidate.id == rule)
    assert judging.firm is firm


def priced(rule: str, judged, **changes):
    quote = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    marked = tuple(replace(line, **changes) for line in quote.lines)
    old = tuple(replace(line, **changes) for line in quote.outdated)
    whole = replace(quote, lines=marked, outdated=(*old, *quote.outdated))
    (finding,) = judge(judged, whole, {}, (), TODAY, only={rule}).findings
    return finding


def test_a_price_of_one_s_own_is_named():
    assert priced("price-unknown", plan(group()), origin="user").message == (
        "every price is known; your own prices: p5.48xlarge"
    )
    assert priced("price-unknown", plan(group())).message == "every price is known"


def test_an_old_price_of_a_lock_is_taken_over_by_the_lock():
    finding = priced("price-outdated", plan(group()), origin="lock")
    assert finding.fix.startswith("use current prices: `gpuinfra lock --update")
    assert priced("price-outdated", plan(group())).fix.startswith("run `gpuinfra catalog refresh ")


def test_of_a_day_before_all_prices_none_is_called_old():
    quote = estimate(plan(group()), PricingTerms(as_of=date(2020, 1, 1)))
    (finding,) = judge(
        plan(group()), quote, {}, (), date(2020, 1, 1), only={"price-outdated"}
    ).findings
    assert finding.message.startswith("no prices of 2020-01-01 are known: the earliest of these")
    assert finding.fix == "set prices: {accept_outdated: true}"
    assert any(words.startswith("no prices of 2020-01-01 are known") for words in quote.warnings)


def test_an_old_price_of_a_machine_is_fetched_by_a_command_that_runs_as_it_is():
    both = plan(group(), group(cloud="gcp", machine="g2-standard-8", region="us-central1"))
    for each in (group(), group(name="other")):
        both = replace(both, groups=(*both.groups, each))
    refresh = "`gpuinfra catalog refresh --cloud"
    assert priced("price-outdated", both).fix == (
        f"run {refresh} aws --region us-east-1 --only prices` and {refresh} gcp --region "
        "us-central1 --only prices`, or set prices: {accept_outdated: true}"
    )


def test_an_old_price_that_no_refresh_fetches_can_only_be_accepted():
    judged = plan(group())
    quote = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    services = tuple(replace(line, item="nat-gateway") for line in quote.outdated)
    (finding,) = judge(
        judged, replace(quote, outdated=services), {}, (), TODAY, only={"price-outdated"}
    ).findings
    assert finding.fix == "set prices: {accept_outdated: true}"


def test_what_has_no_price_has_no_age():
    (finding,) = findings(plan(group("p9.48xlarge")), "price-outdated")
    assert finding.outcome == "not-applicable"
    both = plan(group(), group("p9.48xlarge", name="other"))
    (finding,) = findings(both, "price-outdated", outdated_after_days=5)
    assert finding.outcome == "violated"


def test_a_machine_type_that_no_table_has_is_called_unknown():
    (finding,) = findings(plan(group("p4d.25xlarge")), "price-unknown")
    assert finding.message.startswith("no on-demand price for p4d.25xlarge in ")
    assert finding.message.endswith(
        ": no table of aws has this machine type; did you mean p4d.24xlarge?"
    )
    (other,) = findings(plan(group("mac2.metal")), "price-unknown")
    assert other.message.endswith("no table of aws has this machine type")
    assert finding.fix.startswith(
        "correct the machine type to p4d.24xlarge; if it exists, add its price to prices.yaml"
    )
    assert "not_counted" not in finding.fix
    (known,) = findings(plan(group("p5.48xlarge", region="eu-west-3")), "price-unknown")
    assert known.message == "no on-demand price for p5.48xlarge in eu-west-3"
    assert known.fix.endswith("not_counted does not apply to machines of a known type")


def test_no_cap_is_named_while_a_price_is_unknown():
    judged = plan(group("p4d.25xlarge"), group(name="other"), caps=Caps(), from_file=True)

    assert findings(judged, "no-cap")[0].fix == "add budget: {per_hour: …}"
    assert "per_month: …" in findings(judged, "cloud-budget")[0].fix
    low = replace(judged, caps=Caps(per_hour=Decimal(1)))
    assert findings(low, "cap-per-hour")[0].fix.endswith("or raise budget.per_hour")


def test_a_cap_that_is_too_low_is_told_what_it_would_have_to_be():
    short = group(hours=Decimal("1.5"))
    judged = plan(short, caps=Caps(per_hour=Decimal(1), per_run=Decimal(2), per_month=Decimal(3)))

    for rule, end in (
        ("cap-per-hour", "raise budget.per_hour to 55.04"),
        ("cap-per-month", "raise budget.per_month to 40179.20"),
        ("cap-per-run", "raise budget.per_run to 82.56"),
    ):
        assert findings(judged, rule)[0].fix.endswith(end)
    old = estimate(judged, PricingTerms(as_of=TODAY, outdated_after_days=5))
    (doubled,) = judge(judged, old, {}, (), TODAY, only={"cap-per-hour"}).findings
    room = "(with room for outdated prices to double; 55.04 without)"
    assert doubled.fix.endswith(f"raise budget.per_hour to 110.08 {room}")
    (own,) = findings(plan(group()), OWN, {"per_hour": "55.035"})
    assert own.fix.endswith("in the settings of this rule: per_hour to 55.04")


def test_what_stands_alone_without_a_price_is_named_by_its_own_subject():
    loose = disk("loose", UNKNOWN, group=None, per_machine=False, region="us-east-1")
    (finding,) = findings(plan(group(), items=(loose,)), "price-unknown")
    assert (finding.outcome, finding.subject) == ("violated", "loose")


DISK = disk("web", per_machine=False, group=None, region="us-east-1")


class TestNoCap:
    CPU = group("m6i.large", name="web", subject="web")

    @pytest.mark.parametrize(
        ("stack", "outcome"),
        [
            (plan(CPU, caps=Caps()), "not-applicable"),
            (plan(caps=Caps()), "not-applicable"),
            (plan(caps=Caps(), items=(DISK,)), "not-applicable"),
            (plan(group(), caps=Caps()), "violated"),
            (plan(CPU, group("g6.xlarge"), caps=Caps()), "violated"),
            (plan(group("m6i.large", capacity="reserved"), caps=Caps()), "violated"),
            (plan(CPU, caps=Caps(per_run=Decimal(1))), "violated"),
            (plan(CPU, caps=Caps(per_month=Decimal(1))), "fine"),
        ],
    )
    def test_it_speaks_where_a_gpu_or_a_reservation_is_there_or_a_budget_is_set(
        self, stack, outcome
    ):
        assert outcomes(stack, "no-cap") == [outcome]

    @pytest.mark.parametrize(
        "changes",
        [
            {"groups": (group("p9.48xlarge"),)},
            {"groups": (replace(CPU, machines=("m6i.large", "zz9.large")),)},
            {"groups": (replace(CPU, rungs=(CPU.rung, replace(CPU.rung, machine="zz9.large"))),)},
            {"not_judged": (NotJudged(subject="pod", type="runpod:index:Pod", reason="unknown"),)},
            {"items": (replace(DISK, quantity=UNKNOWN),)},
        ],
    )
    def test_what_no_table_knows_needs_a_cap(self, changes):
        assert outcomes(replace(plan(caps=Caps()), **changes), "no-cap") == ["violated"]

    def test_without_a_quote_every_stack_needs_a_cap(self):
        verdict = judge(plan(self.CPU, caps=Caps()), None, {}, (), TODAY, only={"no-cap"})
        assert [finding.outcome for finding in verdict.findings] == ["violated"]

    def test_machines_of_the_tables_with_gpus_are_not_among_those_without(self):
        for cloud in ("aws", "gcp", "azure"):
            cpu = provider_of(cloud).prices.cpu
            machines = provider_of(cloud).machines.all_machines()
            assert [machine.type for machine in machines if cpu.is_in_table(machine.type)] == []
