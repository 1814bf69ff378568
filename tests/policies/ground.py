"""A stack of a few machines under a policy pack, on the real engine and the sandbox."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpuinfra import sandbox
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, Pack, RunRequest, Target

POLICIES = Path(__file__).parents[2] / "policies"
AS_OF = "2026-08-01"

ANALYZER, LANGUAGE_HOST = "analyzer", "language host"
"""The two ways in which the engine starts a pack."""

BOTH_WAYS = pytest.mark.parametrize("environment", [ANALYZER, LANGUAGE_HOST], indirect=True)

PerHour = Decimal
"""USD an hour on demand; what the disk and the address of a machine add is below two dollars."""


@dataclass(frozen=True)
class Kind:
    """One way to ask for machines.

    Attributes:
        token: the type of the one resource with which the machines come.
        make: registers a machine's resources, given what all machines share; gives that one.
    """

    token: str
    make: Callable[["Ground", str, Any], pulumi.Resource]


@dataclass(frozen=True)
class Cloud:
    """What a cloud's machines are asked for with.

    Attributes:
        price: of a machine.
        kinds: instance; group, of a fixed size; and pool, sized by what is registered after it.
        running: how many machines run, or may, for a ground's project.
        shared: registers what all machines of a program stand in.
        unpriced: registers, after other resources, what has no price: a type, or a machine.
        unpriced_type: the type that has no price.
    """

    name: str
    price: PerHour
    kinds: Mapping[str, Kind]
    running: Callable[["Ground"], int]
    unpriced: Mapping[str, Callable[[list[pulumi.Resource]], None]]
    unpriced_type: str
    shared: Callable[["Ground"], Any] = lambda _: None


def refusing(outcome: Outcome) -> set[str]:
    """The rules that refuse; what is only told is left out."""
    return {finding.policy for finding in outcome.findings if finding.level == "mandatory"}


def cloud(name: str) -> Cloud:
    """The cloud of that name."""
    loaded: Cloud = import_module(f"tests.policies.grounds.{name}").CLOUD
    return loaded


@dataclass(frozen=True)
class Stood:
    """What a state file says: machines that stand, and machines that may."""

    names: tuple[str, ...]
    pending: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names) + len(self.pending)


@dataclass(frozen=True)
class Ground:
    """One stack under the budget pack.

    Attributes:
        project: the Pulumi project, a name of the test's own.
        environment: what the engine runs under.
        cloud: where the machines are.
        kind: of the cloud's kinds.
        pack: a folder of `policies`.
        edition: 0 or 1; the other one replaces an instance, and a group's template.
        size: how many machines a group or a pool may have.
        deletes_first: whether a replaced instance goes before the new one comes.
    """

    project: str
    environment: dict[str, str]
    cloud: Cloud
    kind: str = "instance"
    pack: str = "budget"
    edition: int = 0
    size: int = 1
    deletes_first: bool = False

    @property
    def price(self) -> Decimal:
        return self.cloud.price

    @property
    def options(self) -> pulumi.ResourceOptions:
        """The options of an instance."""
        return pulumi.ResourceOptions(delete_before_replace=self.deletes_first or None)

    def register(self, names: Sequence[str]) -> list[pulumi.Resource]:
        """Register machines of these names, with what they stand in."""
        shared = self.cloud.shared(self)
        return [self.cloud.kinds[self.kind].make(self, name, shared) for name in names]

    def up(
        self,
        names: Sequence[str],
        cap: Decimal | float | None = None,
        *,
        verb: Callable[[RunRequest], Outcome] = lifecycle.up,
        first: Callable[[], object] | None = None,
        then: Callable[[list[pulumi.Resource]], object] | None = None,
        **settings: Any,
    ) -> Outcome:
        """Bring up these machines under a cap in USD an hour.

        `first` registers something before them, `then` something that depends on them.
        """

        def program() -> None:
            if first is not None:
                first()
            made = self.register(names)
            if then is not None:
                then(made)

        if cap is not None:
            settings["budget"] = {**settings.get("budget", {}), "per_hour": float(cap)}
        settings["prices"] = {"accept_outdated": True, **settings.get("prices", {})}
        config = {"settings": {"as_of": AS_OF, **settings}}
        return verb(self.request(program, config))

    def request(self, program: Callable[[], None], config: dict[str, object]) -> RunRequest:
        return RunRequest(
            project=self.project,
            program=program,
            target=Target(name="sandbox", environment=self.environment),
            packs=(Pack(folder=POLICIES / self.pack, config=config),),
        )

    @property
    def state_file(self) -> Path:
        backend = Path(self.environment["PULUMI_BACKEND_URL"].removeprefix("file://"))
        return backend / ".pulumi" / "stacks" / self.project / "sandbox.json"

    def stood(self) -> Stood:
        """What the state file says, read without Pulumi."""
        deployment = json.loads(self.state_file.read_text())["checkpoint"]["latest"] or {}
        kind = self.cloud.kinds[self.kind].token

        def machines(entries: Sequence[dict[str, object]]) -> tuple[str, ...]:
            return tuple(
                sorted(
                    str(entry["urn"]).rpartition("::")[2].removesuffix("-scaler")
                    for entry in entries
                    if entry["type"] == kind
                )
            )

        pending = [
            operation["resource"] for operation in deployment.get("pending_operations") or []
        ]
        return Stood(machines(deployment.get("resources") or []), machines(pending))

    def running(self) -> int:
        """How many machines the cloud runs, or may, for this project."""
        return self.cloud.running(self)

    def ledger(self) -> list[sandbox.SandboxResource]:
        """What the sandbox's ledger knows of this project."""
        return [
            record
            for record in sandbox.existing_resources()
            if record.urn.split("::")[1] == self.project
        ]
