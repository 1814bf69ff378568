"""Where only the hours of a month exceed its cap, a time_to_live is the longest within it."""

from collections.abc import Callable

import pytest

from gpuinfra import stackfile
from gpuinfra.api.checking import StackCheck
from gpuinfra.fixes import Proposal
from gpuinfra.rules.ended_months import longest_end
from gpuinfra.source import Source
from tests.fixes.conftest import judge

Propose = Callable[..., Proposal]

HEAD = """\
name: demo
owner: ml
prices: {accept_outdated: true}
where: {regions: [%s]}
budget: {per_hour: 300, per_month: %s}
training:
  t: {%s}
"""
RUN = "gpu: H100:8, duration: 72h"
BOX = "gpu: T4:1, disk: 500GB"
KEPT = f"{BOX}, all_or_nothing: true"
REGIONS = ("us-east-1", "us-central1", "eastus")


def judged(region: str, cap: int, work: str) -> StackCheck:
    """A stack of one run, planned and priced."""
    text = HEAD % (region, cap, work)
    return judge(Source(document=stackfile.loads(text, "stack.yaml")))


def exceeds(region: str, cap: int, work: str) -> bool:
    """Whether the month of a stack of one run is above its cap."""
    findings = judged(region, cap, work).verdict.findings
    return any(it.rule == "cap-per-month" and it.outcome == "violated" for it in findings)


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize(
    ("work", "share", "step"), [(RUN, 0.115, 1), (BOX, 0.6, 24), (KEPT, 0.6, 24)]
)
def test_one_step_more_is_above_the_cap(region: str, work: str, share: float, step: int) -> None:
    if work == KEPT and region != "us-east-1":
        pytest.skip("all_or_nothing is a request on AWS")
    full = judged(region, 1, work)
    cap = int(float(full.quote.per_month.ceiling) * share)
    over = judged(region, cap, work)

    end = longest_end(over.plan, over.quote, over.plan.groups[0])

    assert end is not None
    assert not exceeds(region, cap, f"{work}, time_to_live: {end}h")
    assert exceeds(region, cap, f"{work}, time_to_live: {end + step}h")


def test_no_end_cuts_a_run_short() -> None:
    over = judged("us-east-1", 3000, RUN)

    assert longest_end(over.plan, over.quote, over.plan.groups[0]) is None


def test_the_finding_and_the_edit_name_it(propose: Propose) -> None:
    text = HEAD % ("us-east-1", 4700, RUN)
    over = judged("us-east-1", 4700, RUN)
    end = longest_end(over.plan, over.quote, over.plan.groups[0])

    fix = propose(text).complete_fix

    assert fix is not None
    (edit,) = fix.edits
    assert (edit.path[-1], edit.after) == ("time_to_live", f"{end}h")
    (said,) = (it.fix for it in over.verdict.findings if it.rule == "cap-per-month")
    assert said.startswith(
        f"end t after a time (time_to_live: {end}h), the longest within the cap; or use fewer"
    )


def test_a_machine_without_a_duration_is_kept_as_long_as_the_cap_allows(propose: Propose) -> None:
    fix = propose(HEAD % ("us-east-1", 300, BOX)).complete_fix

    assert fix is not None
    (edit,) = fix.edits
    assert (edit.path[-1], str(edit.after)[-1]) == ("time_to_live", "d")
    assert int(str(edit.after)[:-1]) > 3


@pytest.mark.parametrize(("box", "lost"), [(BOX, True), (KEPT, False)])
def test_what_the_end_of_such_a_machine_deletes_is_told(
    propose: Propose, *, box: str, lost: bool
) -> None:
    fix = propose(HEAD % ("us-east-1", 300, box)).complete_fix

    assert fix is not None
    end = fix.edits[0].after
    words = (f"t: the machine and its disk, {end} after its first up; buckets stay",)
    assert fix.effect.losses == (words if lost else ())
    assert not any("finished" in each for each in fix.effect.assumptions)
