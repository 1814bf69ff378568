"""`make mutants`: changes each condition of each rule and of what packs add up; exits 1 where too
few changes are noticed.

`python -m tests.mutants spot_share running_total` tries these files alone.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import gpuinfra
from tests.mutants.accepted import reason
from tests.mutants.mutations import mutants_of
from tests.mutants.trials import Trial, tried

PACKAGE = Path(gpuinfra.__file__).parent
TOTALS = ("caps", "replacement", "reservation_tracker", "running_costs", "running_total")
PACKS = (*TOTALS, "settings", "update_cost")
FILES = (
    *sorted((PACKAGE / "rules").glob("*.py")),
    *(PACKAGE / "crossguard" / f"{name}.py" for name in PACKS),
)
TESTS = (
    *("tests/rules", "tests/report", "tests/crossguard", "tests/fixes", "tests/cost", "tests/api"),
    *("tests/clouds/observing", "tests/cli/test_left_to_the_update.py", "tests/test_logs.py"),
    *("-m", "not e2e and not slow and not soak"),
)
LEAST = 0.97


def main() -> int:
    """Try every mutant and print who survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("files", nargs="*", help="names of files, without .py")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    given = parser.parse_args()
    files = [path for path in FILES if not given.files or path.stem in given.files]
    mutants = [mutant for path in files for mutant in mutants_of(path)]
    trials = tried(mutants, TESTS, given.jobs, FILES)
    for test in trials.failing:
        print(f"left out, for it fails as things are: {test}")  # noqa: T201
    return int(_shown(trials.done) < LEAST)


def _shown(trials: list[Trial]) -> float:
    """Print each file's score and its survivors; gives the share of those that count."""
    by_file: dict[Path, list[Trial]] = defaultdict(list)
    for trial in sorted(trials, key=lambda trial: (trial.mutant.file, trial.mutant.line)):
        by_file[trial.mutant.file].append(trial)
    left = []
    for file, own in by_file.items():
        print(f"{_killed(own):4} of {len(own):<4} {file.stem}")  # noqa: T201
        for trial in own:
            if not trial.killed:
                why = reason(trial.mutant)
                left += [] if why else [trial]
                print(f"     {trial}{f': accepted: {why}' if why else ''}")  # noqa: T201
    count = _killed(trials) + len(left)
    share = _killed(trials) / count
    print(f"{_killed(trials)} of {count} mutants killed: {share:.1%} (at least {LEAST:.0%})")  # noqa: T201
    return share


def _killed(trials: list[Trial]) -> int:
    return sum(trial.killed for trial in trials)


if __name__ == "__main__":
    sys.exit(main())
