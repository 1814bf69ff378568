"""Create, read, update and delete: through a moto handler where one exists, else in the ledger."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from gpuinfra.sandbox.ledger import Ledger, Record, TakenError
from gpuinfra.sandbox.plugin import forms, naming, trouble
from gpuinfra.sandbox.plugin.clients import NO_SERVER, Clients, gone_message
from gpuinfra.sandbox.plugin.cloud import Cloud
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError, Handler
from gpuinfra.sandbox.plugin.world import World
from gpuinfra.sandbox.urns import stack_of

T = TypeVar("T")

# botocore's own standard: five attempts with growing pauses
# (boto3.amazonaws.com/v1/documentation/api/latest/guide/retries.html).
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.05
_THROTTLED = frozenset({"RequestLimitExceeded", "Throttling", "ThrottlingException"})


@dataclass(frozen=True)
class Target:
    """The resource that an operation is about; inputs are plain and complete."""

    urn: str
    token: str
    name: str


@dataclass
class Resources:
    """All resources of one provider: one region, one set of default tags.

    Every method raises CloudRefusalError when the cloud would say no.
    """

    cloud: Cloud
    ledger: Ledger
    clients: Clients
    region: str = ""
    default_tags: dict[str, str] = field(default_factory=dict)
    making: trouble.Making = field(default_factory=trouble.Making)

    @cached_property
    def _handlers(self) -> Mapping[str, Handler]:
        return self.cloud.handlers()

    def knows(self, token: str) -> bool:
        """Whether the type is in the tables or has a handler."""
        return self.cloud.schema.type(token) is not None or token in self._handlers

    def create(self, target: Target, inputs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Make it; returns its id and all outputs.

        The ledger notes the create until `Ledger.settle`, which waits for the engine's ear.
        """
        call = self._call(target, self._named(target.token, inputs))
        world = self._world(call)
        self._refuse_when_lost(call)
        trouble.before_create(self.cloud, world, self.making)
        unique = naming.unique(self.cloud.naming(call.token), call.inputs, call.region)
        self._attempt(call, lambda: self._verify(world, unique))
        with self.making.one(), self._noted(call):
            handler = self._handlers.get(call.token)
            if handler is not None:
                resource_id, outputs = self._attempt(
                    call, lambda: handler.create(self._completed(call))
                )
            else:
                resource_id, outputs = self._made(call)
            outputs = self._complete(call, outputs)
            self._write(call, resource_id, outputs, unique)
        return resource_id, outputs

    def read(
        self, target: Target, resource_id: str, known: dict[str, Any]
    ) -> dict[str, Any] | None:
        """All outputs as they are now; None, and forgotten, when it is gone."""
        call = self._call(target, known, known)
        handler = self._handlers.get(call.token)
        record = self.ledger.get(call.token, self._place(call), resource_id)
        if handler is None:
            return record.properties if record else None
        lost = record is not None and record.server != self.clients.server()
        found = None if lost else self._attempt(call, lambda: handler.read(call, resource_id))
        if found is None:
            self.ledger.forget(call.token, self._place(call), resource_id)
            return None
        found = self._complete(call, found)
        unique = naming.unique(self.cloud.naming(call.token), found, call.region)
        self._write(call, resource_id, found, unique, over=record)
        return found

    def update(
        self, target: Target, resource_id: str, inputs: dict[str, Any], old: dict[str, Any]
    ) -> dict[str, Any]:
        """Change it in place; returns all outputs."""
        call = self._call(target, self._named(target.token, inputs, old), old)
        world = self._world(call)
        self._refuse_when_lost(call)
        trouble.before_update(self.cloud, world)
        self._attempt(call, lambda: self.cloud.verify(world))
        handler = self._handlers.get(call.token)
        record = self.ledger.get(call.token, self._place(call), resource_id)
        if handler is not None:
            outputs = self._attempt(
                call, lambda: handler.update(self._completed(call), resource_id, old)
            )
        elif record is None:
            raise CloudRefusalError("NotFound", f"{call.token} {resource_id} does not exist")
        else:
            self._attempt(call, lambda: None)
            outputs = self._updated(call, resource_id, old)
        outputs = self._complete(call, outputs)
        unique = naming.unique(self.cloud.naming(call.token), outputs, call.region)
        self._write(call, resource_id, outputs, unique, over=record)
        return outputs

    def delete(self, target: Target, resource_id: str, old: dict[str, Any]) -> None:
        """Remove it; gone already is fine."""
        call = self._call(target, old, old)
        handler = self._handlers.get(call.token)
        record = self.ledger.get(call.token, self._place(call), resource_id)
        lost = record is not None and record.server != self.clients.server()
        if handler is None:
            self._attempt(call, lambda: None)
        elif not lost:
            self._attempt(call, lambda: handler.delete(call, resource_id, old))
        self.ledger.forget(call.token, self._place(call), resource_id)

    @contextmanager
    def _noted(self, call: Call) -> Iterator[None]:
        in_moto = call.token in self._handlers
        self.ledger.begin(call.urn, self.clients.server() if in_moto else "")
        try:
            yield
        except BaseException:
            self.ledger.settle(call.urn)
            raise

    def _place(self, call: Call) -> str:
        """The region under which it is recorded; empty for what AWS has once per account."""
        kind = self.cloud.schema.type(call.token)
        return call.region if kind is None or "region" in kind.inputs else ""

    def _made(self, call: Call) -> tuple[str, dict[str, Any]]:
        self._attempt(call, lambda: None)
        kind = self.cloud.schema.type(call.token)
        if kind is None:
            return forms.fill("sandbox-<17 hex>", {}), dict(call.inputs)
        return self.cloud.made(kind, call)

    def _updated(self, call: Call, resource_id: str, old: dict[str, Any]) -> dict[str, Any]:
        kind = self.cloud.schema.type(call.token)
        if kind is None:
            return dict(call.inputs)
        return self.cloud.updated(kind, call, resource_id, old)

    def _verify(self, world: World, unique: str | None) -> None:
        call = world.call
        self.cloud.verify(world)
        taken = self.ledger.named(call.token, unique) if unique else None
        if taken is not None and self._stands(taken):
            self._refuse_taken(call)

    def _stands(self, record: Record) -> bool:
        handler = self._handlers.get(record.type)
        if handler is None:
            return True
        target = Target(record.urn, record.type, record.name)
        call = replace(self._call(target, record.properties), region=record.region or self.region)
        return handler.read(call, record.id) is not None

    def _refuse_taken(self, call: Call) -> None:
        rule = self.cloud.naming(call.token)
        if rule is not None:
            name = call.inputs.get(rule.key)
            raise CloudRefusalError(rule.duplicate, rule.taken.format(name=name))

    def _write(
        self,
        call: Call,
        resource_id: str,
        outputs: dict[str, Any],
        unique: str | None,
        over: Record | None = None,
    ) -> None:
        in_moto = call.token in self._handlers
        record = Record(
            type=call.token,
            id=resource_id,
            urn=call.urn,
            region=self._place(call),
            where="moto" if in_moto else "ledger",
            server=self.clients.server() if in_moto else "",
            unique_name=unique,
            properties=outputs,
            made=over.made if over else "",
        )
        if in_moto or over is not None:
            self.ledger.replace(record)
            return
        try:
            self.ledger.put(record)
        except TakenError:
            self._refuse_taken(call)
            raise CloudRefusalError("AlreadyExists", f"{resource_id} already exists") from None

    def _complete(self, call: Call, outputs: dict[str, Any]) -> dict[str, Any]:
        kind = self.cloud.schema.type(call.token)
        if kind is None:
            return outputs
        complete = {key: value for key, value in outputs.items() if value is not None}
        if "region" in kind.inputs:
            complete.setdefault("region", call.region)
        if self.default_tags and "tagsAll" in kind.computed:
            own = call.inputs.get("tags") or {}
            merged = complete.get("tagsAll") or self.default_tags | own
            complete["tagsAll"] = merged
            tags = {
                key: value
                for key, value in merged.items()
                if key in own or self.default_tags.get(key) != value
            }
            complete["tags"] = tags
            if not tags and "tags" not in call.inputs:
                del complete["tags"]
        return complete

    def _named(
        self, token: str, inputs: dict[str, Any], old: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        rule = self.cloud.naming(token)
        prefix = inputs.get(f"{rule.key}Prefix") if rule else None
        if rule is None or prefix is None or inputs.get(rule.key):
            return inputs
        made = (old or {}).get(rule.key) or forms.fill(f"{prefix}<26 hex>", {})[: rule.maximum]
        return {**inputs, rule.key: made}

    def _call(
        self, target: Target, inputs: dict[str, Any], old: Mapping[str, Any] | None = None
    ) -> Call:
        region = inputs.get("region") or (old or {}).get("region") or self.region
        plain = {
            key: value
            for key, value in inputs.items()
            if value is not None and not key.startswith("__")
        }
        kind = self.cloud.schema.type(target.token)
        if self.default_tags and kind is not None and "tagsAll" in kind.computed:
            plain["tagsAll"] = self.default_tags | (plain.get("tags") or {})
        return Call(
            token=target.token,
            name=target.name,
            urn=target.urn,
            inputs=plain,
            region=region,
            client=lambda service: self.clients.get(service, region),
        )

    def _completed(self, call: Call) -> Call:
        return replace(call, inputs={**self.cloud.chosen(call), **call.inputs})

    def _world(self, call: Call) -> World:
        return World(call, self.ledger.of_type, self._handlers.__contains__)

    def _refuse_when_lost(self, call: Call) -> None:
        lost = self.ledger.lost(self.clients.server(), stack_of(call.urn))
        if lost:
            raise CloudRefusalError(NO_SERVER, gone_message(len(lost)))

    def _attempt(self, call: Call, work: Callable[[], T]) -> T:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                trouble.throttle(call.token)
                return self.guarded(work)
            except CloudRefusalError as refusal:
                if refusal.code not in _THROTTLED or attempt == _ATTEMPTS:
                    raise
            time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def guarded(self, work: Callable[[], T]) -> T:
        """Do the work; what boto3 raises becomes CloudRefusalError."""
        from botocore.exceptions import (  # noqa: PLC0415  loaded with the first operation
            ClientError,
            EndpointConnectionError,
            HTTPClientError,
        )

        try:
            return work()
        except ClientError as error:
            problem = error.response["Error"]
            raise CloudRefusalError(problem["Code"], problem.get("Message", "")) from error
        except (EndpointConnectionError, HTTPClientError) as error:
            lost = len(self.ledger.lost(""))
            raise CloudRefusalError(NO_SERVER, gone_message(lost)) from error
