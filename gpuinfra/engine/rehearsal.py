"""A stack's program run without an engine and without a cloud: what it would register."""

import asyncio
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import pulumi  # noqa: TID253
from pulumi.runtime import mocks, rpc  # noqa: TID253

from gpuinfra.catalog import CATALOG, Book
from gpuinfra.clouds import part
from gpuinfra.clouds.aws.rights.needs import Scope
from gpuinfra.clouds.order import Order
from gpuinfra.components.stack import StackComponent
from gpuinfra.model import Plan
from gpuinfra.planning.declaring import declared
from gpuinfra.stackfile import Stack

LOOKED_UP: Final = {
    "accountId": "000000000000",
    "insecureValue": "ami-00000000000000000",
    "rootDeviceName": "/dev/xvda",
    "availabilityZone": "",
    "cidrBlock": "10.0.0.0/16",
    "project": "project",
    "name": "name",
    "id": "id",
}
"""What look-ups answer, whatever is asked: the program needs some text to go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """A resource that a program registers; inputs that only a cloud tells are left out."""

    type: str
    name: str
    inputs: dict[str, Any]
    component: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What a stack's program made: its component, and everything below it."""

    root: StackComponent
    resources: tuple[Rehearsed, ...]


def rehearse(stack: Stack, plan: Plan, prices: Book = CATALOG) -> Rehearsal:
    """Run a stack file's program; nothing is asked of anybody, and nothing is made.

    A resource whose inputs can't be told without a cloud is not among `resources`, but stands
    below `root`.
    """
    with ThreadPoolExecutor(1) as elsewhere:  # its event loop is not the caller's
        return elsewhere.submit(
            _run, stack.name, lambda: StackComponent(stack, plan, prices=prices)
        ).result()


def rights_scope(stack: Stack, plan: Plan) -> Scope:
    """All that a stack file declares on AWS, by type and name."""
    regions = tuple(dict.fromkeys(g.rung.region for g in plan.groups if g.cloud == "aws"))
    places = (*regions, *(b.region for b in plan.buckets if b.cloud == "aws" and b.region))
    order = Order(name=stack.name, stack=stack.name, owner=stack.owner, region=places[0])
    found: Scope = part("aws", "declare.deploy").scope_of(
        order, declared(stack, plan).resources, places
    )
    return found


def _run(name: str, program: Callable[[], StackComponent]) -> Rehearsal:
    """Run a program in an event loop of its own, until nothing of it waits for anything."""
    nowhere = _Nowhere()
    monitor = _Monitor(nowhere)

    async def whole() -> StackComponent:
        pulumi.runtime.settings.SETTINGS.rpc_manager.clear()
        pulumi.runtime.settings.set_root_resource(None)  # type: ignore[arg-type]  # of no run
        mocks.set_mocks(nowhere, project=name, stack="rehearsal", preview=True, monitor=monitor)
        root = program()
        while waiting := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.gather(*waiting, return_exceptions=True)
        return root

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the SDK's own, on first touch
        root = asyncio.run(whole())
    return Rehearsal(root=root, resources=tuple(monitor.seen))


class _Nowhere(mocks.Mocks):
    """Answers nothing but what was said."""

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], list[Any]]:  # noqa: ARG002
        return dict(LOOKED_UP), []

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if args.typ == "pulumi:index:Stash":
            return args.name, {**args.inputs, "output": args.inputs.get("input")}
        return f"{args.name}-id", dict(args.inputs)


class _Monitor(mocks.MockMonitor):
    """Keeps what is registered."""

    def __init__(self, nowhere: _Nowhere) -> None:
        super().__init__(nowhere)
        self.seen: list[Rehearsed] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802  (the SDK's name)
        answer = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        if request.type != "pulumi:pulumi:Stack":
            self.seen.append(
                Rehearsed(
                    type=request.type,
                    name=request.name,
                    inputs=rpc.deserialize_properties(request.object),
                    component=not request.custom,
                )
            )
        return answer
