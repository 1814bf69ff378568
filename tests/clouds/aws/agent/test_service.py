"""The chain of phases, in every order of events that a machine may see."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuinfra.clouds.aws.agent import notices
from tests.clouds.aws.agent.pretended import ADVICE, CHAIN, Pretended, ends, run, spot, told


def test_a_spot_machine_is_let_go_when_its_group_asks() -> None:
    machine = Pretended(says=[spot(1010), ends(1040)])
    agent = run(machine, told())

    assert machine.done() == [*CHAIN, "complete"]
    assert agent.phase == "gone"
    assert machine.mark["trainer"] == "exited"
    assert machine.log[-1][0] >= 1040


def test_without_a_hook_the_mark_is_the_last_word() -> None:
    machine = Pretended(says=[spot(1010)])
    run(machine, told(lifecycle=False))

    assert machine.done() == CHAIN


def test_checkpoints_kept_locally_are_copied_again_until_it_works() -> None:
    machine = Pretended(says=[ends(1010)], uploads=[False, False, True], marks=1, ends=2)
    run(machine, told(local="/scratch/checkpoints"))

    assert machine.done() == [*CHAIN[:4], *["start upload"] * 3, "mark", "complete"]
    assert (machine.mark["uploaded"], machine.mark["verified"]) == (True, True)
    assert (machine.mark["trainer"], machine.mark["step"]) == ("saved", 7)


def test_a_copy_that_never_works_leaves_a_mark_that_says_so() -> None:
    machine = Pretended(says=[spot(1010)], uploads=[False] * 99)
    run(machine, told(local="/scratch/checkpoints", lifecycle=False))

    assert machine.mark["uploaded"] is False
    assert machine.log[-1][1] == "mark"
    assert machine.log[-1][0] < 1010 + 118


def test_a_trainer_that_ignores_it_is_killed_in_time_for_the_rest() -> None:
    machine = Pretended(says=[spot(1010)], ends=None)
    run(machine, told(lifecycle=False))

    killed = {what: at for at, what in machine.log}["SIGKILL"]
    assert machine.done() == [*CHAIN[:3], "SIGKILL", "stop", "mark"]
    assert 1010 + 95 <= killed <= 1010 + 100


@pytest.mark.parametrize(("local", "reserve"), [("", 20), ("/scratch", 45)])
def test_ranks_that_run_on_when_one_says_saved_have_all_but_the_reserve(
    local: str, reserve: float
) -> None:
    slow = Pretended(says=[ends(1010)], marks=5, ends=300)
    stuck = Pretended(says=[ends(1010)], marks=5, ends=None)
    run(slow, told())
    run(stuck, told(local=local))

    times = {what: at for at, what in stuck.log}
    assert "SIGKILL" not in slow.done()
    assert {what: at for at, what in slow.log}["stop"] >= 1010 + 300
    assert 1010 + 420 - reserve <= times["SIGKILL"] <= 1010 + 420 - reserve + 1
    assert (slow.mark["trainer"], stuck.mark["trainer"]) == ("saved", "saved")
    assert stuck.mark["step"] == 7
    assert stuck.mark["uploaded"] is (True if local else None)


def test_a_launcher_that_does_not_end_after_its_ranks_gets_half_a_minute() -> None:
    machine = Pretended(says=[ends(1010)], marks=2, ends=5, lingers=True)
    run(machine, told())

    times = {what: at for at, what in machine.log}
    assert 5 + 29 <= times["stop"] - times["SIGTERM"] <= 5 + 31
    assert machine.done() == [*CHAIN, "complete"]


def test_a_systemd_that_says_nothing_is_asked_again() -> None:
    machine = Pretended(says=[spot(1010)], mute=(1000, 1040))
    run(machine, told(lifecycle=False))

    assert machine.done() == CHAIN
    assert 1040 <= {what: at for at, what in machine.log}["SIGTERM"] <= 1041
    assert machine.mark["trainer"] == "exited"


def test_a_job_that_nobody_knows_of_is_ended_in_time_and_not_called_none() -> None:
    machine = Pretended(says=[spot(1010)], mute=(1000, 9999), ends=None)
    run(machine, told(lifecycle=False))

    assert machine.done() == ["announce leave", "no process", "metric", "stop", "mark"]
    assert 1010 + 118 - 20 <= {what: at for at, what in machine.log}["stop"] < 1010 + 118
    assert machine.mark["trainer"] == "unknown"


def test_trainers_in_a_container_get_that_moment_too() -> None:
    machine = Pretended(says=[ends(1010)], marks=5, ends=20, contained=True)
    run(machine, told())

    times = {what: at for at, what in machine.log}
    assert machine.done() == [*CHAIN, "complete"]
    assert times["stop"] - times["SIGTERM"] >= 20


def test_advice_that_comes_with_the_end_is_no_advice_any_more() -> None:
    machine = Pretended(says=[spot(1003), (1008.0, *ADVICE[1:])], ends=30)
    run(machine, told(lifecycle=False))

    assert machine.done() == CHAIN


def test_a_second_notice_brings_the_deadline_nearer_and_no_second_signal() -> None:
    machine = Pretended(says=[ends(1010), spot(1030)], ends=None)
    run(machine, told())

    times = {what: at for at, what in machine.log}
    assert machine.done().count("SIGTERM") == 1
    assert machine.mark["reasons"] == ["scaling-group-terminates", "spot-interruption"]
    assert times["SIGKILL"] <= 1030 + 118 - 20 + 1


def test_a_later_end_does_not_put_off_a_nearer_one() -> None:
    machine = Pretended(says=[spot(1010), ends(1030)], ends=None)
    run(machine, told())

    assert {what: at for at, what in machine.log}["SIGKILL"] <= 1010 + 118 - 20 + 1


def test_no_time_is_lost_between_what_works_at_once() -> None:
    machine = Pretended(says=[ends(1010)], ends=1)
    run(machine, told(local="/scratch/checkpoints"))

    times = {what: at for at, what in machine.log}
    assert (
        times["complete"] - times["SIGTERM"] <= 1 + 2 + 1
    )  # the trainer's second, the copy's two


def test_a_hook_gives_way_when_the_end_comes_nearer() -> None:
    machine = Pretended(says=[ends(1010), spot(1050)], hook_takes=400)
    run(machine, told(hook="sleep 400"))

    times = {what: at for at, what in machine.log}
    assert 1050 + 118 - 40 - 1 <= times["SIGTERM"] <= 1050 + 118 - 40 + 5


def test_the_machine_is_held_while_the_trainer_saves() -> None:
    machine = Pretended(says=[ends(1010)], ends=250)
    run(machine, told())

    beats = [at for at, what in machine.log if what == "beat"]
    assert [round(at - beats[0], -1) for at in beats] == [0, 60, 120, 180, 240]


def test_advice_alone_ends_nothing() -> None:
    machine = Pretended(says=[ADVICE])
    agent = run(machine, told())

    assert machine.done() == ["announce checkpoint", "SIGUSR1"]
    assert agent.phase == "watching"


def test_advice_can_be_ignored_or_taken_for_the_end() -> None:
    deaf, ready = Pretended(says=[ADVICE]), Pretended(says=[ADVICE])
    run(deaf, told(on_rebalance="ignore"))
    run(ready, told(on_rebalance="leave", lifecycle=False))

    assert deaf.done() == []
    assert ready.done() == CHAIN


def test_a_hook_comes_before_the_signal_and_takes_half_the_time_at_most() -> None:
    machine = Pretended(says=[spot(1010)])
    run(machine, told(hook="sync", lifecycle=False))

    assert machine.done() == [CHAIN[0], "start hook", *CHAIN[1:]]


def test_a_machine_without_a_job_is_let_go_at_once() -> None:
    machine = Pretended(says=[ends(1010)], job=False)
    run(machine, told())

    assert machine.done() == ["announce leave", "no process", "metric", "stop", "mark", "complete"]
    assert machine.log[-1][0] < 1020
    assert machine.mark["trainer"] == "no job"


def test_without_checkpoints_nothing_is_marked() -> None:
    machine = Pretended(says=[ends(1010)])
    run(machine, told(checkpoints=""))

    assert machine.done() == [*CHAIN[:4], "complete"]


@pytest.mark.parametrize("seconds", [-86400, 3600])
def test_a_clock_that_jumps_changes_no_deadline(seconds: float) -> None:
    machine = Pretended(says=[ends(1010)], ends=None, jump=(1050, seconds))
    run(machine, told())

    killed = {what: at for at, what in machine.log}["SIGKILL"]
    assert 1010 + 420 - 20 <= killed <= 1010 + 420 - 10


TIMES = st.floats(1000, 1300)
BOOLS = st.lists(st.booleans(), max_size=4)
LATER = st.none() | st.floats(0, 200)
EVENTS = st.tuples(TIMES.map(spot), TIMES.map(ends), st.just(ADVICE)).flatmap(
    lambda them: st.lists(st.sampled_from(them), min_size=1, unique=True).map(sorted)
)
MACHINES = st.builds(
    Pretended,
    says=EVENTS,
    silent=st.tuples(TIMES, TIMES),
    mute=st.tuples(TIMES, TIMES),
    lingers=st.booleans(),
    ends=LATER,
    marks=LATER,
    job=st.booleans(),
    uploads=BOOLS,
    puts=BOOLS,
    completes=BOOLS,
    crashes=st.lists(st.integers(0, 12), max_size=3).map(sorted),
    jump=st.tuples(TIMES, st.floats(-1e5, 1e5)),
)
CONFIGURATIONS = st.builds(
    told,
    local=st.sampled_from(["", "/scratch"]),
    hook=st.sampled_from(["", "true"]),
    lifecycle=st.booleans(),
)
ORDER = ["announce leave", "SIGTERM", "SIGKILL", "stop", "mark", "complete"]


@settings(max_examples=100, deadline=None)
@given(machine=MACHINES, configuration=CONFIGURATIONS)
@example(  # one second is left when the metadata service answers again
    machine=Pretended(says=[spot(1038)], silent=(1000, 1151), job=False, puts=[False, False]),
    configuration=told(),
)
def test_the_order_holds_whatever_happens(
    machine: Pretended, configuration: dict[str, Any]
) -> None:
    agent = run(machine, configuration, until=2500)

    done = machine.done()
    heard = {where for _, where, _ in machine.says}
    assert done.count("SIGTERM") <= 1
    assert done.count("mark") <= 1
    if heard == {notices.REBALANCE}:
        assert set(done) <= {"announce checkpoint", "SIGUSR1", "start upload"}
        return
    last = {what: len(done) - done[::-1].index(what) for what in done}
    first = {what: done.index(what) for what in done}
    chain = [what for what in ORDER if what in first]
    assert [first[what] for what in chain] == sorted(first[what] for what in chain)
    if "mark" not in first:  # heard with seconds left, while the bucket did not answer
        assert "mark fails" in {what for _, what in machine.log}
        return
    assert last.get("start upload", 0) <= first["mark"]
    hook, terminated = configuration["lifecycle_hook"], notices.LIFECYCLE in heard
    assert agent.phase == ("gone" if terminated or not hook else "completing")
    assert ("complete" in done) == bool(hook and terminated)
    if "complete" in done:
        assert done[-1] == machine.log[-1][1] == "complete"
