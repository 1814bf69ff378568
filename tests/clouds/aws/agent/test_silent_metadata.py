"""What the agent hears of a metadata service that is silent, refuses a path, or hangs."""

import json

import pytest

from gpuinfra.clouds.aws.agent import notices
from gpuinfra.clouds.aws.agent.install import block_leads
from gpuinfra.clouds.aws.agent.service import Agent
from tests.clouds.aws.agent.pretended import (
    ADVICE,
    CHAIN,
    START,
    Pretended,
    ends,
    notices_time,
    run,
    spot,
    told,
)

EVENT = {"State": "active", "NotBefore": "1 Dec 2026 10:05:00 GMT", "Code": "instance-reboot"}
SAID = {
    notices.SPOT: spot(1010)[2],
    notices.LIFECYCLE: "Terminated",
    notices.MAINTENANCE: json.dumps([EVENT]),
    notices.REBALANCE: ADVICE[2],
}
LEAVES = {"on_maintenance": "leave", "on_rebalance": "leave", "lifecycle": False}


@pytest.mark.parametrize("ultraserver", [False, True])
def test_a_block_ends_on_the_clock_even_without_the_metadata_service(ultraserver: bool) -> None:
    leads = block_leads(ultraserver=ultraserver)
    at = START + 100 + leads["checkpoint_starts"] * 60
    machine = Pretended(silent=(0, 9999))
    run(
        machine,
        told(block_ends=notices_time(at), ultraserver=ultraserver, lifecycle=False),
    )

    assert machine.done() == CHAIN
    assert 1100 <= machine.log[0][0] <= 1105


def test_a_metadata_service_that_falls_silent_stops_nothing() -> None:
    machine = Pretended(says=[spot(1010), ends(1010)], silent=(1012, 1100), ends=20)
    run(machine, told())

    assert machine.done() == [*CHAIN, "complete"]


@pytest.mark.parametrize("broken", SAID)
@pytest.mark.parametrize("heard", SAID)
def test_no_notice_is_lost_because_another_path_gives_no_answer(heard: str, broken: str) -> None:
    machine = Pretended(says=[(1010, heard, SAID[heard])], broken=((broken,), 0.6))
    run(machine, told(**LEAVES))

    assert machine.done() == ([] if heard == broken else CHAIN)
    assert machine.messages.count(f"metadata: {broken}: status 403") == 1


@pytest.mark.parametrize("heard", SAID)
def test_paths_that_hang_do_not_keep_another_from_being_heard(heard: str) -> None:
    hang = tuple(path for path in SAID if path != heard)
    machine = Pretended(says=[(1010, heard, SAID[heard])], broken=(hang, 7), ends=10)
    run(machine, told(**LEAVES))

    assert machine.done() == CHAIN
    assert machine.log[0][0] <= 1010 + 4 * 7


def test_a_service_that_hangs_holds_a_look_up_for_one_path_at_most() -> None:
    machine = Pretended(broken=(tuple(SAID), 7))
    agent = Agent(told(), machine)  # type: ignore[arg-type]
    agent.tick()

    assert machine.time == 1000 + 7


def test_a_path_that_answers_again_is_said() -> None:
    machine = Pretended(silent=(1000, 1030))
    run(machine, told(), until=1060)

    for path in SAID:
        assert machine.messages.count(f"metadata: {path} answers again") == 1
    assert machine.messages.count("metadata: no answer") == len(SAID)
