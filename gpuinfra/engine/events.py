"""Readers of the engine's events: progress for a display, and a record of the run."""

import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gpuinfra.engine import differences, tracebacks
from gpuinfra.engine.contract import (
    Diagnostic,
    OnProgress,
    PolicyFinding,
    Progress,
    ReadCallback,
    ResourceStep,
)
from gpuinfra.pulumi_special_values import HIDDEN, SECRET, SIGNATURE

STACK_TYPE = "pulumi:pulumi:Stack"
PROVIDER_TYPE = "pulumi:providers:"

_FROM_PATH = re.compile(r"using pulumi-resource-\S+ from \$PATH")
"""The engine warns of a plugin on PATH, which in the sandbox is where they all are."""

_OUR_ANALYZER = re.compile(r"using pulumi-analyzer-\S+ from \$PATH")
"""What runs the packs is on PATH in every target: we put it there."""

OPERATIONS: Mapping[str, str] = {
    "create-replacement": "replace",
    "delete-replaced": "replace",
    "remove-pending-replace": "replace",
    "import-replacement": "replace",
    "read-replacement": "read",
    "discard": "read",
    "discard-replaced": "read",
}
"""The engine's finer operations, as the operation that a user means; others are as they are."""


class RunRecord:
    """The record of a run, filled by the engine's events; thread-safe.

    With `local_plugins` it is expected that plugins come from PATH.
    """

    def __init__(
        self,
        on_progress: OnProgress | None,
        *,
        local_plugins: bool = False,
        on_read: ReadCallback | None = None,
    ) -> None:
        self.steps: dict[str, ResourceStep] = {}
        self.diagnostics: list[Diagnostic] = []
        self.findings: list[PolicyFinding] = []
        self.outputs: Mapping[str, Any] = {}
        self.complete = threading.Event()
        self.broken: BaseException | None = None
        self._on_progress = on_progress
        self._local_plugins = local_plugins
        self._on_read = on_read
        self._started: dict[str, ResourceStep] = {}
        self._components: dict[str, ResourceStep] = {}
        self._lock = threading.Lock()

    @property
    def resource_steps(self) -> tuple[ResourceStep, ...]:
        """Each resource's operation in order of completion, then components that have not ended.

        A component ends with its outputs, which a program that fails does not register; it stands
        in the state all the same.
        """
        begun = (step for urn, step in self._components.items() if urn not in self.steps)
        return tuple(filter(is_user_resource, (*self.steps.values(), *begun)))

    @property
    def changes(self) -> dict[str, int]:
        """The number of resources by operation, without the stack itself and its providers."""
        return dict(Counter(step.operation for step in self.resource_steps if not step.failed))

    def read(self, event: Any) -> None:
        """Record an event of the type `pulumi.automation.EngineEvent`.

        The Automation API swallows what is raised here, so a fault is kept in `broken`.
        """
        try:
            with self._lock:
                self._record_event(event)
        except BaseException as fault:  # noqa: BLE001
            self.broken = self.broken or fault

    def report_message(self, message: str) -> None:
        """Write a message of gpuinfra to the progress stream."""
        self._report_progress(Progress(kind="note", message=message))

    def _record_event(self, event: Any) -> None:
        if event.resource_pre_event:
            self._start(event.resource_pre_event.metadata)
        elif event.res_outputs_event:
            self._end(event.res_outputs_event.metadata)
        elif event.res_op_failed_event:
            self._end(event.res_op_failed_event.metadata, failed=True)
        elif event.diagnostic_event:
            self._diagnose(event.diagnostic_event)
        elif event.policy_event:
            self._find(event.policy_event)
        elif event.cancel_event:
            self.complete.set()

    def _start(self, metadata: Any) -> None:
        step = step_of(metadata)
        self._started[step.urn] = _merge_steps(self._started.get(step.urn), step)
        if metadata.new and not metadata.new.custom:
            self._components[step.urn] = self._started[step.urn]
        self._show("start", self._started[step.urn])

    def _end(self, metadata: Any, *, failed: bool = False) -> None:
        step = step_of(metadata, failed=failed)
        if step.type == STACK_TYPE and metadata.new and metadata.new.outputs:
            self.outputs = reveal_value(metadata.new.outputs)
        begun = self._started.get(step.urn)
        planned_step = self.steps.pop(step.urn, None)
        ended = _merge_steps(planned_step, _merge_steps(begun, step) if begun else step)
        # A component ends twice, once registered and once with its outputs.
        self.steps[step.urn] = ended
        if planned_step is None or failed:
            self._show("failed" if failed else "done", ended)
        if self._on_read and not failed and is_user_resource(step):
            is_deleted = step.operation == "delete" or metadata.new is None
            read = None if is_deleted else metadata.new
            self._on_read(
                step.urn,
                None if read is None else reveal_value(read.inputs or {}),
                None if read is None else reveal_value(read.outputs or {}),
            )

    def _diagnose(self, event: Any) -> None:
        if event.severity not in ("warning", "error") or event.ephemeral:
            return
        diagnostic = Diagnostic(
            severity=event.severity, message=event.message.strip(), urn=event.urn or ""
        )
        if not diagnostic.message or diagnostic in self.diagnostics:
            return
        if self._local_plugins and _FROM_PATH.match(diagnostic.message):
            return
        if _OUR_ANALYZER.match(diagnostic.message):
            return
        self.diagnostics.append(diagnostic)
        message = tracebacks.without_tracebacks(diagnostic.message)
        self._report_progress(Progress(kind="message", urn=diagnostic.urn, message=message))

    def _find(self, event: Any) -> None:
        finding = PolicyFinding(
            pack=event.policy_pack_name,
            policy=event.policy_name,
            level=event.enforcement_level,
            message=event.message.strip(),
            urn=event.resource_urn or "",
        )
        if finding in self.findings:
            return
        self.findings.append(finding)
        self._report_progress(Progress(kind="policy", urn=finding.urn, message=finding.message))

    def _show(self, kind: Any, step: ResourceStep) -> None:
        if is_user_resource(step):
            self._report_progress(
                Progress(
                    kind=kind,
                    urn=step.urn,
                    type=step.type,
                    operation=step.operation,
                    done=sum(map(is_user_resource, self.steps.values())),
                    total=sum(map(is_user_resource, self._started.values())),
                )
            )

    def _report_progress(self, progress: Progress) -> None:
        if self._on_progress:
            self._on_progress(progress)


def is_user_resource(step: ResourceStep) -> bool:
    """Return whether a step's resource counts for users: not a stack and not a provider."""
    return step.type != STACK_TYPE and not step.type.startswith(PROVIDER_TYPE)


def step_of(metadata: Any, *, failed: bool = False) -> ResourceStep:
    """Return the step of an event's metadata."""
    operation = str(metadata.op.value)
    detailed = metadata.detailed_diff or {}
    differ = tuple(sorted(detailed)) or tuple(sorted(metadata.diffs or ()))
    if not differ and operation == "create-replacement" and metadata.old and metadata.new:
        # A replacement that the program itself triggers asks no provider what differs.
        differ = tuple(differences.paths(metadata.old.inputs or {}, metadata.new.inputs or {}))
    return ResourceStep(
        urn=metadata.urn,
        type=metadata.type,
        operation=OPERATIONS.get(operation, operation),
        differences=differ,
        causes=tuple(sorted(metadata.keys or ())),
        values=_values(differ, metadata),
        failed=failed,
    )


def _values(differ: Sequence[str], metadata: Any) -> tuple[tuple[str, Any, Any], ...]:
    """Return the changed values before and after, inputs over outputs; secrets are hidden."""
    old, new = metadata.old, metadata.new
    if not (differ and old and new):
        return ()
    sides = ((old.outputs, new.outputs), (old.inputs, new.inputs))
    changed_values: dict[str, tuple[str, Any, Any]] = {}
    for earlier_values, current_values in sides:
        for value in differences.values(
            differ, reveal_value(earlier_values or {}), reveal_value(current_values or {})
        ):
            changed_values[value[0]] = value
    return tuple(changed_values.values())


def _merge_steps(earlier: ResourceStep | None, later_step: ResourceStep) -> ResourceStep:
    """Merge two steps of a resource: a replacement has three, a refresh two."""
    if earlier is None:
        return later_step
    keep_replace = "replace" in (earlier.operation, later_step.operation)
    return ResourceStep(
        urn=later_step.urn,
        type=later_step.type,
        operation="replace" if keep_replace else later_step.operation,
        differences=later_step.differences or earlier.differences,
        causes=later_step.causes or earlier.causes,
        values=later_step.values or earlier.values,
        failed=earlier.failed or later_step.failed,
    )


def reveal_value(value: Any) -> Any:
    """Return a property value without Pulumi's envelopes; a secret is "[secret]"."""
    if isinstance(value, Mapping):
        if value.get(SIGNATURE) == SECRET:
            return HIDDEN
        return {key: reveal_value(nested_value) for key, nested_value in value.items()}
    if isinstance(value, list):
        return [reveal_value(nested_value) for nested_value in value]
    return value
