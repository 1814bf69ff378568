"""Trials whose machines alone exceed a cap are not judged; a look beside a table is bounded."""

from gpuinfra import source as sources
from gpuinfra import stackfile
from gpuinfra.api.checking import StackCheck, caps_of_machines
from gpuinfra.fixes.proposing import QUICK
from gpuinfra.fixes.stack_file_fixes import propose_stack_fixes, quick_trials
from gpuinfra.source import Source
from tests.fixes.conftest import DAY, judge


def test_caps_that_machines_exceed_spare_judgements_and_change_no_fix(text, write):
    source = sources.read_for_comparison(write(text(("per_hour: 120", "per_hour: 60"))), DAY)
    before = judge(source)
    judged: list[Source] = []

    def counted(edited: Source) -> StackCheck:
        judged.append(edited)
        return judge(edited)

    slow = propose_stack_fixes(source, counted, before, thorough=False)
    all_judged = len(judged)
    judged.clear()
    fast = propose_stack_fixes(
        source,
        counted,
        before,
        thorough=False,
        caps=lambda edited: caps_of_machines(edited, {}, DAY),
    )

    assert fast == slow
    assert len(judged) < all_judged


def test_a_look_beside_a_table_takes_fewer_trials_of_a_large_stack(text):
    stack = stackfile.loads(text(), "stack.yaml").stack
    buckets = {f"bucket-{number}": stack.buckets["data"] for number in range(30)}
    many = stack.model_copy(update={"buckets": buckets})

    assert quick_trials(stack) == QUICK
    assert quick_trials(many) < 5
