"""The cap over whole lives of stacks: at no moment above it, and whatever fits is let through."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from gpuinfra.crossguard import pack, policies, state
from tests.crossguard.engine_life import Life
from tests.crossguard.life_workloads import PRICES, Workload
from tests.crossguard.wire import ACCEPTED, Engine

SMALL = Decimal(2)
"""USD/h: disks, addresses and alarms of a few machines, which the small cloud does not count."""

OPTIONS = ("deletes_first", "strict", "retained", "protected", "ignores")


@st.composite
def programs(draw: st.DrawFn) -> list[Workload]:
    """A program of up to three workloads, some of them renamed since the one before."""
    names = draw(st.lists(st.sampled_from("abc"), min_size=0, max_size=3, unique=True))
    program: list[Workload] = []
    for name in names:
        on = draw(st.sets(st.sampled_from(OPTIONS), max_size=2)) if draw(st.booleans()) else ()
        former = draw(st.sampled_from(["", "", "", *(set("abc") - set(names))]))
        taken = {workload.former for workload in program}
        cloud = draw(st.sampled_from(["aws", "aws", "aws", "gcp", "azure"]))
        size = draw(st.sampled_from([0, 0, 1, 3] if cloud == "aws" else [1, 3]))
        machine = draw(st.sampled_from(list(PRICES[cloud])))
        further = draw(groups if size else instances(machine)) if cloud == "aws" else {}
        program.append(
            Workload(
                name=name,
                cloud=cloud,
                machine=machine,
                size=size,
                edition=draw(st.integers(0, 1)),
                former="" if former in taken else former,
                **further,
                **dict.fromkeys(on, True),
            )
        )
    return program


groups = st.fixed_dictionaries(
    {
        "version": st.sampled_from(["$Latest", "$Latest", "1", "$Default", ""]),
        "scheduled": st.sampled_from([0, 0, 2, 4]),
    }
)


def instances(machine: str) -> st.SearchStrategy[dict[str, str]]:
    """Of an instance: the type of its reservation, which AWS refuses if it is another one."""
    return st.fixed_dictionaries(
        {
            "reserved": st.sampled_from(["", "", machine, machine, *PRICES["aws"]]),
            "room": st.sampled_from([1, 1, 2]),
        }
    )


lives = st.lists(
    st.tuples(
        programs(),
        st.sampled_from([Decimal(10), Decimal(60), Decimal(115), Decimal(200)]),
        st.none() | st.integers(0, 3),
    ),
    min_size=1,
    max_size=5,
)


@contextmanager
def budget_pack(life: Life, cap: Decimal) -> Iterator[Engine]:
    """The pack `budget` under a cap, reading the state of a life."""
    served: list[object] = []
    with (
        patch.object(policies, "serve", served.append),
        patch.object(state, "standing", lambda _: tuple(life.standing())),
    ):
        pack("tried", ("cap-per-hour",))
        config = {"settings": {**ACCEPTED, "budget": {"per_hour": float(cap)}}}
        yield Engine(*served, config, dry_run=False)


def lived(updates: list[tuple[list[Workload], Decimal, int | None]]) -> None:
    """Hold each update of a life to its cap, from both sides."""
    life = Life()
    for program, cap, stops_after in updates:
        before, most = life.per_hour, life.most(program)
        with budget_pack(life, cap) as shown:
            refused = life.update(program, shown, stops_after=stops_after)

        assert life.peak <= max(cap, before), f"{life.peak} above {cap}, {before} before"
        event("refused" if refused else "let through")
        if refused:
            assert most + SMALL > cap, f"refused at {cap}, and comes to {most} at most"


GOOGLE = Workload(name="a", cloud="gcp", machine="a3-highgpu-8g", size=1, deletes_first=True)
STRICT = Workload(name="a", machine="p5.48xlarge", size=1, version="$Default", strict=True)
OLD = Workload(name="a", machine="p5.48xlarge", size=1)
KEPT = Workload(name="a", machine="p5.48xlarge", reserved="p5.48xlarge")


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
