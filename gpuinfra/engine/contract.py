"""The input and output types of the engine package: frozen, readable without Pulumi."""

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from gpuinfra.errors import Position, Refusal
from gpuinfra.model import Resource
from gpuinfra.records import record

TargetName = Literal["sandbox", "cloud"]
Verb = Literal["preview", "up", "refresh", "destroy"]
Ending = Literal["fine", "refused", "program", "cloud", "engine", "interrupted"]
"""The ending of a run: fine; a policy refused; the program failed; a cloud refused; the engine
itself failed; a user interrupted it. Each has its exit code in `EXIT_CODES`."""

EXIT_CODES: Mapping[Ending, int] = {
    "fine": 0,
    "refused": 1,
    "program": 2,
    "cloud": 3,
    "engine": 3,
    "interrupted": 130,
}


@record
class Engine:
    """A Pulumi CLI of a supported version.

    Attributes:
        path: the executable, absolute.
        version: as it says of itself, without the "v".
        origin: where it was found, in words: "GPUINFRA_PULUMI", "PATH", "PULUMI_HOME", "cache".
    """

    path: Path
    version: str
    origin: str


@record
class EngineAttempt:
    """A place searched for an engine, or a way to install one, with its result.

    Attributes:
        description: the place or the way, in words.
        result: why it did not serve, or that it does.
        fix: what to change, as an instruction; empty when there is none or none is needed.
        engine: the engine, where it fits.
    """

    description: str
    result: str
    fix: str = ""
    engine: Engine | None = None


@record
class EngineStatus:
    """The result of `gpuinfra engine status`: the engine in use (None: none) and every place."""

    engine: Engine | None
    attempts: tuple[EngineAttempt, ...]


@record
class Target:
    """The target of a stack: the sandbox, or a real cloud.

    Attributes:
        name: also the Pulumi stack's name, so that the two never share a state.
        environment: what the Pulumi process needs on top of the caller's own environment; for
            the sandbox it is `gpuinfra.sandbox.environment()`.
    """

    name: TargetName
    environment: Mapping[str, str] = field(default_factory=dict)


@record
class Pack:
    """A CrossGuard policy pack on disk, and its configuration by policy name (or "all")."""

    folder: Path
    config: Mapping[str, Any] = field(default_factory=dict)


@record
class RunRequest:
    """A stack to work on.

    Attributes:
        project: the Pulumi project, which is the stack file's name.
        program: registers the resources; runs in this process.
        target: where to build.
        config: Pulumi configuration of this stack, for example {"gpuinfra:rung.trainer": "spot"}.
        packs: policy packs that judge a preview and an up.
        work_dir: folder with the Pulumi settings files to use and keep (`Pulumi.<stack>.yaml`);
            None keeps them nowhere.
    """

    project: str
    program: Callable[[], None]
    target: Target
    config: Mapping[str, str] = field(default_factory=dict)
    packs: tuple[Pack, ...] = ()
    work_dir: Path | None = None


@record
class Progress:
    """An event for a live display.

    Attributes:
        kind: "start" and "done" or "failed" of one resource's operation; "message" for a warning
            or an error of the engine, the program or a provider; "policy" for a finding; "note"
            for what gpuinfra itself says, a cancellation for instance.
        urn: of the resource, empty for none.
        type: its type token.
        operation: create, update, replace, delete, same, read, refresh, import.
        message: text of a message, a finding or a note.
        done: resources finished so far.
        total: resources seen so far; it grows while the program runs.
    """

    kind: Literal["start", "done", "failed", "message", "policy", "note"]
    urn: str = ""
    type: str = ""
    operation: str = ""
    message: str = ""
    done: int = 0
    total: int = 0


OnProgress = Callable[[Progress], None]

ReadCallback = Callable[[str, Mapping[str, Any] | None, Mapping[str, Any] | None], None]
"""Told a resource's URN, and its inputs and outputs as they were read; None where it is gone."""


@record
class ResourceStep:
    """An operation on a resource.

    Attributes:
        urn: of the resource.
        type: its type token.
        operation: create, update, replace, delete, same, read, refresh, import.
        differences: property paths that differ, sorted; empty for a create or a delete.
        causes: the properties that force a replacement.
        values: of differences, those whose values are short: each the path, before and after.
        failed: it was tried and did not end well.
    """

    urn: str
    type: str
    operation: str
    differences: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    values: tuple[tuple[str, Any, Any], ...] = ()
    failed: bool = False


@record
class Diagnostic:
    """A warning or an error that the engine, the program or a provider wrote."""

    severity: Literal["warning", "error"]
    message: str
    urn: str = ""


@record
class PolicyFinding:
    """A policy's violation.

    Attributes:
        policy: its name in the pack: the rule's id.
        level: "mandatory" (it stops the run) or "advisory".
        urn: of the resource; empty where it is about the whole stack.
        position: where in the stack file that is; None where the file does not say it.
    """

    pack: str
    policy: str
    level: str
    message: str
    urn: str = ""
    position: Position | None = None


@record
class Outcome:
    """The result of a preview, up, refresh or destroy.

    Attributes:
        verb: which one it was.
        ending: how it ended.
        reason: one sentence why, in words; empty when it is fine.
        changes: resources by operation: create, update, replace, delete, same, refresh, …
        steps: every resource's operation, in the order it ended; neither the stack itself nor
            its providers are resources here.
        diagnostics: warnings and errors.
        findings: policy findings, mandatory and advisory.
        refusals: what a cloud refused, translated.
        outputs: of the stack, as far as they are known; secrets are "[secret]".
        seconds: wall-clock time of the engine, without what came before it.
        work_left: operations an interrupted run left unfinished, in words.
    """

    verb: Verb
    ending: Ending
    reason: str = ""
    changes: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[ResourceStep, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    findings: tuple[PolicyFinding, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    work_left: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the run succeeded."""
        return self.ending == "fine"

    @property
    def exit_code(self) -> int:
        """The exit code of the command line for this ending.

        A destroy that leaves operations of unknown outcome has not deleted all for certain.
        """
        has_leftovers = self.verb == "destroy" and self.ending == "fine" and self.work_left
        return EXIT_CODES["cloud" if has_leftovers else self.ending]

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was or would be changed."""
        return not any(count for name, count in self.changes.items() if name not in NO_CHANGE)


NO_CHANGE = frozenset({"same", "read", "refresh"})
"""Operations that change no existing resource."""


@record
class StateResource:
    """A resource in the stack's state.

    Attributes:
        resource: as the rules and prices read it (`observe` takes it); secrets are unwrapped.
        id: the provider's own; empty for a component.
        custom: a provider made it; a component is not custom.
        created: when it was made, UTC; None when the state does not say.
        modified: when it was last changed, UTC.
        deleting: it was replaced and still waits to be deleted.
    """

    resource: Resource
    id: str
    custom: bool
    created: datetime | None
    modified: datetime | None
    deleting: bool = False


@record
class Pending:
    """A pending operation of an interrupted run; its outcome is unknown."""

    urn: str
    type: str
    operation: str


@record
class StackStatus:
    """The deployed resources according to the stack's state.

    Attributes:
        project: the Pulumi project.
        target: the Pulumi stack's name.
        resources: without provider resources and the stack itself.
        pending: operations an interrupted run left open.
        outputs: of the stack; secrets are "[secret]".
        config: Pulumi configuration of the last up (the rungs: "gpuinfra:rung.<workload>").
        updated: when the last run that changed the state ended, UTC.
    """

    project: str
    target: TargetName
    resources: tuple[StateResource, ...]
    pending: tuple[Pending, ...]
    outputs: Mapping[str, Any]
    config: Mapping[str, str]
    updated: datetime | None
