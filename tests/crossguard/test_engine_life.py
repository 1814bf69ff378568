"""The cap over whole lives of stacks: at no moment above it, and whatever fits is let through."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, permutations
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from gpuinfra.crossguard import existing_resources
from gpuinfra.crossguard.policies import analyzer
from tests.crossguard import life_bounds as bounds
from tests.crossguard.engine_life import Life
from tests.crossguard.life_bounds import hides, outside
from tests.crossguard.life_workloads import PRICES, Machines, Workload
from tests.crossguard.wire import ACCEPTED, Engine

SMALL = Decimal(2)
"""USD/h: disks, addresses and alarms of a few machines, which the small cloud does not count."""

Update = tuple[list[Workload], Decimal, int | None]

PACK = analyzer("tried", ("cap-per-hour",))
"""One for all lives: it serves one update after the other."""

OPTIONS = ("deletes_first", "strict", "retained", "protected", "ignores", "left_to")


SOME = [*combinations(OPTIONS, 1), *combinations(OPTIONS, 2)]
NAMES = [
    names
    for count, times in ((0, 6), (1, 2), (2, 1), (3, 1))
    for names in [*permutations("abc", count)] * times
]
ON_GROUPS = [
    {"version": version, "scheduled": scheduled, "renews": renews}
    for version in ("$Latest", "$Latest", "1", "$Default", "")
    for scheduled in (0, 0, 2, 4)
    for renews in (False, False, False, True)
]


def on_instances(machine: str, *, imported: bool) -> list[dict[str, Any]]:
    """Of an instance: its reservation, which AWS refuses of another type, or its import."""
    return [
        {
            "reserved": reserved,
            "room": room,
            "imported": imported and not reserved,
            "elsewhere": elsewhere and not (imported or reserved),
        }
        for reserved in ("", "", machine, machine, *PRICES["aws"])
        for room in (1, 1, 2)
        for elsewhere in (False, False, True)
    ]


# One draw where several would do: half of the time went into drawing.
names_of_programs = st.sampled_from(NAMES)
clouds = st.sampled_from(["aws", "aws", "aws", "gcp", "azure"])
sizes = {cloud: st.sampled_from([0, 0, 1, 3] if cloud == "aws" else [1, 3]) for cloud in PRICES}
machine_types = {cloud: st.sampled_from(list(PRICES[cloud])) for cloud in PRICES}
options = st.sampled_from([(), *([()] * len(SOME)), *SOME])
editions = st.sampled_from([0, 1])
triggers = st.sampled_from([0, 0, 0, 0, 1, 2])
on_groups = st.sampled_from(ON_GROUPS)
instances = {
    (machine, imported): st.sampled_from(on_instances(machine, imported=imported))
    for machine in PRICES["aws"]
    for imported in (False, True)
}
former_names = {
    names: st.sampled_from(["", "", "", *sorted(set("abc") - set(names))]) for names in NAMES
}
caps = st.sampled_from([Decimal(10), Decimal(60), Decimal(115), Decimal(200)])
ends = st.sampled_from([None, None, None, None, 0, 1, 2, 3])


@st.composite
def programs(draw: st.DrawFn, *, imports: bool) -> list[Workload]:
    """A program of up to three workloads, some of them renamed since the one before.

    `imports`: some stand already, and none is renamed: it would take its name to another one.
    """
    names = draw(names_of_programs)
    program: list[Workload] = []
    for name in names:
        former = "" if imports else draw(former_names[names])
        taken = {workload.former for workload in program}
        cloud = draw(clouds)
        size, machine = draw(sizes[cloud]), draw(machine_types[cloud])
        further: dict[str, Any] = {}
        if cloud == "aws":
            further = draw(on_groups if size else instances[machine, imports])
        program.append(
            Workload(
                name=name,
                cloud=cloud,
                machine=machine,
                size=size,
                edition=draw(editions),
                trigger=draw(triggers),
                former="" if former in taken else former,
                **further,
                **dict.fromkeys(draw(options), True),
            )
        )
    return program


def updates_of(*, imports: bool) -> st.SearchStrategy[list[Update]]:
    """Up to five updates: a program, a cap, and after how many workloads it fails by itself."""
    update = st.tuples(programs(imports=imports), caps, ends)
    return st.lists(update, min_size=1, max_size=5)


lives = st.one_of(*(updates_of(imports=imports) for imports in (False, True)))


@contextmanager
def budget_pack(life: Life, cap: Decimal) -> Iterator[Engine]:
    """The pack `budget` under a cap, reading the state of a life."""
    with patch.object(existing_resources, "existing_resources", lambda _: tuple(life.standing())):
        config = {"settings": {**ACCEPTED, "budget": {"per_hour": float(cap)}}}
        yield Engine(PACK, config, dry_run=False)


def lived(updates: list[Update]) -> None:
    """Hold each update of a life to its cap, from both sides."""
    life = Life()
    for program, cap, stops_after in updates:
        before, most = life.per_hour + outside(life, program), bounds.most(life, program)
        hidden = hides(life, program)
        with budget_pack(life, cap) as shown:
            refused = life.update(program, shown, stops_after=stops_after)

        assert hidden or life.peak <= max(cap, before), f"{life.peak} above {cap}, {before} before"
        event("refused" if refused else "let through")
        if refused:
            assert most + SMALL > cap, f"refused at {cap}, and comes to {most} at most"


GOOGLE = Workload(name="a", cloud="gcp", machine="a3-highgpu-8g", size=1, deletes_first=True)
STRICT = Workload(name="a", machine="p5.48xlarge", size=1, version="$Default", strict=True)
OLD = Workload(name="a", machine="p5.48xlarge", size=1)
CHEAP = Workload(name="a", machine="g6.xlarge", size=1, version="1")
SMALLEST = Workload(name="a", cloud="gcp", machine="g2-standard-4", size=1)
OLD_MACHINE = Workload(name="a", machine="p5.48xlarge")
KEPT = Workload(name="a", machine="p5.48xlarge", reserved="p5.48xlarge")
SCHEDULED = Workload(name="a", machine="g6.xlarge", size=1, version="$Latest", scheduled=2)


@pytest.mark.parametrize(
    ("before", "after", "replaced"), [(0, 2, False), (2, 0, False), (1, 1, False), (1, 2, True)]
)
def test_a_trigger_replaces_where_another_one_stood(before, after, replaced):
    old = Machines(replace(OLD_MACHINE, trigger=before), "a-1")

    assert Life.replaces(old, replace(OLD_MACHINE, trigger=after)) is replaced


@pytest.mark.slow
@example(  # a schedule waits for its delete with its group, and the template of both changes
    [
        ([SCHEDULED], Decimal(10), None),
        ([replace(SCHEDULED, size=3, scheduled=0, strict=True), SMALLEST], Decimal(10), 1),
        ([replace(SCHEDULED, edition=1, scheduled=0)], Decimal(10), None),
    ]
)
@example(  # a machine moves to another region, where a second one is made first
    [
        ([OLD_MACHINE], Decimal(60), None),
        ([replace(OLD_MACHINE, elsewhere=True)], Decimal(60), None),
    ]
)
@example(  # a machine of one provider stays, after one of another provider
    [
        ([SMALLEST, replace(OLD_MACHINE, name="b", elsewhere=True)], Decimal(60), None),
        ([SMALLEST, replace(OLD_MACHINE, name="b", elsewhere=True)], Decimal(60), None),
    ]
)
@example(  # a trigger makes a machine anew, though no input changes
    [
        ([replace(OLD_MACHINE, trigger=1)], Decimal(60), None),
        ([replace(OLD_MACHINE, trigger=2)], Decimal(60), None),
    ]
)
@example(  # a machine that is renamed leaves its reservation
    [
        ([KEPT], Decimal(115), None),
        ([replace(KEPT, name="b", reserved="", former="a")], Decimal(10), None),
    ]
)
@example(  # a group stands on a template that waits for its delete, and has another price by it
    [
        ([replace(GOOGLE, strict=True)], Decimal(200), None),
        ([replace(GOOGLE, edition=1, deletes_first=False)], Decimal(10), None),
        ([GOOGLE], Decimal(100), None),
    ]
)
@example(  # a group is replaced, and of neither one is it known what it starts
    [
        ([STRICT], Decimal(60), None),
        ([replace(STRICT, edition=1, version="$Latest", strict=False)], Decimal(10), None),
        ([replace(STRICT, version="", strict=False)], Decimal(10), None),
    ]
)
@example(  # a group has more machines of a version that is not known any longer
    [
        ([OLD], Decimal(60), None),
        ([replace(OLD, edition=1, version="1")], Decimal(60), None),
        ([replace(OLD, size=3, version="1")], Decimal(60), None),
    ]
)
@example(  # a machine leaves the reservation that is replaced for the one that replaces it
    [
        ([KEPT], Decimal(115), None),
        ([replace(KEPT, machine="g6.xlarge", reserved="g6.xlarge")], Decimal(60), None),
    ]
)
@example(  # a machine becomes another one and leaves its reservation, maybe in place
    [
        ([KEPT], Decimal(115), None),
        ([replace(KEPT, machine="g6.xlarge", reserved="")], Decimal(60), None),
    ]
)
@example(  # a machine is made anew in a reservation that grows
    [
        ([KEPT], Decimal(115), None),
        ([replace(KEPT, edition=1, room=2)], Decimal(115), None),
    ]
)
@example(  # a group grows with cheaper machines, while the dearer ones that run go on
    [
        ([replace(OLD, size=2)], Decimal(115), None),
        ([replace(OLD, size=3, machine="g6.xlarge")], Decimal(110), None),
    ]
)
@example(  # a group grows past the schedule that let it grow: found by seeds 9102 and 9103
    [
        ([replace(OLD, scheduled=2)], Decimal(115), None),
        ([replace(OLD, size=3)], Decimal(200), None),
    ]
)
@example(  # a group shrinks below its schedule
    [
        ([replace(OLD, size=3, scheduled=2)], Decimal(200), None),
        ([OLD], Decimal(200), None),
    ]
)
@example(  # it grows, but not as far as the schedule, which grows too
    [
        ([replace(OLD, scheduled=3)], Decimal(200), None),
        ([replace(OLD, size=2, scheduled=4)], Decimal(225), None),
    ]
)
@example(  # it grows past its schedule with cheaper machines, while the dearer ones go on
    [
        ([replace(OLD, scheduled=2)], Decimal(115), None),
        ([replace(OLD, size=4, machine="g6.xlarge")], Decimal(111), None),
    ]
)
@example(  # a group stands on the first of two versions, and its template waits for its delete
    [
        ([CHEAP, Workload(name="b", machine="p5.48xlarge", size=1)], Decimal(10), None),
        ([replace(CHEAP, machine="p5.48xlarge", version="$Latest")], Decimal(10), None),
        ([replace(CHEAP, edition=1, version="$Latest", renews=True)], Decimal(10), None),
        ([SMALLEST], Decimal(10), None),
    ]
)
@settings(max_examples=150, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(lives)
def test_a_life_never_costs_more_than_its_cap_and_what_fits_passes(updates) -> None:
    lived(updates)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=10_000, suppress_health_check=[HealthCheck.too_slow])
@given(lives)
def test_ten_thousand_lives(updates) -> None:
    lived(updates)
