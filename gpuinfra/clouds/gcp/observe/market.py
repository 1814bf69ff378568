"""How machines are bought, and what Google refuses together with it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.values import at, equals, flag, text, whole
from gpuinfra.model import UNKNOWN, Capacity, Known, Unknown

Check = tuple[Known, str]

SPOT: Final = "SPOT"
FLEX: Final = "FLEX_START"
BOUND: Final = "RESERVATION_BOUND"
_SPECIFIC: Final = "SPECIFIC_RESERVATION"
_RUN_SECONDS: Final = range(600, 604_801)
"""How long machines of flex-start may run:
https://docs.cloud.google.com/compute/docs/instances/about-flex-start-vms"""


@dataclass(frozen=True, slots=True)
class Market:
    """How machines are bought: `model` is Google's word for it, `capacity` ours.

    Flex-start and reserved machines cost at most what they cost on demand, and count so.
    """

    model: str | Unknown
    capacity: Capacity
    faults: tuple[str, ...] | Unknown


def market_of(launch: Layers, more: tuple[Check, ...] = ()) -> Market:
    """Return how an instance asks to be bought; `more` are the checks of its group."""
    scheduling = launch.get("scheduling")
    model = text(at(scheduling, "provisioningModel"))
    preemptible = flag(at(scheduling, "preemptible"))
    if model is None:
        model = UNKNOWN if preemptible is UNKNOWN else SPOT if preemptible else "STANDARD"
    if isinstance(model, Unknown) and preemptible is True:
        model = SPOT
    checks = [*more, *_checks(model, scheduling, launch.get("reservationAffinity"))]
    return Market(model, "spot" if model == SPOT else "on-demand", told(checks))


def told(checks: list[Check]) -> tuple[str, ...] | Unknown:
    """Return the words of what is surely wrong; UNKNOWN where something may be."""
    certain = tuple(words for fact, words in checks if fact is True)
    return UNKNOWN if not certain and any(fact is UNKNOWN for fact, _ in checks) else certain


def restarts(scheduling: Any) -> Known:
    """Say whether a machine is restarted by itself, as it is where nobody says no."""
    said = flag(at(scheduling, "automaticRestart"))
    return True if said is None else said


def _checks(model: str | Unknown, scheduling: Any, affinity: Any) -> Iterator[Check]:
    """The rules of each provisioning model (clouds table 2.3).

    https://docs.cloud.google.com/compute/docs/instances/provisioning-models
    """
    if isinstance(model, Unknown):
        yield UNKNOWN, "how its machines are bought is not known yet"
        return
    bound_to = text(at(affinity, "type"))
    migrates = equals(at(scheduling, "onHostMaintenance"), "MIGRATE")
    if model == SPOT:
        preemptible = flag(at(scheduling, "preemptible"))
        yield restarts(scheduling), "spot with automatic restart: set automatic_restart to false"
        yield _absent(preemptible), "spot without preemptible: set preemptible to true"
        yield migrates, "spot that migrates at host maintenance"
        yield equals(bound_to, _SPECIFIC), "spot from a reservation"
    if model == FLEX:
        yield restarts(scheduling), "flex-start with automatic restart"
        yield _lasts_wrongly(scheduling), "flex-start without max_run_duration of 600 to 604800 s"
        action = text(at(scheduling, "instanceTerminationAction"))
        yield _differs(action, "DELETE"), "flex-start that does not delete its machines at the end"
        reserved = bound_to is not None and _differs(bound_to, "NO_RESERVATION")
        yield reserved, "flex-start from a reservation"
    if model == BOUND:
        yield _differs(bound_to, _SPECIFIC), "reservation-bound without a specific reservation"


def _absent(value: bool | Unknown | None) -> Known:
    return value if isinstance(value, Unknown) else not value


def _differs(value: str | Unknown | None, wanted: str) -> Known:
    return UNKNOWN if isinstance(value, Unknown) else value != wanted


def _lasts_wrongly(scheduling: Any) -> Known:
    seconds = whole(at(scheduling, "maxRunDuration", "seconds"))
    if isinstance(seconds, Unknown):
        return UNKNOWN
    return seconds is None or seconds not in _RUN_SECONDS
