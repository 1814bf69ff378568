"""The agent's reports to AWS: the hook's heartbeat and end, the metric, and the mark."""

from __future__ import annotations

import json
import time
from typing import Any

from gpuinfra.clouds.aws.agent.machine import MARKS, Machine
from gpuinfra.clouds.aws.agent.metadata import MetadataError


class Reporter:
    """The calls that report an interruption; each is safe to repeat.

    Args:
        told: `/etc/gpuinfra/agent.json`.
        machine: what the agent runs on.
        state: the agent's, kept by it.
    """

    def __init__(self, told: dict[str, Any], machine: Machine, state: dict[str, Any]) -> None:
        self._told = told
        self._machine = machine
        self._state = state
        self._next_beat = machine.now()

    def beat(self) -> None:
        """Send the heartbeat that holds the machine while there is work left, where it is due."""
        hooked = self._told["lifecycle_hook"] and self._state["terminating"]
        if not hooked or self._machine.now() < self._next_beat:
            return
        self._next_beat = self._machine.now() + self._told["heartbeat"]
        well, text = self._lifecycle("record-lifecycle-action-heartbeat")
        if not well:
            self._machine.say(f"the heartbeat failed: {text}")

    def complete(self) -> bool:
        """Let the group end the machine; return whether it may."""
        words = ("complete-lifecycle-action", "--lifecycle-action-result", "CONTINUE")
        well, text = self._lifecycle(*words)
        if not well and "No active Lifecycle Action" not in text:
            self._machine.say(f"the lifecycle action was not completed: {text}")
            return False
        return True

    def count(self) -> None:
        """Report the interruption as a metric for alarms, once; nothing waits for it."""
        if self._state.get("reported"):
            return
        values = {"Stack": self._told["stack"], "Workload": self._told["workload"]}
        metric = {
            "MetricName": self._told["metric"],
            "Dimensions": [
                {"Name": name, "Value": values[name]} for name in self._told["dimensions"]
            ],
            "Value": 1,
            "Unit": "Count",
        }
        words = ("--namespace", self._told["namespace"], "--metric-data", json.dumps([metric]))
        well, text = self._machine.aws("cloudwatch", "put-metric-data", *words)
        if not well:
            self._machine.say(f"the interruption was not counted: {text}")
        self._state["reported"] = True
        self._machine.keep(self._state)

    def mark(self, bucket: str, prefix: str) -> bool:
        """Write the interruption's mark beside the checkpoints; return whether it is there."""
        state = self._state
        try:
            instance = self._machine.instance()
        except MetadataError:
            instance = ""
        mark = {
            "instance": instance,
            "reasons": state["reasons"],
            "asked": _iso(state["asked"]),
            "written": _iso(self._machine.wall()),
            **{name: self._told[name] for name in ("stack", "workload")},
            **{name: state.get(name) for name in ("trainer", "step", "uploaded", "verified")},
            "files": state["files"],
        }
        well, text = False, "this machine's id is unknown"
        if instance:
            well, text = self._machine.put(bucket, f"{prefix}{MARKS}{instance}.json", mark)
        state["marked"] = well
        self._machine.say(
            f"mark: {json.dumps(mark)}" if well else f"the mark could not be written: {text}"
        )
        return well

    def _lifecycle(self, *words: str) -> tuple[bool, str]:
        try:
            instance = self._machine.instance()
        except MetadataError as error:
            return False, str(error)
        if not self._state.get("group"):
            query = ("--query", "AutoScalingInstances[].AutoScalingGroupName", "--output", "text")
            ask = ("autoscaling", "describe-auto-scaling-instances", "--instance-ids", instance)
            well, group = self._machine.aws(*ask, *query)
            if not well or not group:
                return False, group or f"{instance} is in no scaling group"
            self._state["group"] = group
        where = ("--lifecycle-hook-name", self._told["lifecycle_hook"], "--instance-id", instance)
        whose = ("--auto-scaling-group-name", self._state["group"])
        return self._machine.aws("autoscaling", *words, *whose, *where)


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
