"""Create, read, update and delete of resources, by a server's handler or in the ledger."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from gpuinfra.sandbox.ledger import AlreadyExistsError, Ledger, Record
from gpuinfra.sandbox.plugin import diff, fault_injection, forms, naming
from gpuinfra.sandbox.plugin.attempts import Attempts
from gpuinfra.sandbox.plugin.cloud import Cloud, LookupContext
from gpuinfra.sandbox.plugin.contract import (
    Call,
    CloudRefusalError,
    Handler,
    OperationTarget,
    PartialCreateError,
)
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.server import Server
from gpuinfra.sandbox.plugin.settings import ProviderSettings
from gpuinfra.urns import stack_of

T = TypeVar("T")


@dataclass
class Resources:
    """All resources of one provider.

    Every method raises CloudRefusalError when the cloud would refuse.
    """

    cloud: Cloud
    ledger: Ledger
    settings: ProviderSettings = field(default_factory=ProviderSettings)
    creates: fault_injection.RunningCreates = field(default_factory=fault_injection.RunningCreates)

    @cached_property
    def _server(self) -> Server:
        return self.cloud.server()

    @cached_property
    def _handlers(self) -> Mapping[str, Handler]:
        return self._server.handlers()

    @cached_property
    def attempts(self) -> Attempts:
        """The calls of the cloud, with their retries and refusals."""
        return Attempts(self.cloud, self.ledger, self._server)

    def _attempt(self, call: Call, work: Callable[[], T]) -> T:
        return self.attempts.retried(call.token, work)

    def knows(self, token: str) -> bool:
        """Return whether the type is in the tables or has a handler."""
        return self.cloud.schema.type(token) is not None or token in self._handlers

    def with_provider_settings(self, token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs with the values that the provider's settings add."""
        kind = self.cloud.schema.type(token)
        if kind is None:
            return dict(inputs)
        return self.cloud.add_provider_values(kind, self.settings, inputs)

    @property
    def lookup_context(self) -> LookupContext:
        """The context of an invoke."""
        return LookupContext(self.settings, self.ledger.records_of_type, self._server.client)

    def create(
        self, target: OperationTarget, inputs: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Create the resource; return its id and all outputs.

        The ledger notes the create until `Ledger.settle`, which waits for the engine's ear.
        """
        call = self._call_with_generated_name(target, inputs, {})
        context = self._world(call)
        self._refuse_when_lost(call)
        fault_injection.before_create(self.cloud, context, self.creates)
        fault_injection.deny(self.cloud, call, "create")
        short = fault_injection.unlaunched_group(self.cloud, context)
        unique = naming.unique(self.cloud.naming(call.token), call.inputs, call.region)
        self._attempt(call, lambda: self._verify(context, unique))
        with self.creates.resource(), self.ledger.noted_create(call.urn, self._home(call)):
            handler = self._handlers.get(call.token)
            if handler is not None:
                completed = self._complete_call(call, short.inputs if short else {})
                resource_id, outputs = self._attempt(call, lambda: handler.create(completed))
            else:
                resource_id, outputs = self._create_in_server(context)
            declared = {key: call.inputs[key] for key in (short.inputs if short else ())}
            outputs = self._complete(call, {**outputs, **declared})
            self._write(call, resource_id, outputs, unique)
            if short is not None and short.refusal is not None:
                raise PartialCreateError(short.refusal, resource_id, outputs)
        return resource_id, outputs

    def read(
        self, target: OperationTarget, resource_id: str, known: dict[str, Any]
    ) -> tuple[str, dict[str, Any]] | None:
        """Return the cloud's id and the current outputs; None, and forget it, if it is missing."""
        call = self._call(target, known, known)
        handler = self._handlers.get(call.token)
        record = self._record(call, resource_id)
        if handler is None:
            return (record.id, record.properties) if record else None
        is_lost = record is not None and record.server != self._server.start()
        outputs = None if is_lost else self._attempt(call, lambda: handler.read(call, resource_id))
        if outputs is None:
            self._forget(call, resource_id)
            return None
        outputs = self._complete(call, outputs)
        unique = naming.unique(self.cloud.naming(call.token), outputs, call.region)
        self._write(call, resource_id, outputs, unique, replaced_record=record)
        return resource_id, outputs

    def update(
        self,
        target: OperationTarget,
        resource_id: str,
        inputs: dict[str, Any],
        old: dict[str, Any],
        old_inputs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Update the resource in place and return all outputs; `old` are the previous ones."""
        call = self._call_with_generated_name(target, inputs, old)
        context = self._world(call)
        self._refuse_when_lost(call)
        fault_injection.before_update(self.cloud, context)
        fault_injection.deny(self.cloud, call, "update")
        self._refuse_rejected(call.token, inputs, old if old_inputs is None else old_inputs)
        self._attempt(call, lambda: self.cloud.verify(context))
        handler = self._handlers.get(call.token)
        record = self._record(call, resource_id)
        if handler is not None:
            full = self._complete_call(call)
            outputs = self._attempt(call, lambda: handler.update(full, resource_id, old))
        elif record is None:
            raise CloudRefusalError("NotFound", f"{call.token} {resource_id} does not exist")
        else:
            outputs = self._update_outputs(context, resource_id, old)
        outputs = self._complete(call, outputs)
        unique = naming.unique(self.cloud.naming(call.token), outputs, call.region)
        self._write(call, resource_id, outputs, unique, replaced_record=record)
        return outputs

    def delete(self, target: OperationTarget, resource_id: str, old: dict[str, Any]) -> None:
        """Delete the resource; a missing one is no error."""
        call = self._call(target, old, old)
        fault_injection.deny(self.cloud, call, "delete")
        fault_injection.before_delete(call.token)
        handler = self._handlers.get(call.token)
        record = self._record(call, resource_id)
        is_lost = record is not None and record.server != self._server.start()
        context = self._world(call)
        if handler is None:
            self._attempt(call, lambda: self.cloud.refuse_deletion(context, resource_id))
        elif not is_lost:
            self._attempt(call, lambda: handler.delete(call, resource_id, old))
        self._forget(call, resource_id, self.cloud.deleted_together(context, resource_id))

    def _home(self, call: Call) -> str:
        """Return the start of the server that holds the type; empty for the ledger."""
        return self._server.start() if call.token in self._handlers else ""

    def _record_region(self, call: Call) -> str:
        return self.cloud.record_region(self.cloud.schema.type(call.token), call)

    def _record(self, call: Call, resource_id: str) -> Record | None:
        place = None if self.cloud.whole_ids else self._record_region(call)
        record = self.ledger.get(call.token, place, resource_id)
        if record is not None:
            return record
        known = self.cloud.canonical(self._world(call), resource_id)
        return None if known == resource_id else self.ledger.get(call.token, place, known)

    def _forget(self, call: Call, resource_id: str, within: Iterable[Record] = ()) -> None:
        place = None if self.cloud.whole_ids else self._record_region(call)
        self.ledger.forget(call.token, place, resource_id, within)

    def _create_in_server(self, context: OperationContext) -> tuple[str, dict[str, Any]]:
        call = context.call
        self._attempt(call, lambda: None)
        kind = self.cloud.schema.type(call.token)
        if kind is None:
            return forms.fill("sandbox-<17 hex>", {}), dict(call.inputs)
        return self.cloud.create_outputs(kind, context)

    def _update_outputs(
        self, context: OperationContext, resource_id: str, old: dict[str, Any]
    ) -> dict[str, Any]:
        self._attempt(context.call, lambda: None)
        kind = self.cloud.schema.type(context.call.token)
        if kind is None:
            return dict(context.call.inputs)
        return self.cloud.update_outputs(kind, context, resource_id, old)

    def _verify(self, context: OperationContext, unique: str | None) -> None:
        call = context.call
        fault_injection.raise_not_visible(self.cloud, context)
        self.cloud.verify(context)
        taken = self.ledger.find_by_name(call.token, unique) if unique else None
        if taken is not None and self._still_exists(taken):
            naming.refuse_taken(self.cloud.naming(call.token), call.inputs)

    def _still_exists(self, record: Record) -> bool:
        handler = self._handlers.get(record.type)
        if handler is None:
            return True
        call = self._call(OperationTarget(record.urn, record.type, record.name), record.properties)
        call = replace(call, region=record.region or call.region)
        return handler.read(call, record.id) is not None

    def _refuse_rejected(
        self, token: str, inputs: Mapping[str, Any], old_inputs: Mapping[str, Any]
    ) -> None:
        kind = self.cloud.schema.type(token)
        if kind is None:
            return
        is_alike = partial(self.cloud.is_spelled_alike, token)
        changes = diff.compare(kind, old_inputs, inputs, {}, is_alike)
        refusal = self.cloud.update_refusal(kind, old_inputs, inputs, changes)
        if refusal is not None:
            raise refusal

    def _write(
        self,
        call: Call,
        resource_id: str,
        outputs: dict[str, Any],
        unique: str | None,
        replaced_record: Record | None = None,
    ) -> None:
        is_in_moto = call.token in self._handlers
        record = Record(
            type=call.token,
            id=resource_id,
            urn=call.urn,
            region=replaced_record.region if replaced_record else self._record_region(call),
            backend="moto" if is_in_moto else "ledger",
            server=self._home(call),
            unique_name=unique,
            properties=outputs,
            created_at=replaced_record.created_at if replaced_record else "",
        )
        if is_in_moto or replaced_record is not None:
            self.ledger.replace(record)
            return
        try:
            self.ledger.put(record)
        except AlreadyExistsError:
            naming.refuse_taken(self.cloud.naming(call.token), call.inputs)
            raise CloudRefusalError("AlreadyExists", f"{resource_id} already exists") from None

    def _complete(self, call: Call, outputs: dict[str, Any]) -> dict[str, Any]:
        kind = self.cloud.schema.type(call.token)
        return outputs if kind is None else self.cloud.complete_outputs(kind, call, outputs)

    def _call_with_generated_name(
        self, target: OperationTarget, inputs: dict[str, Any], old: Mapping[str, Any]
    ) -> Call:
        rule = self.cloud.naming(target.token)
        return self._call(target, naming.with_prefix_name(rule, inputs, old), old)

    def _call(
        self, target: OperationTarget, inputs: dict[str, Any], old: Mapping[str, Any] | None = None
    ) -> Call:
        kind = self.cloud.schema.type(target.token)
        plain = {
            key: value
            for key, value in inputs.items()
            if value is not None and not key.startswith("__")
        }
        plain = self.with_provider_settings(target.token, plain)
        place = self.cloud.place_of(kind, self.settings, {**(old or {}), **plain})
        return Call(
            token=target.token,
            name=target.name,
            urn=target.urn,
            inputs=plain,
            region=place,
            client=lambda service: self._server.client(service, place),
            settings=self.settings,
        )

    def _complete_call(self, call: Call, instead: Mapping[str, Any] | None = None) -> Call:
        defaults = self.cloud.server_defaults(call)
        return replace(call, inputs={**defaults, **call.inputs, **(instead or {})})

    def _world(self, call: Call) -> OperationContext:
        return OperationContext(call, self.ledger.records_of_type, self._handlers.__contains__)

    def _refuse_when_lost(self, call: Call) -> None:
        if not self._handlers:
            return
        lost = self.ledger.lost_records(self._server.start(), stack_of(call.urn))
        if lost:
            raise self._server.lost_stack_refusal(len(lost))
