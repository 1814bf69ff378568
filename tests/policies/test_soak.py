"""A cap crossed in a parallel update, fifty times: who is refused varies, and nothing else."""

from collections import Counter
from dataclasses import replace

import pytest

from gpuinfra.engine.contract import Outcome
from tests.policies.ground import Ground, refusing

REPEATS = 50
MACHINES = tuple(f"machine-{number}" for number in range(8))
FIT = 3
"""How many of them fit under the cap."""


@pytest.mark.soak
@pytest.mark.e2e
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("ground", ["instance"], indirect=True)
def test_a_parallel_update_that_crosses_the_cap_ends_alike_fifty_times(
    ground: Ground, capsys: pytest.CaptureFixture[str]
) -> None:
    cap = FIT * ground.price + 5
    endings: Counter[tuple[int, tuple[str, ...]]] = Counter()
    stood: Counter[int] = Counter()
    refused: Counter[str] = Counter()
    for number in range(REPEATS):
        own = replace(ground, project=f"soak-{number:02}")
        outcome = own.up(MACHINES, cap)
        endings[outcome.exit_code, tuple(sorted(refusing(outcome)))] += 1
        refused.update(_refused(outcome))
        standing = own.stood()
        assert own.running() == len(standing.names)
        assert len(standing) * own.price <= cap, f"above the cap: {standing}"
        stood[own.running()] += 1
    with capsys.disabled():
        print(f"\n{REPEATS} updates, cap {cap}: {_words(endings)}; standing {dict(stood)};")  # noqa: T201
        print(f"refused: {dict(refused)}")  # noqa: T201
    assert endings == {(1, ("cap-per-hour",)): REPEATS}


def _refused(outcome: Outcome) -> list[str]:
    return [
        finding.urn.rpartition("::")[2]
        for finding in outcome.findings
        if finding.level == "mandatory"
    ]


def _words(endings: Counter[tuple[int, tuple[str, ...]]]) -> str:
    return ", ".join(
        f"{count} × exit code {code} by {' and '.join(rules)}"
        for (code, rules), count in endings.items()
    )
