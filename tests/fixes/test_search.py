"""The search finds what trying everything finds."""

from decimal import Decimal
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest

from gpuinfra import stackfile
from gpuinfra.fixes import proposing
from gpuinfra.fixes.options import Dimension, OptionContext
from gpuinfra.fixes.proposing import FixRequest, propose
from gpuinfra.fixes.search import Search
from gpuinfra.fixes.search_result import SearchResult
from gpuinfra.fixes.stack_file_edits import stack_of, with_edits
from gpuinfra.fixes.stack_file_fixes import with_stack
from gpuinfra.fixes.tradeoffs import loss, plan_requests
from gpuinfra.fixes.trials import Trials, outcome
from gpuinfra.source import Source
from gpuinfra.stackfile.yaml_composer import compose
from tests.fixes.conftest import judge

WORK = ("training", "trainer")


class Space:
    """A stack file and the few things that may be changed in it."""

    def __init__(self, text, *chosen):
        self.source = Source(document=stackfile.loads(text, "stack.yaml"))
        self.value = compose(text, "stack.yaml").value
        self.before = judge(self.source)
        ground = OptionContext(
            value=self.value,
            stack=self.source.stack,
            prices=self.source.current_prices,
            plan=self.before.plan,
        )
        every: dict[str, tuple[Any, list[Any], int]] = {
            "nodes": ((*WORK, "nodes"), [1], 0),
            "instance": ((*WORK, "instance"), ["g6.8xlarge", "p4d.24xlarge", "p4de.24xlarge"], 1),
            "capacity": ((*WORK, "capacity"), ["spot", ["spot", "on-demand"]], 1),
            "max_price": (
                (*WORK, "max_price"),
                [Decimal(price) for price in ("52", "49", "46", "40", "34")],
                0,
            ),
            "duration": ((*WORK, "duration"), ["60h", "48h", "24h"], 0),
            "regions": (("where", "regions"), [["us-west-2"], ["us-east-2"]], 2),
        }
        self.dimensions = [
            Dimension(
                name=what,
                subject="training.trainer",
                options=tuple(
                    ground.option(path, value, disruption=disruption) for value in values
                ),
                is_ordered=what in {"max_price", "duration", "nodes"},
            )
            for what, (path, values, disruption) in every.items()
            if what in chosen
        ]

    def attempt(self, edits):
        source, relock = with_stack(self.source, stack_of(with_edits(self.value, edits)))
        return judge(source), relock

    def trials(self):
        return Trials(self.attempt, 10_000)


def everything(space, accept, most):
    """Every accepted set of options; of ordered ones only the first step that suffices."""
    trials = space.trials()
    requests = plan_requests(space.before.plan)
    places = {
        id(option): number
        for number, option in enumerate(
            option for dimension in space.dimensions for option in dimension.options
        )
    }
    for size in range(1, most + 1):
        for chosen in combinations(space.dimensions, size):
            seen = set()
            for steps in product(*(range(len(dimension.options)) for dimension in chosen)):
                options = tuple(
                    dimension.options[at] for dimension, at in zip(chosen, steps, strict=True)
                )
                after = trials.outcome_of([edit for option in options for edit in option.edits])
                plain = tuple(
                    -1 if dimension is ordered_last(chosen) else at
                    for dimension, at in zip(chosen, steps, strict=True)
                )
                if plain in seen or not accept(after):
                    continue
                seen.add(plain)
                yield SearchResult(
                    options=options,
                    outcome=after,
                    loss=loss(requests, after.judged.plan),
                    order=tuple(places[id(option)] for option in options),
                )


def ordered_last(chosen):
    return next((dimension for dimension in reversed(chosen) if dimension.is_ordered), None)


ON_SPOT = ("capacity: on-demand", "capacity: spot\n    max_price: 54")

SPACES = {
    "one edit": (
        (("per_hour: 120", "per_hour: 100"), ON_SPOT),
        ("nodes", "max_price", "instance"),
    ),
    "two edits that lose nothing": (
        (("per_hour: 120", "per_hour: 100"),),
        ("nodes", "capacity", "max_price", "regions"),
    ),
    "something has to go": (
        (("per_hour: 120", "per_hour: 50"),),
        ("nodes", "instance", "duration"),
    ),
    "two caps": (
        (("per_hour: 120", "per_hour: 95"), ("per_run: 9000", "per_run: 4000"), ON_SPOT),
        ("duration", "max_price", "instance"),
    ),
}


@pytest.mark.parametrize("case", SPACES)
def test_the_search_finds_the_best_of_all(case, text):
    replaced, chosen = SPACES[case]
    space = Space(text(*replaced), *chosen)
    before = outcome(space.before)

    def accept(after):
        return (
            after.judged is not None
            and not after.refusing_findings
            and not after.open_findings - before.open_findings
        )

    smallest = Search(space.dimensions, space.trials(), plan_requests(space.before.plan)).smallest(
        accept, 2
    )

    best = min(everything(space, accept, 2), key=lambda candidate: candidate.rank)
    assert smallest is not None
    assert sorted(map(str, smallest.edits)) == sorted(map(str, best.edits))
    assert (smallest.loss, len(smallest.edits)) == (best.loss, len(best.edits))


@pytest.mark.parametrize("case", SPACES)
def test_what_is_proposed_is_no_larger(case, text):
    replaced, chosen = SPACES[case]
    space = Space(text(*replaced), *chosen)
    before = outcome(space.before)
    fix_request = FixRequest(
        before=before,
        requests=plan_requests(space.before.plan),
        dimensions=space.dimensions,
        trials=space.trials(),
        max_changes=2,
    )

    whole = propose(fix_request).complete_fix

    accepted = everything(
        space, lambda outcome: outcome.judged is not None and not outcome.refusing_findings, 2
    )
    best = min(accepted, key=lambda outcome: outcome.rank)
    assert whole is not None
    assert len(whole.edits) <= len(best.edits)
    assert bool(whole.effect.losses) is bool(best.loss.amount)


def test_a_spent_budget_stops_the_search(text):
    space = Space(text(("per_hour: 120", "per_hour: 100")), "nodes", "capacity", "max_price")
    trials = Trials(space.attempt, 2)

    Search(space.dimensions, trials, {}).smallest(lambda _: False, 3)

    assert trials.tried == 2
    assert trials.stopped


def test_a_ration_leaves_the_rest(text):
    space = Space(text(), "nodes", "instance")
    trials = space.trials()

    with trials.limited_trials(1):
        first = trials.outcome_of(space.dimensions[0].options[0].edits)
        second = trials.outcome_of(space.dimensions[1].options[0].edits)

    assert first is not None
    assert second is None
    assert trials.outcome_of(space.dimensions[1].options[0].edits) is not None


def test_edits_are_tried_once(text):
    space = Space(text(), "nodes")
    trials = space.trials()

    edits = space.dimensions[0].options[0].edits
    assert trials.outcome_of(edits) is trials.outcome_of(edits)
    assert trials.tried == 1


def test_what_was_tried_before_counts_once_the_trials_are_spent(text):
    space = Space(text(("us-east-2", "us-east-1")), "nodes", "instance")
    last = space.dimensions[-1].options[-1]
    trials = Trials(space.attempt, 1)
    known = trials.outcome_of(last.edits)

    smallest = Search(space.dimensions, trials, {}).smallest(lambda after: after is known, 1)

    assert smallest.edits == last.edits
    assert trials.stopped


def test_needless_options_of_combined_parts_are_left_out_once():
    shrunk = []

    def shrink(options, _):
        shrunk.append(options)
        return SimpleNamespace(options=options)

    search = SimpleNamespace(
        furthest=tuple,
        accepted_together=lambda options, _: SimpleNamespace(options=options),
        without_needless_options=shrink,
    )
    trials = Trials(lambda _: None, 0)
    parts = {("rule", f"training.w{number}"): number for number in range(20)}
    request = SimpleNamespace(trials=trials, before=None)

    combined = proposing._combined_parts(request, search, parts)

    assert combined.options == tuple(range(20))
    assert shrunk == [combined.options]
