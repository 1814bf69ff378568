"""How machines of Google Cloud are bought: scheduling, by provisioning model, and reservations."""

from typing import Any

from gpuinfra.model import UNKNOWN

STANDARD = {"provisioningModel": "STANDARD", "onHostMaintenance": "TERMINATE"}
SPOT = {
    "provisioningModel": "SPOT",
    "preemptible": True,
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
}
FLEX = {
    "provisioningModel": "FLEX_START",
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
    "instanceTerminationAction": "DELETE",
    "maxRunDuration": {"seconds": 3600},
}
BOUND = {"provisioningModel": "RESERVATION_BOUND", "onHostMaintenance": "TERMINATE"}

NONE = {"type": "NO_RESERVATION"}
ANY = {"type": "ANY_RESERVATION"}
SPECIFIC = {"type": "SPECIFIC_RESERVATION"}
HIDDEN = {"type": UNKNOWN}

LONG = "flex-start without max_run_duration of 600 to 604800 s"


def lasts(seconds: Any) -> dict[str, Any]:
    return {"maxRunDuration": {"seconds": seconds}}
