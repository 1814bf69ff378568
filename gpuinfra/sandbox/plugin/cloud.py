"""What the plugin's core needs to know of the cloud that it stands in for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.check import Failure
from gpuinfra.sandbox.plugin.contract import Call, Handler
from gpuinfra.sandbox.plugin.diff import Condition
from gpuinfra.sandbox.plugin.naming import Naming
from gpuinfra.sandbox.plugin.schema import ResourceType, Schema
from gpuinfra.sandbox.plugin.world import World

Inputs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """Machines that a resource wants: what a no-capacity or quota fault is matched with."""

    machine: str
    zones: tuple[str, ...]
    capacity: str


@dataclass(frozen=True)
class Look:
    """What an invoke may use: the default region and clients for any region."""

    region: str
    client: Callable[[str, str], Any]
    default_tags: Mapping[str, str]


Invoke = Callable[[Look, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """One cloud's tables and rules.

    Attributes:
        version: of the provider SDK it stands in for.
        handlers: loads the types that live in moto; all others live in the ledger.
        conditions: per type, changes that replace only under a condition.
        needs: combinations of inputs that the cloud demands or forbids.
        chosen: inputs that the cloud adds where they are left out.
        verify: raises the cloud's refusal, looking at what else stands.
        made, updated: ids and outputs of what lives in the ledger.
        changing: outputs that an update changes.
        defaults: per type, values that mean the same as leaving the input out.
        asked: the machines a resource wants.
        no_capacity, no_quota: the refusals that faults of these kinds cause.
        invokes: loads the look-ups that are answered, by token.
    """

    package: str
    version: str
    schema: Schema
    handlers: Callable[[], Mapping[str, Handler]]
    naming: Callable[[str], Naming | None]
    conditions: Mapping[str, Mapping[str, Condition]]
    needs: Callable[[str, Inputs], list[Failure]]
    chosen: Callable[[Call], dict[str, Any]]
    verify: Callable[[World], None]
    made: Callable[[ResourceType, Call], tuple[str, dict[str, Any]]]
    updated: Callable[[ResourceType, Call, str, Inputs], dict[str, Any]]
    changing: Callable[[str], tuple[str, ...]]
    defaults: Mapping[str, Inputs]
    asked: Callable[[World], list[Asked]]
    no_capacity: Callable[[Asked], Exception]
    no_quota: Callable[[Asked], Exception]
    invokes: Callable[[], Mapping[str, Invoke]]
