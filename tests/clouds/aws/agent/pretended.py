"""A machine without a machine, on which the agent runs in told time, and what it is told."""

import json
import signal
from dataclasses import dataclass, field
from typing import Any

from gpuinfra.clouds.aws.agent import notices
from gpuinfra.clouds.aws.agent.install import AgentSettings, agent_configuration
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
            raise MetadataError(f"{path}: status 403")
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
