"""`make mutants`: breaks what is declared, one thing at a time; exits 1 where too little is seen.

`python -m tests.mutants.declared quickstart closed` breaks these stacks alone. Of equal mutants
of several workloads and stacks the first is tried, `--all` tries each.
"""

import argparse
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from gpuinfra.graph import ResourceGraph
from gpuinfra.planning import choices, stack_graph
from tests.components.stack_documents import documents
from tests.mutants.declared.accepted import reason
from tests.mutants.declared.changes import Mutant, mutants_of
from tests.mutants.declared.judges import Judges

STACKS = (
    *("quickstart", "guarded", "closed", "storage", "served", "more", "startup-aws"),
    *("more-gcp", "enterprise-gcp", "startup-gcp", "more-azure", "startup-azure"),
)
LEAST = 0.95
"""A floor for all clouds together."""


@dataclass(frozen=True)
class Trial:
    """What became of a mutant."""

    stack: str
    cloud: str
    type: str
    kind: str
    field: str
    words: str
    seen: str
    accepted: str


def main() -> int:
    """Try the mutants and print the scores and who survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.declared")
    parser.add_argument("stacks", nargs="*", default=STACKS, help="names of stacks")
    parser.add_argument("--all", action="store_true", help="equal mutants, too")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    given = parser.parse_args()
    before = (tuple(given.stacks[:index]) for index in range(len(given.stacks)))
    jobs = [
        (name, () if given.all else earlier, given.all)
        for name, earlier in zip(given.stacks, before, strict=True)
    ]
    trials: list[Trial] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        for (name, _, _), tried in zip(jobs, pool.map(_tried, jobs), strict=True):
            _score(f"stack {name}", tried)
            trials += tried
    return int(_shown(trials) < LEAST)


def _tried(job: tuple[str, tuple[str, ...], bool]) -> list[Trial]:
    name, before, everything = job
    had = {mutant.sort for earlier in before for mutant in mutants_of(_graph(earlier))}
    judges = Judges(documents()[name].stack)
    mutants = list(mutants_of(judges.graph))
    if not everything:
        mutants = list({mutant.sort: mutant for mutant in reversed(mutants)}.values())[::-1]
    return [_trial(name, mutant, judges) for mutant in mutants if mutant.sort not in had]


def _graph(name: str) -> ResourceGraph:
    stack = documents()[name].stack
    return stack_graph(stack, choices(stack))


def _trial(stack: str, mutant: Mutant, judges: Judges) -> Trial:
    seen = judges.notices(mutant.graph())
    words = " ".join(filter(None, (mutant.child, mutant.kind, mutant.field, mutant.change)))
    return Trial(
        stack=stack,
        cloud=mutant.cloud,
        type=mutant.type,
        kind=mutant.kind,
        field=mutant.field,
        words=words,
        seen=seen,
        accepted="" if seen else reason(mutant),
    )


def _shown(trials: list[Trial]) -> float:
    """Print the survivors by type, then the scores; gives the share that was noticed."""
    by_type: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for trial in trials:
        if not trial.seen:
            by_type[trial.type][trial.words, trial.accepted] += 1
    for type_, survivors in sorted(by_type.items()):
        left = sum(count for (_, why), count in survivors.items() if not why)
        _say(f"{type_}: {left} survive, {survivors.total() - left} accepted")
        for (words, why), count in sorted(survivors.items()):
            if not why:
                _say(f"     {words}{f' ({count} times)' if count > 1 else ''}")
    _say("accepted survivors:")
    for why, count in sorted(
        Counter(trial.accepted for trial in trials if trial.accepted).items()
    ):
        _say(f"{count:6} {why}")
    for part in ("cloud", "kind", "seen"):
        _scores(trials, part)
    return _score("of all", trials)


def _scores(trials: list[Trial], part: str) -> None:
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[getattr(trial, part)].append(trial)
    for name, own in sorted(groups.items()):
        if part == "seen":
            _say(f"{len(own):6} noticed by {name or 'nobody'}")
        else:
            _score(f"{part} {name}", own)


def _score(name: str, trials: list[Trial]) -> float:
    counted = [trial for trial in trials if not trial.accepted]
    noticed = sum(bool(trial.seen) for trial in counted)
    share = noticed / len(counted) if counted else 1.0
    _say(f"{noticed:6} of {len(counted):<6} {share:6.1%} {name}")
    return share


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
