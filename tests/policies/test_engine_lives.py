"""Lives of stacks on the real engine and in the sandbox, held against the small engine.

`tests.crossguard.test_engine_life` shows over many thousand lives that the cap holds, on a small
engine that was written from reading the real one. Here both run the same programs, and the packs
of both judge them: who refuses, by which rules, and what then stands has to be the same.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.crossguard.engine_life import Life
from tests.crossguard.life_workloads import Workload
from tests.crossguard.test_engine_life import (
    KEPT,
    OLD,
    OLD_MACHINE,
    Update,
    budget_pack,
    lives,
)
from tests.policies.engine_lives import Outside, Witnessed, of_engine, of_life, run
from tests.policies.ground import Ground, refusing

pytestmark = pytest.mark.e2e

PLENTY = Decimal(300)
SCALE_SET = Workload(name="z", cloud="azure", machine="Standard_NC4as_T4_v3", size=1)
MANAGED = Workload(name="g", cloud="gcp", machine="g2-standard-4", size=1)
IN_USE = "resourceInUseByAnotherResource"
"""How Google Cloud refuses to delete the template of a group that is retained."""


def lived(ground: Ground, updates: Sequence[Update]) -> list[str]:
    """Run a life on both engines, and hold each update of one against the other's; how each ended.

    It ends early where a protected resource was to be deleted: what the engine deletes before it
    comes to that one is a matter of its order, so of those it is only known that they may be left.
    So it does where a group that is retained, or left to another's deletion, keeps its template.
    """
    life, outside, endings = Life(), Outside(), list[str]()
    for number, (program, cap, stops_after) in enumerate(updates):
        with budget_pack(life, cap) as pack:
            witnessed = Witnessed(pack)
            refused = life.update(program, witnessed, stops_after=stops_after)
        outcome = run(ground, program, cap, stops_after, outside)
        endings.append(outcome.ending)
        where = f"update {number} ended with {outcome.ending}: {outcome.reason}"
        if IN_USE in outcome.reason:
            every = (each for program, *_ in updates for each in program)
            assert any(each.retained or each.left_to for each in every), where
            break
        assert (outcome.ending == "refused") == refused, where
        assert refusing(outcome) - {"price-unknown"} == witnessed.rules, where
        stands = of_engine(ground)
        if life.blocked:
            assert "protected" in outcome.reason, where
            assert not Counter(stands) - Counter(of_life(life)), where
            break
        assert stands == of_life(life), where
    return endings


def test_versions_schedules_and_replacements_of_a_group(ground: Ground) -> None:
    larger = replace(OLD, size=2, scheduled=3)
    endings = lived(
        ground,
        [
            ([OLD], Decimal(60), None),
            ([replace(larger, edition=1, version="1")], Decimal(60), None),
            ([replace(larger, edition=1)], PLENTY, None),
            ([replace(OLD, strict=True, edition=1)], PLENTY, None),
            ([replace(OLD, strict=True, retained=True, edition=1, size=2)], PLENTY, None),
            ([], Decimal(10), None),
        ],
    )

    assert endings == ["fine", "refused", "fine", "fine", "fine", "fine"]


def test_a_reserved_machine_is_renamed_changed_and_protected(ground: Ground) -> None:
    guarded = replace(KEPT, name="b", former="a", protected=True)
    endings = lived(
        ground,
        [
            ([KEPT], Decimal(115), None),
            ([replace(KEPT, reserved="g6.xlarge")], PLENTY, None),
            ([replace(KEPT, machine="g6.xlarge", reserved="g6.xlarge")], PLENTY, None),
            ([guarded], Decimal(115), 0),
            ([guarded], Decimal(50), None),
            ([guarded], PLENTY, None),
            ([replace(guarded, former="", edition=1)], PLENTY, None),
            ([], PLENTY, None),
        ],
    )

    assert endings == [
        *("fine", "cloud", "fine", "program"),
        *("refused", "fine", "cloud", "cloud"),
    ]


def test_groups_of_google_cloud_and_azure(ground: Ground) -> None:
    endings = lived(
        ground,
        [
            ([MANAGED, SCALE_SET], Decimal(10), None),
            ([replace(MANAGED, machine="a3-highgpu-8g", ignores=True)], Decimal(10), None),
            ([replace(SCALE_SET, edition=1, size=3)], Decimal(10), None),
            ([replace(SCALE_SET, deletes_first=True, size=3)], Decimal(10), None),
            ([replace(SCALE_SET, machine="Standard_ND96isr_H100_v5")], Decimal(60), None),
        ],
    )

    assert endings == ["fine", "fine", "fine", "fine", "refused"]


def test_what_only_the_whole_shows_is_refused_after_the_deletes(ground: Ground) -> None:
    default = replace(OLD, machine="g6.xlarge", version="")
    endings = lived(
        ground,
        [
            ([SCALE_SET, default], Decimal(10), None),
            ([replace(default, machine="p5.48xlarge")], PLENTY, None),
        ],
    )

    assert endings == ["fine", "refused"]
    assert "z" not in {name for _, name, _, _ in of_engine(ground)}


def test_imported_machines_count_once(ground: Ground) -> None:
    """What stands is in the stack before a pack is asked, and may not be replaced meanwhile."""
    first, second = (
        Workload(name=name, machine="p5.48xlarge", edition=edition, imported=True)
        for name, edition in (("a", 0), ("c", 1))
    )
    ours = replace(first, imported=False)
    small = Workload(name="b", machine="g6.xlarge")
    endings = lived(
        ground,
        [
            ([first], Decimal(60), None),
            ([first], Decimal(60), None),
            ([first, second], Decimal(60), None),
            ([first, second], Decimal(115), None),
            ([replace(first, retained=True)], Decimal(60), None),
            ([small], Decimal(60), None),
            ([small, first], Decimal(10), None),
            ([small, replace(first, edition=1)], PLENTY, None),
            ([small, replace(ours, edition=1)], PLENTY, None),
            ([replace(small, imported=True), ours], PLENTY, 1),
            ([replace(small, imported=True, protected=True), first], PLENTY, None),
        ],
    )

    assert endings == [
        *("fine", "fine", "refused", "fine", "fine"),
        *("fine", "refused", "cloud", "fine", "program", "cloud"),
    ]


def test_an_imported_machine_is_judged_by_what_stands(ground: Ground) -> None:
    """While it is imported, the state has what the program wants, so that nothing would change."""
    larger = Workload(name="b", machine="p5.48xlarge", imported=True)

    assert lived(ground, [([larger], Decimal(10), None)]) == ["refused"]


def test_protection_that_a_program_drops_lets_it_replace_and_delete(ground: Ground) -> None:
    guarded = Workload(name="a", machine="g6.xlarge", protected=True)
    endings = lived(
        ground,
        [
            ([guarded], Decimal(10), None),
            ([replace(guarded, edition=1)], Decimal(10), None),
            ([replace(guarded, edition=1, protected=False)], Decimal(10), None),
            ([], Decimal(10), None),
        ],
    )

    assert endings == ["fine", "cloud", "fine", "fine"]


def test_a_retained_group_keeps_its_template(ground: Ground) -> None:
    kept = replace(MANAGED, retained=True)
    endings = lived(ground, [([kept], Decimal(60), None), ([], Decimal(60), None)])

    assert endings == ["fine", "cloud"]


def test_a_template_that_every_change_replaces(ground: Ground) -> None:
    renewed = replace(OLD, renews=True, version="1")
    endings = lived(
        ground,
        [
            ([renewed], Decimal(60), None),
            ([replace(renewed, machine="g6.xlarge")], Decimal(60), None),
            ([replace(renewed, edition=1)], Decimal(60), None),
            ([replace(renewed, edition=1, size=3)], PLENTY, None),
            ([], PLENTY, None),
        ],
    )

    assert endings[0] == endings[-1] == "fine"


def test_a_trigger_that_is_added_or_taken_away_replaces_nothing(ground: Ground) -> None:
    endings = lived(
        ground,
        [
            ([OLD_MACHINE], Decimal(60), None),
            ([replace(OLD_MACHINE, trigger=1)], Decimal(60), None),
            ([replace(OLD_MACHINE, trigger=1, protected=True)], PLENTY, None),
            ([replace(OLD_MACHINE, protected=True)], PLENTY, None),
        ],
    )

    assert endings == ["fine"] * 4


def test_triggers_another_region_and_deletes_left_to_others(ground: Ground) -> None:
    """What is left to another one's delete may stand on, so that it is never gone first."""
    first = Workload(name="a", machine="p5.48xlarge", trigger=1)
    west = replace(first, elsewhere=True)
    left = replace(OLD, name="b", left_to=True, deletes_first=True, trigger=1)
    endings = lived(
        ground,
        [
            ([first], Decimal(60), None),
            ([replace(first, trigger=2)], Decimal(60), None),
            ([replace(first, trigger=2)], Decimal(115), None),
            ([replace(west, trigger=2)], Decimal(60), None),
            ([replace(west, trigger=2)], Decimal(115), None),
            ([left], Decimal(115), None),
            ([replace(left, trigger=2)], Decimal(60), None),
            ([], Decimal(10), None),
        ],
    )

    assert endings == [
        *("fine", "refused", "fine", "refused"),
        *("fine", "fine", "refused", "fine"),
    ]


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_hundred_lives(ground: Ground, capsys: pytest.CaptureFixture[str]) -> None:
    endings = Counter[str]()

    @settings(
        max_examples=100,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(lives)
    def alive(updates: list[Update]) -> None:
        endings["lives"] += 1
        endings.update(lived(replace(ground, project=f"life-{endings['lives']}"), updates))

    alive()
    with capsys.disabled():
        print(f"\n{dict(endings)}")  # noqa: T201
