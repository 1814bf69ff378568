"""What the words of a fix say."""

from decimal import Decimal

import pytest

from gpuinfra.fixes.effects import how_many
from gpuinfra.fixes.fix import Effect, FabricChange, Fix, without_repeated_fixes
from gpuinfra.fixes.spans import ExpectedSpan, Span
from tests.rules.cases.judging import group

SAME = Span(before=Decimal(8), after=Decimal(8))
YES, NO = "NCCL over RDMA: yes", "NCCL over RDMA: no"


def test_a_change_is_the_difference_of_the_costs_as_they_are_shown():
    """As in `cost --compare`: $0.88 to $1.76, of $0.876 and $1.764, is no $0.89."""
    span = Span(before=Decimal("0.876"), after=Decimal("1.764"))

    assert span.text("h") == "+$0.88/h, +101%"
    assert Span(before=Decimal("8.001"), after=Decimal("8.002")).text("h").startswith("+<$0.01/h")


def effect(*fabric: FabricChange) -> str:
    return str(Effect(per_hour=SAME, per_month=SAME, per_run=None, fabric=fabric))


def test_groups_whose_fabric_stays_are_counted_and_what_changes_is_named():
    kept = [FabricChange(group=f"pool{number}", before=YES, after=YES) for number in range(3)]
    lost = FabricChange(group="trainer", before=YES, after=NO)

    words = effect(*kept, lost)

    assert "fabric of 3 groups unchanged" in words
    assert f"fabric of trainer: {NO}, was {YES}" in words
    assert "pool0" not in words
    assert f"fabric of pool0 unchanged: {YES}" in effect(kept[0], lost)


def test_a_fix_names_each_workload_once_in_its_losses():
    losses = (
        "trainer: 50% of the memory per GPU",
        "the GPUs",
        "chat: 50% of the GPUs",
        "trainer: checkpoints",
    )

    words = str(Effect(per_hour=SAME, per_month=SAME, per_run=None, losses=losses))

    assert words.endswith(
        "you lose trainer: 50% of the memory per GPU, checkpoints, the GPUs, chat: 50% of the GPUs"
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ((8, None), (8, None), "expected $8.00/h"),
        ((8, None), (4, None), "expected $4.00/h, was $8.00"),
        ((None, 9), (4, None), "expected $4.00/h, was at most $9.00"),
        ((None, 9), (None, 7), "expected at most $7.00/h, was at most $9.00"),
        ((None, None), (4, None), "expected $4.00/h, was unknown"),
        ((8, None), (None, None), "expected unknown, was $8.00"),
        ((None, None), (None, None), "expected cost unknown"),
    ],
)
def test_an_unchanged_expected_cost_is_not_compared_and_a_bound_is_said(before, after, words):
    was, was_at_most, now, now_at_most = (
        None if each is None else Decimal(each) for each in (*before, *after)
    )
    span = ExpectedSpan(
        before=was, after=now, before_at_most=was_at_most, after_at_most=now_at_most
    )

    assert span.expected_words == words


@pytest.mark.parametrize(
    ("settled", "shown"),
    [
        (("ab", "a", "b"), ["ab"]),
        (("ab", "a", "bc", "d"), ["ab", "bc", "d"]),
        (("a", "ab"), ["ab"]),
        (("a", "a"), ["a"]),
        ((), []),
    ],
)
def test_a_fix_of_what_a_larger_one_settles_is_not_shown_again(settled, shown):
    fixes = [
        Fix(
            settled_findings=tuple((rule, "trainer") for rule in rules),
            edits=(),
            effect=Effect(per_hour=SAME, per_month=SAME, per_run=None),
            passes_check=False,
        )
        for rules in settled
    ]

    left = without_repeated_fixes(fixes)

    assert ["".join(rule for rule, _ in fix.settled_findings) for fix in left] == shown


@pytest.mark.parametrize(
    ("minimum", "maximum", "words"),
    [
        (1, 1, "1 machine"),
        (2, 2, "2 machines"),
        (1, 3, "1 to 3 machines"),
        (0, 1, "0 to 1 machines"),
    ],
)
def test_a_group_has_a_number_of_machines_or_a_range(minimum, maximum, words):
    assert how_many(group(minimum=minimum, maximum=maximum)) == words
