"""The announced interruptions of this machine, read from AWS's metadata."""

from __future__ import annotations

import calendar
import json
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

SPOT = "spot/instance-action"
REBALANCE = "events/recommendations/rebalance"
MAINTENANCE = "events/maintenance/scheduled"
LIFECYCLE = "autoscaling/target-lifecycle-state"
"""Paths of the metadata service: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/
{spot-instance-termination-notices,rebalance-recommendations,viewing_scheduled_events}.html and
https://docs.aws.amazon.com/autoscaling/ec2/userguide/
retrieving-target-lifecycle-state-through-imds.html"""

SPOT_WARNING = 120.0
"""Seconds between a notice and the end of a spot machine, at most."""
SPOT_UNSURE = 90.0
"""Seconds counted on when the time told can't be right: the clock is off, or we came late."""
MAINTENANCE_LEAD = 600.0
"""Seconds before scheduled maintenance at which it is acted on."""

LEAVE, KEEP = "leave", "checkpoint"
"""What follows: the run ends here after a checkpoint, or it goes on after one."""


class Notice(NamedTuple):
    """An announced interruption; `key` identifies it, `seconds` is the time left."""

    reason: str
    key: str
    action: str
    seconds: float


def spot(text: str | None, wall: float) -> Iterator[Notice]:
    """Yield the interruption of a spot machine; `wall` is the time in seconds since 1970."""
    notice = _object(text)
    if notice.get("action") in ("terminate", "stop", "hibernate"):
        due = moment(notice.get("time"))
        left = SPOT_UNSURE if due is None else due - wall
        if not 0 < left <= SPOT_WARNING:
            left = SPOT_UNSURE
        yield Notice("spot-interruption", f"spot {notice.get('time')}", LEAVE, left)


def rebalance(text: str | None, action: str) -> Iterator[Notice]:
    """Yield the advice that a spot machine has a higher risk of interruption."""
    if since := _object(text).get("noticeTime"):
        yield Notice("rebalance-recommendation", f"rebalance {since}", action, SPOT_WARNING)


def maintenance(text: str | None, wall: float, action: str) -> Iterator[Notice]:
    """Yield the scheduled events of the host, shortly before they begin."""
    events = _json(text)
    for event in events if isinstance(events, list) else []:
        if isinstance(event, dict) and event.get("State") == "active":
            begins = moment(event.get("NotBefore"))
            if begins is not None and 0 < begins - wall <= MAINTENANCE_LEAD:
                key = f"maintenance {event.get('EventId')} {event.get('NotBefore')}"
                yield Notice(f"maintenance-{event.get('Code')}", key, action, begins - wall)


def lifecycle(text: str | None, budget: float) -> Iterator[Notice]:
    """Yield the termination by the scaling group, whose lifecycle hook delays it on request."""
    if terminated(text):
        yield Notice("scaling-group-terminates", "lifecycle", LEAVE, budget)


def terminated(text: str | None) -> bool:
    """Return whether this machine's target lifecycle state is `Terminated`."""
    return text is not None and text.strip() == "Terminated"


def block(end: float, goes: float, starts: float, wall: float) -> Iterator[Notice]:
    """Yield the end of a capacity block.

    Args:
        end: of the block, in seconds since 1970.
        goes: seconds before it at which machines are taken.
        starts: seconds before it at which the final checkpoint starts.
        wall: now.
    """
    if end - wall <= starts:
        yield Notice("capacity-block-end", "block", LEAVE, max(SPOT_UNSURE, end - goes - wall))


def moment(text: object) -> float | None:
    """Return the seconds since 1970 of a time as AWS writes it; None for anything else."""
    if isinstance(text, str):
        for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ", "%d %b %Y %H:%M:%S GMT"):
            try:
                return float(calendar.timegm(time.strptime(text, form)))
            except ValueError:
                continue
    return None


def _object(text: str | None) -> dict[str, Any]:
    value = _json(text)
    return value if isinstance(value, dict) else {}


def _json(text: str | None) -> object:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
