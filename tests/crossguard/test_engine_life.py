"""The cap over whole lives of stacks: at no moment above it, and whatever fits is let through."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from gpuinfra.crossguard import pack, policies, state
from tests.crossguard.engine_life import PRICES, Life, Wanted
from tests.crossguard.wire import ACCEPTED, Engine

SMALL = Decimal(2)
"""USD/h: disks, addresses and alarms of a few machines, which the small cloud does not count."""

OPTIONS = ("deletes_first", "strict", "retained", "protected")


@st.composite
def programs(draw: st.DrawFn) -> list[Wanted]:
    """A program of up to three workloads, some of them renamed since the one before."""
    names = draw(st.lists(st.sampled_from("abc"), min_size=0, max_size=3, unique=True))
    wanted = []
    for name in names:
        on = draw(st.sets(st.sampled_from(OPTIONS), max_size=2)) if draw(st.booleans()) else ()
        former = draw(st.sampled_from(["", "", "", *(set("abc") - set(names))]))
        wanted.append(
            Wanted(
                name=name,
                machine=draw(st.sampled_from(list(PRICES))),
                size=draw(st.sampled_from([0, 0, 1, 3])),
                edition=draw(st.integers(0, 1)),
                former=former if former not in {one.former for one in wanted} else "",
                **dict.fromkeys(on, True),
            )
        )
    return wanted


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


def lived(updates: list[tuple[list[Wanted], Decimal, int | None]]) -> None:
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


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(lives)
def test_a_life_never_costs_more_than_its_cap_and_what_fits_passes(updates) -> None:
    lived(updates)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=10_000, suppress_health_check=[HealthCheck.too_slow])
@given(lives)
def test_ten_thousand_lives(updates) -> None:
    lived(updates)
