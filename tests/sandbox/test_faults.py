from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpuinfra.errors import InputError
from gpuinfra.sandbox import faults
from gpuinfra.sandbox.faults import InjectedFault

pytestmark = pytest.mark.usefixtures("sandbox_home")


def always(_fault: InjectedFault) -> bool:
    return True


def test_nothing_strikes_where_nothing_was_asked_for() -> None:
    assert faults.take_fault("quota", always) is None


def test_a_fault_without_times_strikes_until_it_is_cleared() -> None:
    faults.add(InjectedFault(kind="quota"))

    assert all(faults.take_fault("quota", always) for _ in range(3))
    assert faults.clear() == 1
    assert faults.take_fault("quota", always) is None


def test_a_fault_strikes_as_often_as_asked() -> None:
    faults.add(InjectedFault(kind="throttling", times=2))

    struck = [faults.take_fault("throttling", always) is not None for _ in range(3)]

    assert struck == [True, True, False]
    assert faults.active_faults() == []


def test_a_crash_waits_for_its_creates_and_comes_once() -> None:
    faults.add(InjectedFault(kind="crash", after=2))

    struck = [faults.take_fault("crash", always) is not None for _ in range(4)]

    assert struck == [False, False, True, False]


@pytest.mark.parametrize("kind", ["slow-create", "slow-delete"])
def test_what_is_slow_without_seconds_takes_a_time_that_is_shown(kind: str) -> None:
    assert faults.add(InjectedFault(kind=kind)).seconds == 10
    assert [fault.seconds for fault in faults.active_faults()] == [10]


def test_only_what_fits_is_struck() -> None:
    faults.add(InjectedFault(kind="quota", type="a"))

    assert faults.take_fault("quota", lambda fault: fault.type == "b") is None
    assert faults.take_fault("quota", lambda fault: fault.type == "a") is not None


def test_counts_hold_when_many_strike_at_once() -> None:
    faults.add(InjectedFault(kind="throttling", times=5))

    with ThreadPoolExecutor(8) as pool:
        struck = list(pool.map(lambda _: faults.take_fault("throttling", always), range(20)))

    assert sum(fault is not None for fault in struck) == 5


def test_one_fault_can_be_cleared_by_its_id() -> None:
    first = faults.add(InjectedFault(kind="quota"))
    second = faults.add(InjectedFault(kind="quota"))

    assert faults.clear(first.id) == 1
    assert faults.active_faults() == [second]


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (InjectedFault(kind="no-capcity"), "kind"),
        (InjectedFault(kind="quota", capacity="free"), "capacity"),
        (InjectedFault(kind="slow-create", seconds=-1), "seconds"),
        (InjectedFault(kind="slow-create", seconds=0), "seconds"),
        (InjectedFault(kind="slow-create", seconds=float("nan")), "seconds"),
        (InjectedFault(kind="crash", after=-1), "after"),
        (InjectedFault(kind="quota", times=0), "times"),
    ],
)
def test_a_senseless_fault_is_refused_with_what_is_allowed(
    fault: InjectedFault, named: str
) -> None:
    with pytest.raises(InputError) as caught:
        faults.add(fault)

    assert [problem.path for problem in caught.value.problems] == [(named,)]
    assert caught.value.problems[0].allowed


def test_a_file_of_a_newer_version_is_read(sandbox_home: Path) -> None:
    fault = faults.add(InjectedFault(kind="quota"))
    file = sandbox_home / "faults.json"
    file.write_text(file.read_text().replace('"kind"', '"colour": "red", "kind"'))

    assert faults.active_faults() == [fault]
