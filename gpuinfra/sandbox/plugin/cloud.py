"""The cloud-specific tables and functions that the plugin's core uses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuinfra.sandbox.ledger import Record
from gpuinfra.sandbox.plugin import diff
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError, Inputs
from gpuinfra.sandbox.plugin.diff import Condition, InputChange, Path
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.naming import Naming, keeps_given_name
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.schema import ResourceType, Schema
from gpuinfra.sandbox.plugin.server import NoServer, Server
from gpuinfra.sandbox.plugin.settings import ProviderSettings

Records = Callable[[str], list[Record]]


@dataclass(frozen=True, slots=True)
class MachineRequest:
    """The machines that a resource requests, to match with a no-capacity or quota fault.

    Attributes:
        price: the most that the program would pay for one, where it says so.
    """

    machine: str
    zones: tuple[str, ...]
    capacity: str
    price: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class FailedLaunch:
    """A group whose machines could not be started.

    Attributes:
        inputs: what it is made with instead, so that it has no machine.
        refusal: how its create fails; None where the program waits for no machine.
    """

    inputs: Mapping[str, Any]
    refusal: CloudRefusalError | None


@dataclass(frozen=True)
class LookupContext:
    """The context of an invoke: the settings, all records of a type, clients for any region."""

    settings: ProviderSettings
    records: Records
    client: Callable[[str, str], Any]


Invoke = Callable[[LookupContext, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Provider:
    """The provider's own settings.

    Attributes:
        known_settings: settings that it takes; any other is refused.
        read_settings: the settings from the provider's inputs and from the environment.
        problems: what is wrong with them, beyond unknown ones.
        replacing_settings: settings whose change needs a new provider.
    """

    known_settings: frozenset[str]
    read_settings: Callable[[Inputs], ProviderSettings]
    problems: Callable[[Inputs], list[Failure]]
    replacing_settings: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Throttling:
    """The cloud's throttling error.

    Attributes:
        codes: those that its SDKs try again on; a fault gives the first.
    """

    codes: tuple[str, ...]
    message: str

    def refusal(self) -> CloudRefusalError:
        """Return the error of one throttled call."""
        return CloudRefusalError(self.codes[0], self.message)


def _set_values(_kind: ResourceType, _call: Call, outputs: Inputs) -> dict[str, Any]:
    return {key: value for key, value in outputs.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """The tables and rules of one cloud.

    Attributes:
        version: of the provider SDK it stands in for.
        provider: the provider's own settings.
        server: the server in which types with a handler live; all others live in the ledger.
        throttling: how a throttled call is refused.
        in_use: codes with which a delete is refused while something uses the resource.
        naming: what a type demands of its name.
        conditions: per type, changes that replace only under a condition.
        input_failures: combinations of inputs that the cloud demands or forbids.
        token: a type as the tables name it, from one as a program may.
        fill_defaults: the inputs with what the provider's own check puts in, with those of the
            last update at hand; it becomes part of the state.
        add_provider_values: the inputs with what the provider's settings add: a project, default
            labels.
        server_defaults: inputs that the cloud adds on its server where they are left out.
        place_of: the location of a resource with these inputs: a region, a zone, a location.
        record_region: the place under which it is recorded; empty for what is once per account.
        takes_numbers_for_text: the provider's check turns a number into text where the tables
            expect a string; else it refuses it.
        whole_ids: an id contains its resource's location, so that it is unique in the cloud.
        canonical: an id as the cloud writes it, from one as a user may write it.
        verify: raises the cloud's refusal, by checking other existing resources.
        refuse_deletion: raises the cloud's refusal to delete what something else refers to.
        deleted_together: what goes with a resource that is deleted.
        importable: the inputs of an existing resource that a program may set.
        create_outputs, update_outputs: ids and outputs of resources that live in the ledger.
        changed_outputs: outputs that an update changes.
        complete_outputs: outputs with what follows from them and the inputs, without unset ones.
        preview_outputs: outputs that a preview knows beyond the inputs; `old` are those before
            an update.
        is_spelled_alike: values of a path that are spelled differently and say the same.
        is_path_changed: whether a path of the tables is about a change.
        deletes_first: whether a replacement deletes before it creates.
        single_use_types: types of which another thing has one at most, which a replacement deletes
            first.
        update_refusal: the refusal of an update that the plan holds for possible and the cloud
            does not.
        defaults: per type, values that mean the same as leaving the input out.
        machine_requests: the machines a resource wants.
        no_capacity, no_quota: the refusals that faults of these kinds cause.
        low_price: the refusal of spot machines at the program's price; None: it has none.
        permission_refusal: the refusal of an operation (create, update, delete) for want of a
            right.
        not_visible: the refusal of a reference to a resource not yet visible everywhere.
        failed_launch: a group that exists without machines.
        launches_after_create: types that the cloud makes at once, and whose provider then waits
            for machines: without capacity or quota the launch fails, not the create.
        invokes: loads the look-ups that are answered, by token.
    """

    package: str
    version: str
    schema: Schema
    provider: Provider
    throttling: Throttling
    in_use: frozenset[str]
    naming: Callable[[str], Naming | None]
    place_of: Callable[[ResourceType | None, ProviderSettings, Inputs], str]
    conditions: Mapping[str, Mapping[str, Condition]]
    input_failures: Callable[[str, Inputs], list[Failure]]
    verify: Callable[[OperationContext], None]
    create_outputs: Callable[[ResourceType, OperationContext], tuple[str, dict[str, Any]]]
    update_outputs: Callable[[ResourceType, OperationContext, str, Inputs], dict[str, Any]]
    machine_requests: Callable[[OperationContext], list[MachineRequest]]
    no_capacity: Callable[[MachineRequest], Exception]
    no_quota: Callable[[MachineRequest], Exception]
    invokes: Callable[[], Mapping[str, Invoke]]
    changed_outputs: Callable[[str], tuple[str, ...]]
    defaults: Mapping[str, Inputs]
    low_price: Callable[[MachineRequest], CloudRefusalError] | None = None
    permission_refusal: Callable[[Call, str], CloudRefusalError] | None = None
    not_visible: Callable[[OperationContext], CloudRefusalError | None] = lambda _context: None
    failed_launch: Callable[[OperationContext, MachineRequest], FailedLaunch | None] = (
        lambda _context, _demand: None
    )
    launches_after_create: frozenset[str] = frozenset()
    server: Callable[[], Server] = NoServer
    token: Callable[[str], str] = lambda token: token
    fill_defaults: Callable[
        [ResourceType, ProviderSettings, Records, Inputs, Inputs], dict[str, Any]
    ] = lambda _kind, _settings, _records, inputs, _old: dict(inputs)
    add_provider_values: Callable[[ResourceType, ProviderSettings, Inputs], dict[str, Any]] = (
        lambda _kind, _settings, inputs: dict(inputs)
    )
    server_defaults: Callable[[Call], dict[str, Any]] = lambda _call: {}
    record_region: Callable[[ResourceType | None, Call], str] = lambda _kind, call: call.region
    takes_numbers_for_text: bool = False
    whole_ids: bool = False
    canonical: Callable[[OperationContext, str], str] = lambda _context, resource_id: resource_id
    refuse_deletion: Callable[[OperationContext, str], None] = lambda _context, _id: None
    deleted_together: Callable[[OperationContext, str], list[Record]] = lambda _context, _id: []
    importable: Callable[[ResourceType, Inputs], dict[str, Any]] = lambda _, inputs: dict(inputs)
    complete_outputs: Callable[[ResourceType, Call, Inputs], dict[str, Any]] = _set_values
    preview_outputs: Callable[
        [ResourceType, ProviderSettings, Inputs, Inputs | None], dict[str, Any]
    ] = lambda _kind, _settings, _inputs, _old: {}
    is_spelled_alike: Callable[[str, Path, Any, Any], bool] = lambda _token, _path, _old, _new: (
        False
    )
    is_path_changed: Callable[[str, InputChange], bool] = diff.hits
    deletes_first: Callable[[Naming | None, Inputs, Inputs], bool] = keeps_given_name
    single_use_types: frozenset[str] = frozenset()
    update_refusal: Callable[
        [ResourceType, Inputs, Inputs, list[InputChange]], CloudRefusalError | None
    ] = lambda _kind, _old, _new, _changes: None
