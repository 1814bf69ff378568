"""The interruption agent, which on a notice has the run saved, marks it, and lets go.

Its work is a chain of phases, each entered once and kept on disk, so that an agent that is started
again goes on where it was:

    watching → hook → signalling → waiting → leaving → saving → marking → completing → gone

A second notice during the first adds its reason and can only bring the deadline nearer.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gpuinfra.clouds.aws.agent import notices
from gpuinfra.clouds.aws.agent.machine import Machine
from gpuinfra.clouds.aws.agent.metadata import MetadataError
from gpuinfra.clouds.aws.agent.processes import Process
from gpuinfra.clouds.aws.agent.reporter import Reporter

POLL = 5.0
"""Seconds between two looks at the metadata service, as AWS advises for spot machines:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html"""
STEP = 0.5
"""Seconds between two steps while the run ends."""
GRACE = 30.0
"""Seconds that the job has to end by itself once its trainers have, at most."""
AGAIN = 3.0
"""Seconds between two tries of a call that failed."""

BUSY = ("hook", "signalling", "waiting", "leaving", "saving", "marking")
"""The phases in which the machine is still needed."""

State = dict[str, Any]


class Agent:
    """The interruption agent as a state machine; each step checks the machine without blocking.

    Args:
        told: `/etc/gpuinfra/agent.json`.
        machine: what it runs on.
    """

    def __init__(self, told: State, machine: Machine) -> None:
        self._told = told
        self._machine = machine
        self._state: State = {"phase": "watching", "reasons": [], "keys": [], "terminating": False}
        self._state.update(machine.remembered())
        self._reporter = Reporter(told, machine, self._state)
        self._next_look = self._next_try = machine.now()
        self._uploading = False
        self._silent: set[str] = set()
        self._paths = [notices.SPOT, notices.LIFECYCLE, notices.MAINTENANCE, notices.REBALANCE]
        bucket, _, prefix = told["checkpoints"].removeprefix("s3://").partition("/")
        self._bucket, self._prefix = bucket, prefix if prefix[-1:] in ("", "/") else f"{prefix}/"
        self._phases: dict[str, Callable[[], str]] = {
            "watching": self._watching,
            "hook": self._hook,
            "signalling": self._signalling,
            "waiting": self._waiting,
            "leaving": self._leaving,
            "saving": self._saving,
            "marking": self._marking,
            "completing": self._completing,
            "gone": lambda: "gone",
        }

    @property
    def phase(self) -> str:
        """The current phase of the chain."""
        return str(self._state["phase"])

    def tick(self) -> float:
        """Look, run the phases that are ready, and return the seconds until the next call."""
        if self._machine.now() >= self._next_look:
            self._next_look = self._machine.now() + float(self._told.get("poll", POLL))
            self._look()
        while (after := self._phases[self.phase]()) != self.phase:
            self._state["phase"], self._next_try = after, self._machine.now()
            self._machine.keep(self._state)
        if self.phase in BUSY:
            self._reporter.beat()
        busy = self.phase in BUSY or self._uploading
        return STEP if busy else max(0.0, self._next_look - self._machine.now())

    def _look(self) -> None:
        """Read each metadata path; one that fails is asked last from then on."""
        self._heed(self._block())  # it is known without the service
        end = self._machine.now() + POLL
        for path in list(self._paths):
            trouble = ""
            try:
                self._heed(self._read(path))
            except MetadataError as error:
                trouble = str(error)
                self._paths.append(self._paths.pop(self._paths.index(path)))
            if bool(trouble) != (path in self._silent):
                self._machine.say(f"metadata: {trouble or f'{path} answers again'}")
                self._silent ^= {path}
            if trouble and self._machine.now() >= end:
                break  # the next may take as long

    def _read(self, path: str) -> Iterator[notices.Notice]:
        told, text, wall = self._told, self._machine.metadata(path), self._machine.wall()
        if path == notices.SPOT:
            return notices.spot(text, wall)
        if path == notices.MAINTENANCE:
            return notices.maintenance(text, wall, told["on_maintenance"])
        if path == notices.REBALANCE:
            return notices.rebalance(text, told["on_rebalance"])
        self._state["terminating"] = notices.terminated(text)
        return notices.lifecycle(text, told["lifecycle_budget"])

    def _heed(self, seen: Iterator[notices.Notice]) -> None:
        for notice in seen:
            if notice.key not in self._state["keys"] and notice.action != "ignore":
                self._state["keys"].append(notice.key)
                self._hear(notice)
                self._machine.keep(self._state)

    def _block(self) -> Iterator[notices.Notice]:
        if block := self._told["block"]:
            end = notices.moment(block["ends"])
            if end is not None:
                goes, starts = block["machines_go"] * 60, block["checkpoint_starts"] * 60
                yield from notices.block(end, goes, starts, self._machine.wall())

    def _hear(self, notice: notices.Notice) -> None:
        """Record a new notice and act on it."""
        state, machine = self._state, self._machine
        machine.say(f"{notice.reason}: {notice.action}, {notice.seconds:.0f} s left")
        if notice.action == notices.KEEP:
            if self.phase == "watching" and not state["reasons"]:
                machine.announce({"reason": notice.reason, "action": notice.action})
                state["kept"] = True
                if not machine.ask_to_save():
                    machine.say("no trainer handles SIGUSR1; the run continues unchanged")
            return
        deadline = machine.now() + notice.seconds
        state["deadline"] = min(deadline, state.get("deadline", deadline))
        state["reasons"].append(notice.reason)
        state.setdefault("asked", machine.wall())
        state["reserve"] = min(self._told["reserve"], notice.seconds / 2)

    def _watching(self) -> str:
        if self._state["reasons"]:
            reason, left = self._state["reasons"][0], self._state["deadline"] - self._machine.now()
            seconds = max(0, int(left - self._state["reserve"]))
            self._machine.announce({"reason": reason, "action": notices.LEAVE, "seconds": seconds})
            if not self._told["hook"]:
                return "signalling"
            variables = {"GPUINFRA_REASON": reason, "GPUINFRA_SECONDS": str(seconds)}
            self._machine.start("hook", ["/bin/bash", "-c", self._told["hook"]], variables)
            self._state["hook_ends"] = self._machine.now() + seconds / 2
            return "hook"
        if self._state.get("kept") and self._told["local"] and self._machine.saved() is not None:
            self._state["kept"] = False
            self._machine.upload(self._told["local"], self._told["checkpoints"])
            self._uploading = True
        if self._uploading and self._machine.result("upload") is not None:
            self._uploading = False
        return "watching"

    def _hook(self) -> str:
        over = self._machine.now() >= self._state["hook_ends"]
        late = self._left() <= 2 * self._state["reserve"]  # a second notice may have come
        if self._machine.result("hook") is None and not over and not late:
            return "hook"
        self._machine.end("hook")
        return "signalling"

    def _signalling(self) -> str:
        self._state["trainers"] = self._machine.trainers()
        if self._state["trainers"] is None and self._left() > self._state["reserve"]:
            return "signalling"
        self._machine.send(self._trainers(), signal.SIGTERM)
        return "waiting"

    def _waiting(self) -> str:
        """Wait for all ranks until the reserve, since one's report may precede the others'."""
        self._reporter.count()
        saved, living = self._machine.saved(), self._machine.living(self._trainers())
        if living and self._left() > self._state["reserve"]:
            return "waiting"
        if saved is not None:
            how, self._state["step"] = "saved", saved.get("step")
        elif living:
            how = "killed"
        elif self._state["trainers"] is None:
            how = "unknown"
        else:
            how = "exited" if self._trainers() else "no job"
        patience = 0.0 if living else min(GRACE, max(0.0, self._left() / 4))
        self._state.update(trainer=how, stop_at=self._machine.now() + patience)
        return "leaving"

    def _leaving(self) -> str:
        living = self._machine.living(self._trainers())
        if self._machine.now() < self._state["stop_at"] and not self._machine.idle():
            return "leaving"
        if living:
            self._machine.say(f"{len(living)} trainers did not stop by themselves")
            self._machine.send(living, signal.SIGKILL)
        self._machine.stop()
        self._state.update(uploaded=None, verified=None, files=None)
        return "saving" if self._bucket else "completing"

    def _saving(self) -> str:
        """Copy the checkpoint that was kept on the machine, and check that all of it arrived."""
        state, machine, local = self._state, self._machine, self._told["local"]
        if local and not state["uploaded"] and machine.written(local, 0):
            if not self._uploading and self._due():
                machine.upload(local, self._told["checkpoints"])
                self._uploading = True
            result = machine.result("upload") if self._uploading else None
            if result is not None:
                self._uploading, self._next_try = False, machine.now() + AGAIN
            state["uploaded"] = bool(result)
            if not result and self._left() > state["reserve"] / 4:
                return "saving"
            machine.end("upload")
            self._uploading = False
        return self._verifying()

    def _verifying(self) -> str:
        since, local = self._state["asked"], self._told["local"]
        arrived = self._machine.arrived(self._bucket, self._prefix, since)
        if arrived is not None:
            written = self._machine.written(local, since) if local else arrived
            self._state["files"] = len(written)
            self._state["verified"] = bool(written) and written.items() <= arrived.items()
        return "marking"

    def _marking(self) -> str:
        """Write the mark before releasing the machine; only the deadline overrides it."""
        if not self._due():
            return "marking"
        marked = self._reporter.mark(self._bucket, self._prefix)
        return "completing" if marked or self._left() <= 0 else "marking"

    def _completing(self) -> str:
        if not self._told["lifecycle_hook"]:
            return "gone"
        if not self._state["terminating"] or not self._due():
            return "completing"
        return "gone" if self._reporter.complete() else "completing"

    def _trainers(self) -> list[Process]:
        return [Process(*numbers) for numbers in self._state["trainers"] or ()]

    def _left(self) -> float:
        return float(self._state["deadline"] - self._machine.now())

    def _due(self) -> bool:
        """Return whether a call that may have failed is to be tried now."""
        if self._machine.now() < self._next_try:
            return False
        self._next_try = self._machine.now() + AGAIN
        return True


def main(path: str) -> None:
    """Run forever with the configuration at a path."""
    told = json.loads(Path(path).read_text())
    agent = Agent(told, Machine(told))
    while True:
        time.sleep(agent.tick())


if __name__ == "__main__":
    main(*sys.argv[1:])
