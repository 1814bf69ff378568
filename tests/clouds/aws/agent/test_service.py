"""The chain of phases, in every order of events that a machine may see."""

import json
import signal
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuinfra.clouds.aws.agent import notices
from gpuinfra.clouds.aws.agent.install import AgentSettings, agent_configuration, block_leads
from gpuinfra.clouds.aws.agent.metadata import MetadataError
from gpuinfra.clouds.aws.agent.notices import moment
from gpuinfra.clouds.aws.agent.processes import Process
from gpuinfra.clouds.aws.agent.service import Agent

START = moment("2026-12-01T10:00:00Z") or 0.0
RANKS = [Process(100, 1), Process(101, 1)]


class CrashError(Exception):
    """The agent's process dies, between two things that it does."""


@dataclass
class Pretended:
    """A machine without a machine: time passes when it is told, and all that is done is noted.

    Args:
        ends: seconds from SIGTERM to the trainers' exit; None: they ignore it.
        marks: seconds from SIGTERM to the trainer's word that it saved; None: it says nothing.
        contained: the trainers are in a container, not in the job's own tree.
        lingers: their launcher does not end after them.
        broken: paths of the metadata service that give no answer, and how long each takes for it.
        mute: when systemd says nothing of the job.
    """

    says: list[tuple[float, str, str]] = field(default_factory=list)
    silent: tuple[float, float] = (0, 0)
    ends: float | None = 3
    marks: float | None = None
    job: bool = True
    listens: bool = True
    contained: bool = False
    lingers: bool = False
    broken: tuple[tuple[str, ...], float] = ((), 0)
    mute: tuple[float, float] = (0, 0)
    uploads: list[bool] = field(default_factory=list)
    puts: list[bool] = field(default_factory=list)
    completes: list[bool] = field(default_factory=list)
    crashes: list[int] = field(default_factory=list)
    jump: tuple[float, float] = (0, 0)
    time: float = 1000.0
    log: list[tuple[float, str]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    state: str = "{}"
    told: float | None = None
    killed: float | None = None
    stopped: bool = False
    hook_takes: float = 2
    upload_ends: float | None = None
    waits: bool = False

    def do(self, what: str) -> None:
        if self.crashes and len(self.log) >= self.crashes[0]:
            self.crashes.pop(0)
            self.upload_ends = None
            raise CrashError
        self.log.append((self.time, what))

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        at, seconds = self.jump
        return START + self.time - 1000 + (seconds if at and self.time >= at else 0)

    def say(self, text: str) -> None:
        self.messages.append(text)

    def metadata(self, path: str) -> str | None:
        if path in self.broken[0]:
            self.time += self.broken[1]
            raise MetadataError(f"{path}: answered with status 403")
        if self.silent[0] <= self.time < self.silent[1]:
            raise MetadataError("no answer")
        texts = [text for at, where, text in self.says if where == path and at <= self.time]
        return texts[-1] if texts else None

    def instance(self) -> str:
        return "i-1"

    def remembered(self) -> dict[str, Any]:
        return json.loads(self.state)

    def keep(self, state: dict[str, Any]) -> None:
        self.state = json.dumps(state)

    def announce(self, text: dict[str, Any]) -> None:
        self.do(f"announce {text['action']}")

    def saved(self) -> dict[str, Any] | None:
        due = self.told is not None and self.marks is not None
        return {"step": 7} if due and self.time >= (self.told or 0) + (self.marks or 0) else None

    def trainers(self) -> list[Process] | None:
        if self.mute[0] <= self.time < self.mute[1]:
            return None
        return RANKS if self.job and self._alive() else []

    def living(self, processes: list[Process]) -> list[Process]:
        return processes if self._alive() else []

    def idle(self) -> bool:
        if self.lingers or self.mute[0] <= self.time < self.mute[1]:
            return self.stopped
        return self.contained or not self.job or not self._alive()

    def _alive(self) -> bool:
        ended = self.told is not None and self.ends is not None
        over = ended and self.time >= (self.told or 0) + (self.ends or 0)
        return not (over or self.killed is not None or self.stopped)

    def send(self, processes: list[Process], number: int) -> None:
        self.do(signal.Signals(number).name if processes else "no process")
        if number == signal.SIGTERM:
            self.told = self.time
        else:
            self.killed = self.time

    def ask_to_save(self) -> bool:
        self.do("SIGUSR1")
        return self.listens

    def stop(self) -> None:
        self.do("stop")
        self.stopped = True

    def start(self, name: str, command: list[str], more: dict[str, str]) -> None:
        self.do(f"start {name}")
        self.upload_ends = self.time + (self.hook_takes if name == "hook" else 2)

    def end(self, name: str) -> None:
        self.upload_ends = None

    def result(self, name: str) -> bool | None:
        if self.upload_ends is None:
            return False
        if self.time < self.upload_ends:
            return None
        return self.uploads.pop(0) if self.uploads else True

    def upload(self, source: str, target: str) -> None:
        self.start("upload", [source, target], {})

    def written(self, folder: str, since: float) -> dict[str, int]:
        return {"step": 1}

    def arrived(self, bucket: str, prefix: str, since: float) -> dict[str, int] | None:
        return {"step": 1, "old": 2}

    def put(self, bucket: str, key: str, content: dict[str, Any]) -> tuple[bool, str]:
        assert (bucket, key) == ("bkt", "llm/interrupted/i-1.json")
        well = self.puts.pop(0) if self.puts else True
        self.do("mark" if well else "mark fails")
        self.mark = content
        return well, "no"

    def aws(self, *words: str) -> tuple[bool, str]:
        if words[1].startswith("describe"):
            return True, "group"
        short = {"put-metric-data": "metric", "record-lifecycle-action-heartbeat": "beat"}
        if words[1] == "complete-lifecycle-action":
            well = self.completes.pop(0) if self.completes else True
            self.do("complete" if well else "complete fails")
            return well, "throttled"
        self.do(short[words[1]])
        return True, ""

    def done(self) -> list[str]:
        return [what for _, what in self.log if what != "beat"]


def told(**more: Any) -> dict[str, Any]:
    settings = AgentSettings(
        stack="dev",
        workload="trainer",
        region="us-east-1",
        **{"checkpoints": "s3://bkt/llm", **more},
    )
    return json.loads(json.dumps(agent_configuration(settings)))


def run(machine: Pretended, configuration: dict[str, Any], until: float = 1900) -> Agent:
    agent = Agent(configuration, machine)  # type: ignore[arg-type]
    while machine.time < until and agent.phase != "gone":
        try:
            machine.time += max(0.1, agent.tick())
        except CrashError:
            machine.time += 2
            agent = Agent(configuration, machine)  # type: ignore[arg-type]
    return agent


def spot(at: float, left: float = 118) -> tuple[float, str, str]:
    time = START + at - 1000 + left
    text = {"action": "terminate", "time": notices_time(time)}
    return at, notices.SPOT, json.dumps(text)


def notices_time(seconds: float) -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def ends(at: float) -> tuple[float, str, str]:
    return at, notices.LIFECYCLE, "Terminated"


ADVICE = (1005.0, notices.REBALANCE, '{"noticeTime": "2026-12-01T10:00:00Z"}')
CHAIN = ["announce leave", "SIGTERM", "metric", "stop", "mark"]


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


@pytest.mark.parametrize("seconds", [-86400, 3600])
def test_a_clock_that_jumps_changes_no_deadline(seconds: float) -> None:
    machine = Pretended(says=[ends(1010)], ends=None, jump=(1050, seconds))
    run(machine, told())

    killed = {what: at for at, what in machine.log}["SIGKILL"]
    assert 1010 + 420 - 20 <= killed <= 1010 + 420 - 10


def test_a_metadata_service_that_falls_silent_stops_nothing() -> None:
    machine = Pretended(says=[spot(1010), ends(1010)], silent=(1012, 1100), ends=20)
    run(machine, told())

    assert machine.done() == [*CHAIN, "complete"]


EVENT = {"State": "active", "NotBefore": "1 Dec 2026 10:05:00 GMT", "Code": "instance-reboot"}
SAID = {
    notices.SPOT: spot(1010)[2],
    notices.LIFECYCLE: "Terminated",
    notices.MAINTENANCE: json.dumps([EVENT]),
    notices.REBALANCE: ADVICE[2],
}
LEAVES = {"on_maintenance": "leave", "on_rebalance": "leave", "lifecycle": False}


@pytest.mark.parametrize("broken", SAID)
@pytest.mark.parametrize("heard", SAID)
def test_no_notice_is_lost_because_another_path_gives_no_answer(heard: str, broken: str) -> None:
    machine = Pretended(says=[(1010, heard, SAID[heard])], broken=((broken,), 0.6))
    run(machine, told(**LEAVES))

    assert machine.done() == ([] if heard == broken else CHAIN)
    assert machine.messages.count(f"metadata: {broken}: answered with status 403") == 1


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
