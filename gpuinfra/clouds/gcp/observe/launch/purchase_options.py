"""The purchase options of machines, and the settings that Google refuses with each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds.observing.end_times import lasts_too_long, out_of_reach
from gpuinfra.clouds.observing.fault_texts import (
    Check,
    faults_of_checks,
    joined_faults,
    rule_faults,
)
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    at,
    equals,
    flag,
    is_present,
    opposite,
    text,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Capacity, Fault, Known, Unknown
from gpuinfra.records import record

STANDARD: Final = "STANDARD"
SPOT: Final = "SPOT"
FLEX: Final = "FLEX_START"
BOUND: Final = "RESERVATION_BOUND"
_SPECIFIC: Final = "SPECIFIC_RESERVATION"
_MODELS: Final = frozenset({STANDARD, SPOT, FLEX, BOUND})
_ENDLESS: Final = (
    "a termination action without a termination: set max_run_duration, or remove "
    "instance_termination_action"
)
_NO_ACTION: Final = (
    "a termination without a termination action: set instance_termination_action to STOP or "
    "DELETE; only spot machines have a default"
)
"""https://docs.cloud.google.com/sdk/gcloud/reference/compute/instances/create, of
--instance-termination-action: STOP is the default for spot only (2026-11-28)"""
_ACTIONS: Final = frozenset({None, "STOP", "DELETE"})
"""https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances"""

_LIMIT_SECONDS: Final = range(30, 120 * 86_400 + 1)
"""How long other machines may run:
https://docs.cloud.google.com/compute/docs/instances/limit-vm-runtime (2026-11-28)"""

_RUN_SECONDS: Final = range(600, 604_801)
"""How long machines of flex-start may run:
https://docs.cloud.google.com/compute/docs/instances/about-flex-start-vms"""


@record(kw_only=False)
class ObservedPurchase:
    """The purchase option of machines: `model` is Google's term, `capacity` gpuinfra's.

    Flex-start and reserved machines cost at most what they cost on demand, and count so; `ways`
    are the words of the machine table for them, one of which has to be there. `faults` are what
    Google refuses of it, and of machines that wait for their capacity.
    """

    model: str | Unknown
    capacity: Capacity
    faults: tuple[Fault, ...]
    ways: tuple[str, ...] | Unknown | None = None


def market_of(
    launch: LaunchSources, further_checks: tuple[Check, ...] = (), *, queued: Known = False
) -> ObservedPurchase:
    """Return how an instance is bought.

    Args:
        launch: how it starts.
        further_checks: the checks of its group on machines that wait for their capacity.
        queued: whether its group waits until it gets all of its machines.
    """
    scheduling = launch.get("scheduling")
    model = text(at(scheduling, "provisioningModel"))
    preemptible = flag(at(scheduling, "preemptible"))
    if model is None:
        model = UNKNOWN if preemptible is UNKNOWN else SPOT if preemptible else STANDARD
    if isinstance(model, Unknown) and preemptible is True:
        model = SPOT
    affinity = launch.get("reservationAffinity")
    flexible = (*further_checks, *_flex_checks(model, scheduling, affinity))
    return ObservedPurchase(
        model,
        "spot" if model == SPOT else "on-demand",
        (
            *rule_faults("spot-settings", faults_of_checks(_checks(model, scheduling, affinity))),
            *rule_faults("flex-start", faults_of_checks(flexible)),
        ),
        _other_terms(model, affinity, queued=queued),
    )


def merge_purchases(markets: Sequence[ObservedPurchase]) -> ObservedPurchase:
    """Return how a group of several versions is bought: on-demand where they differ."""
    first = markets[0]
    capacities = {market.capacity for market in markets}
    return replace(
        first,
        capacity=first.capacity if len(capacities) == 1 else "on-demand",
        faults=joined_faults(*(market.faults for market in markets)),
        ways=first.ways if len({market.ways for market in markets}) == 1 else UNKNOWN,
    )


def _other_terms(
    model: str | Unknown, affinity: Any, *, queued: Known
) -> tuple[str, ...] | Unknown | None:
    """Return the purchase terms, in the table's words, other than spot and plain on-demand."""
    if queued is True or model == FLEX:
        return ("flex-start",)
    if isinstance(model, Unknown) or queued is UNKNOWN:
        return UNKNOWN
    if model == BOUND:
        return ("reservation", "calendar")
    affinity_type = text(at(affinity, "type"))
    if model == SPOT or affinity_type not in {_SPECIFIC, UNKNOWN}:
        return None
    return UNKNOWN if isinstance(affinity_type, Unknown) else ("on-demand", "reservation")


def restarts(scheduling: Any) -> Known:
    """Return whether a machine is restarted automatically, which is the default."""
    automatic = flag(at(scheduling, "automaticRestart"))
    return True if automatic is None else automatic


def _checks(model: str | Unknown, scheduling: Any, affinity: Any) -> Iterator[Check]:
    """Yield the checks of each provisioning model.

    https://docs.cloud.google.com/compute/docs/instances/provisioning-models
    """
    if isinstance(model, Unknown):
        yield UNKNOWN, "the purchase option is not known yet"
        return
    bound_to = text(at(affinity, "type"))
    preemptible = flag(at(scheduling, "preemptible"))
    termination_action = text(at(scheduling, "instanceTerminationAction"))
    strange: Known = (
        UNKNOWN if isinstance(termination_action, Unknown) else termination_action not in _ACTIONS
    )
    yield strange, f"unknown termination action {termination_action}: use STOP or DELETE"
    yield (
        model not in _MODELS,
        f"unknown provisioning model {model}: use {', '.join(sorted(_MODELS))}",
    )
    if model == SPOT:
        migrates = equals(at(scheduling, "onHostMaintenance"), "MIGRATE")
        yield (
            restarts(scheduling),
            "spot with automatic restart: set scheduling.automaticRestart to false",
        )
        yield opposite(preemptible), "spot without preemptible: set preemptible to true"
        yield migrates, "spot that migrates at host maintenance"
        yield equals(bound_to, _SPECIFIC), "spot from a reservation"
        yield _has_node_affinities(scheduling), "spot on sole-tenant nodes (node_affinities)"
    elif model in _MODELS - {FLEX}:
        contrary = False if preemptible is None else preemptible
        yield contrary, f"preemptible with {model}: preemptible machines are spot"
    if model != FLEX:
        seconds = whole_number(at(scheduling, "maxRunDuration", "seconds"))
        yield (
            isinstance(seconds, int) and seconds not in _LIMIT_SECONDS,
            f"max_run_duration of {seconds} s: use {_LIMIT_SECONDS[0]} to {_LIMIT_SECONDS[-1]} s",
        )
    if model == STANDARD:
        action = is_present(at(scheduling, "instanceTerminationAction"))
        yield all_of((action, opposite(has_end_time(scheduling)))), _ENDLESS
        yield all_of((opposite(action), has_end_time(scheduling))), _NO_ACTION
    if model == BOUND:
        yield (
            _is_different(bound_to, _SPECIFIC),
            "reservation-bound without a specific reservation",
        )


def _flex_checks(model: str | Unknown, scheduling: Any, affinity: Any) -> Iterator[Check]:
    """Yield the checks of machines that wait for their capacity.

    https://docs.cloud.google.com/compute/docs/instances/about-flex-start-vms
    """
    if isinstance(model, Unknown):
        yield UNKNOWN, "the purchase option is not known yet"
    if model != FLEX:
        return
    preemptible = flag(at(scheduling, "preemptible"))
    yield restarts(scheduling), "flex-start with automatic restart"
    yield False if preemptible is None else preemptible, "flex-start that is preemptible"
    migrates = equals(at(scheduling, "onHostMaintenance"), "MIGRATE")
    yield migrates, "flex-start that migrates at host maintenance"
    seconds = whole_number(at(scheduling, "maxRunDuration", "seconds"))
    yield lasts_wrongly(seconds), "flex-start without max_run_duration of 600 to 604800 s"
    action = text(at(scheduling, "instanceTerminationAction"))
    yield (
        _is_different(action, "DELETE"),
        "flex-start that does not delete its machines at the end",
    )
    bound_to = text(at(affinity, "type"))
    reserved = bound_to is not None and _is_different(bound_to, "NO_RESERVATION")
    yield reserved, "flex-start from a reservation"
    yield _has_node_affinities(scheduling), "flex-start on sole-tenant nodes (node_affinities)"


def has_end_time(scheduling: Any) -> Known:
    """Return whether machines are ended after a duration, or at a time."""
    seconds, moment = (
        at(scheduling, "maxRunDuration", "seconds"),
        at(scheduling, "terminationTime"),
    )
    return any_of(
        (
            all_of((is_present(seconds), not lasts_too_long(seconds))),
            all_of((is_present(moment), not out_of_reach(moment))),
        )
    )


def lasts_wrongly(seconds: int | Unknown | None) -> Known:
    """Return whether the run duration is not one that flex-start supports."""
    if isinstance(seconds, Unknown):
        return UNKNOWN
    return seconds is None or seconds not in _RUN_SECONDS


def _has_node_affinities(scheduling: Any) -> Known:
    return is_present(at(scheduling, "nodeAffinities"))


def _is_different(value: str | Unknown | None, other: str) -> Known:
    return UNKNOWN if isinstance(value, Unknown) else value != other
