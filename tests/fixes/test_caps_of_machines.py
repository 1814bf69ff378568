"""Trials whose machines alone exceed a cap are not judged."""

from gpuinfra import source as sources
from gpuinfra.api.checking import StackCheck, caps_of_machines
from gpuinfra.fixes.stack_file_fixes import propose_stack_fixes
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
