"""What a finding tells the reader of a stack file to change: keys that its cloud takes."""

import re
from datetime import date

import pytest

from gpuinfra import source as sources
from gpuinfra import stackfile
from gpuinfra.api.checking import judge
from gpuinfra.clouds import CLOUDS, title
from gpuinfra.clouds.supported_keys import REFUSAL_REASONS, reason
from gpuinfra.errors import InputError
from gpuinfra.model import Caps, Safety
from gpuinfra.rules import Verdict
from gpuinfra.rules.budget import UNCOUNTED_PREFIX
from gpuinfra.source import Source
from tests.rules.cases.judging import findings, group, plan

DAY = date(2026, 11, 21)

STACK = """\
version: 1
name: demo
owner: ml
budget: {{{budget}}}
prices: {{accept_outdated: true}}
where: {{cloud: {cloud}, regions: [{region}]}}
training:
  run: {{gpu: {gpu}, {run}}}
"""
ENDED = "end run after its run (time_to_live: 30h), then "
PLACES = {
    "aws": ("us-east-1", "L4:1"),
    "gcp": ("us-central1", "L4:1"),
    "azure": ("eastus", "T4:1"),
}


def judged(cloud: str, budget: str, run: str, more: str = "") -> Verdict:
    """The verdict on a stack of one machine."""
    region, gpu = PLACES[cloud]
    text = STACK.format(cloud=cloud, region=region, gpu=gpu, budget=budget, run=run)
    source = Source(document=stackfile.loads(text + more, "stack.yaml"))
    return judge(source, sources.plan(source, {}), {}, DAY).verdict


def fixes(
    cloud: str,
    budget: str = "per_hour: 9",
    run: str = "duration: 24h",
    outcome: str = "violated",
    more: str = "",
) -> dict[str, str]:
    """The fix of each violated rule on a stack of one machine, or why it is only noted."""
    findings = judged(cloud, budget, run, more).findings
    return {each.rule: each.fix for each in findings if each.outcome == outcome}


def test_the_time_limit_is_a_quarter_above_the_run() -> None:
    assert fixes("aws")["time-limit"] == "add time_to_live: 30h"
    assert fixes("aws", run="nodes: 1")["time-limit"] == "add time_to_live: 72h"


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_what_no_key_of_the_cloud_mends_is_a_note(cloud: str) -> None:
    warned, noted = fixes(cloud, run="nodes: 1"), fixes(cloud, run="nodes: 1", outcome="noted")
    assert warned.keys() - {"cloud-budget"} == {"time-limit"}
    why = reason("idle_stop", cloud)
    assert noted["idle-stop"] == f"idle_stop is not supported on {cloud} yet: {why}"
    assert noted["secure-boot"].startswith("no key of a stack file turns secure boot on: ")


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
@pytest.mark.parametrize("run", ["duration: 24h", "nodes: 1"])
def test_machines_that_nothing_ends_are_warned_of_with_their_bill(cloud: str, run: str) -> None:
    (finding,) = (
        each for each in judged(cloud, "per_hour: 9", run).findings if each.rule == "time-limit"
    )
    assert finding.outcome == "violated"
    why, _, bill = finding.message.partition("; ")
    assert why == (
        "nothing ends it: duration: 24h only counts in the quote"
        if run.startswith("duration")
        else "no maximum runtime"
    )
    assert re.fullmatch(r"if forgotten, its machines cost up to \$[\d,.]+ a month", bill)
    assert finding.fix.startswith("add time_to_live: ")


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_month_above_its_cap_says_why_it_counts_in_full(cloud: str) -> None:
    (finding,) = (
        each
        for each in judged(cloud, "per_month: 5", "duration: 24h").findings
        if each.rule == "cap-per-month"
    )
    seen = finding.message.partition(UNCOUNTED_PREFIX)[0]
    assert f"; run counts 730 hours: nothing ends it after its 24 h on {title(cloud)}" in seen
    assert "time_to_live" in finding.fix


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_month_that_ends_by_its_key_is_not_said_to_count_in_full(cloud: str) -> None:
    verdict = judged(cloud, "per_month: 5", "duration: 24h, time_to_live: 30h")
    assert not {"time-limit"} & {each.rule for each in verdict.findings if each.fix}
    assert "counts 730 hours" not in str(verdict.findings)


@pytest.mark.parametrize(
    ("cloud", "run", "named"),
    [
        ("aws", "capacity: spot", True),
        ("azure", "capacity: spot", True),
        ("gcp", "capacity: spot", False),  # takes no maximum
        ("azure", "capacity: spot, max_price: 5", False),
        ("azure", "capacity: on-demand", False),
    ],
)
def test_a_cap_on_spot_names_the_maximum_price(cloud: str, run: str, named: bool) -> None:
    budget = "per_hour: 0.01, per_run: 0.01, per_month: 0.01"
    caps = fixes(cloud, budget, f"duration: 24h, {run}")
    for rule in ("cap-per-hour", "cap-per-run", "cap-per-month"):
        assert ("set max_price for spot" in caps[rule]) == named


@pytest.mark.parametrize("word", sorted(REFUSAL_REASONS))
def test_the_reason_of_a_cloud_names_no_other(word: str) -> None:
    google, azure = reason(word, "gcp"), reason(word, "azure")
    assert google != azure
    assert "Azure" not in google
    assert "autoscale" not in google
    assert "managed group" not in azure
    assert all(
        reason(word, cloud).partition("; ")[0] in reason(word) for cloud in ("gcp", "azure")
    )


@pytest.mark.parametrize("rule", ["time-limit", "secure-boot"])
@pytest.mark.parametrize("settings", ["level: {}", "workloads: {{run: {{level: {}}}}}"])
def test_a_level_in_the_file_makes_a_note_count(rule: str, settings: str) -> None:
    more = f"rules: {{{rule}: {{{settings.format('mandatory')}}}}}\n"
    assert rule in fixes("gcp", more=more)
    assert not judged("gcp", "per_hour: 9", "duration: 24h", more).ok
    silent = f"rules: {{{rule}: {{{settings.format('disabled')}}}}}\n"
    for outcome in ("violated", "noted"):
        assert rule not in fixes("gcp", outcome=outcome, more=silent)


def test_a_waiver_of_a_note_is_needed() -> None:
    waiver = "{rule: secure-boot, resource: run, reason: unsigned, owner: ml, until: 2026-12-24}"
    verdict = judged("gcp", "per_hour: 9", "duration: 24h", f"waivers: [{waiver}]\n")
    assert verdict.ok
    assert [finding.rule for finding in verdict.waived] == ["secure-boot"]


def test_a_preview_warns_of_secure_boot() -> None:
    (finding,) = findings(plan(group(safety=Safety(secure_boot=False))), "secure-boot")
    assert (finding.outcome, finding.level) == ("violated", "advisory")


def test_a_key_is_advised_that_another_cloud_takes_where_the_file_allows_it() -> None:
    text = STACK.format(
        cloud="any",
        region="us-central1, us-east-1",
        gpu="L4:1",
        budget="per_hour: 9",
        run="nodes: 1",
    )
    source = Source(document=stackfile.loads(text, "stack.yaml"))
    findings = judge(source, sources.plan(source, {}), {}, DAY).verdict.findings
    advised = {each.rule: each.fix for each in findings if each.outcome == "violated"}

    moves = "then moves to aws: on-demand g6.xlarge in us-east-1 at "
    assert advised["time-limit"] == "add time_to_live: 72h"
    assert advised["idle-stop"].startswith(
        f"add idle_stop: {{below: 5%, after: 30m}}; run {moves}"
    )


def test_an_idle_machine_is_stopped_by_its_key_and_needs_no_time_limit_then() -> None:
    advised = fixes("aws", run="nodes: 1")
    assert advised["idle-stop"] == "add idle_stop: {below: 5%, after: 30m}"
    stopped = fixes("aws", run="nodes: 1, idle_stop: {below: 5%, after: 30m}")
    assert not {"idle-stop", "time-limit"} & stopped.keys()


@pytest.mark.parametrize(
    ("cloud", "budget", "fix"),
    [
        ("aws", "per_hour: 9", f"{ENDED}add to budget: per_month: 75, notify: […]"),
        ("aws", "per_hour: 9, notify: [ml@example.com]", f"{ENDED}add to budget: per_month: 75"),
        (
            "gcp",
            "per_month: 900, notify: [ml@example.com]",
            "add to budget: billing_account: …",
        ),
    ],
)
def test_a_budget_in_the_cloud_needs_the_keys_that_are_missing(
    cloud: str, budget: str, fix: str
) -> None:
    assert fixes(cloud, budget, outcome="noted")["cloud-budget"] == fix


def test_what_only_the_user_knows_is_refused_until_it_is_filled_in() -> None:
    missing = fixes("gcp", outcome="noted")["cloud-budget"].removeprefix(f"{ENDED}add to budget: ")
    text = STACK.format(
        cloud="gcp", region="us-central1", gpu="L4:1", budget=missing, run="duration: 24h"
    )

    with pytest.raises(InputError) as caught:
        stackfile.loads(text, "stack.yaml")
    assert {problem.path[:2] for problem in caught.value.problems} == {
        ("budget", "billing_account"),
        ("budget", "notify"),
    }


def test_a_program_declares_its_cloud_s_budget() -> None:
    both = plan(group(), group(cloud="gcp", machine="g2-standard-8", region="us-central1"))
    (finding,) = findings(both, "cloud-budget")
    assert finding.fix == (
        "add aws:budgets/budget:Budget and gcp:billing/budget:Budget that count these machines "
        "by their tags or labels"
    )


def test_a_program_without_a_cap_is_told_where_to_write_one() -> None:
    (finding,) = findings(plan(group(), caps=Caps()), "no-cap")
    assert finding.fix.startswith(
        "write budget: {per_hour: 70} into check.yaml and pass --settings check.yaml"
    )
    assert fixes("aws", "per_run: 9")["no-cap"] == "add to budget: per_hour: 1.10"
