"""Requests to the engine for a stack, and the typed results."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra import cost, planning, sandbox
from gpuinfra.api import checking, deployed_cost, targets
from gpuinfra.api.checking import StackCheck
from gpuinfra.clouds import provider_of
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, RunRequest, StackStatus, TargetName, Verb
from gpuinfra.engine.stack_settings import settings_file
from gpuinfra.errors import EngineError, SandboxError
from gpuinfra.model import Caps, Plan
from gpuinfra.stackfile import StackDocument

PLAN_REFUSED = "the rules refuse the plan; nothing was started"


@dataclass(frozen=True, kw_only=True)
class BuildResult:
    """The result of a preview or an up.

    Attributes:
        check: the stack file, judged on the rungs that were built.
        target: where it was built.
        outcome: how it ended: changes, steps, refusals, policy findings, outputs. Its `ending`
            is "refused" where the rules refuse the stack file; its `verb` is "preview" where an
            up ended with its preview.
    """

    check: StackCheck
    target: TargetName
    outcome: Outcome

    @property
    def ok(self) -> bool:
        """Whether the preview or up succeeded."""
        return self.outcome.ok

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The stack's outputs, as far as they are known; secrets are "[secret]"."""
        return self.outcome.outputs


@dataclass(frozen=True, kw_only=True)
class StatusResult:
    """The deployed resources of a stack, read from its state, with their plan and quote.

    Attributes:
        check: the stack file as it is now.
        target: the deployment target.
        standing: the resources in the state, and pending operations; None where there are neither.
        plan: the deployed resources as a plan; None where `standing` is.
        quote: what it costs; None where `standing` is.
    """

    check: StackCheck
    target: TargetName
    standing: StackStatus | None = None
    plan: Plan | None = None
    quote: cost.Quote | None = None

    @property
    def rungs(self) -> dict[str, str]:
        """The rungs of the deployed workloads, where an up named them."""
        return targets.kept_rungs(self.standing)


@dataclass(frozen=True, kw_only=True)
class PreparedStack:
    """A stack that is ready for the engine; `request` is None where the rules refuse it.

    `status` is its deployed state before.
    """

    check: StackCheck
    target: TargetName
    request: RunRequest | None
    status: StackStatus | None = None

    def refused_result(self, verb: Verb = "up") -> BuildResult:
        """Return the result where the rules refuse the stack and nothing was started."""
        outcome = Outcome(verb=verb, ending="refused", reason=PLAN_REFUSED)
        return BuildResult(check=self.check, target=self.target, outcome=outcome)


def status_of(check: StackCheck, target: TargetName) -> StatusResult:
    """Return the deployed resources of a checked stack file, priced by its terms."""
    status = lifecycle.current_status(targets.request(check, target, judged=False))
    if status is None or not (status.resources or status.pending):
        return StatusResult(check=check, target=target)
    resources = [resource.resource for resource in status.resources]
    plan, quote = deployed_cost.plan_and_quote(
        resources, check.stack, check.source.terms(check.as_of)
    )
    return StatusResult(check=check, target=target, standing=status, plan=plan, quote=quote)


def only_in_sandbox(document: StackDocument, *, even_if_destroyed: bool = False) -> bool:
    """Return whether a stack file was deployed only in the sandbox, judged by its folder.

    A build in a cloud leaves its settings beside the stack file. No cloud and no backend of a
    cloud's states is asked. `even_if_destroyed` includes a stack that has no resources any more.
    """
    if settings_file(document.path.parent, "cloud").exists():
        return False
    if not (even_if_destroyed or sandbox.knows(document.stack.name)):
        return False
    try:
        status = lifecycle.current_status(targets.state_request(document, "sandbox"))
    except (EngineError, SandboxError):
        return False
    return targets.built_from(status, document, even_if_destroyed=even_if_destroyed)


def preview_request(
    check: StackCheck, target: TargetName, *, update_images: bool = False
) -> PreparedStack:
    """Check the stack on its deployed rungs, and return the request for a preview."""
    check, status = plan_on_kept_rungs(check, target)
    if not check.ok:
        return PreparedStack(check=check, target=target, request=None, status=status)
    images = targets.images_of(status, renewed=update_images)
    request = targets.request(check, target, images=images)
    return PreparedStack(check=check, target=target, request=request, status=status)


def prepare(
    check: StackCheck,
    target: TargetName,
    *,
    unlock: bool = False,
    accepted: bool = False,
    update_images: bool = False,
    accept_hint: str = "pass replace_other=True",
) -> PreparedStack:
    """Check the stack on its deployed rungs, and return the request for an up.

    `accepted` lets it replace another stack file's resources; `accept_hint` says how.

    Raises:
        InputError: another stack file of this name is deployed in the sandbox.
        RefusedError: a cloud would build from images that the lock has not frozen.
        SandboxError: the sandbox lost resources of this stack.
    """
    if target == "cloud":
        targets.refuse_unresolved(check)
    if all_rungs_refused(check):
        return PreparedStack(check=check, target=target, request=None)
    if unlock:
        lifecycle.unlock(targets.request(check, target, judged=False))
    check, status = plan_on_kept_rungs(check, target)
    targets.same_source(status, check.document, accepted=accepted, way=accept_hint)
    if not check.ok:
        return PreparedStack(check=check, target=target, request=None)
    images = targets.images_of(status, renewed=update_images)
    request = targets.request(check, target, images=images)
    return PreparedStack(check=check, target=target, request=request, status=status)


def plan_on_kept_rungs(
    check: StackCheck, target: TargetName
) -> tuple[StackCheck, StackStatus | None]:
    """Return the stack on the rungs of the last up unless named now, and its status."""
    status = lifecycle.current_status(targets.request(check, target, judged=False))
    rungs = {**targets.kept_rungs(status), **check.rungs}
    workloads = {group.name for group in check.plan.groups}
    deployed_rungs = {
        workload: label for workload, label in rungs.items() if workload in workloads
    }
    return (
        check if deployed_rungs == check.rungs else checking.check_on_rungs(check, deployed_rungs)
    ), status


def all_rungs_refused(check: StackCheck) -> bool:
    """Return whether the rules refuse the stack on all rungs, so that no engine is needed.

    That is where a group has no rung left, or none has another than the one it is judged on.
    """
    open_ = [rung for rung in check.quote.rungs if rung.group not in check.rungs]
    rungs_left = Counter(quote.group for quote in open_ if quote.skip_reason is None)
    counts = [rungs_left[group] for group in {quote.group for quote in open_}]
    return not check.ok and (0 in counts or max(counts, default=1) == 1)


def buckets_deleted_with_content(status: StackStatus | None) -> dict[str, list[str]]:
    """Return, by cloud, the deployed buckets that the cloud deletes with their content."""
    by_cloud: dict[str, list[str]] = {}
    resources = [resource.resource for resource in status.resources] if status else []
    for bucket in planning.from_resources(resources, name="", caps=Caps()).buckets:
        if not provider_of(bucket.cloud).keeps_content:
            by_cloud.setdefault(bucket.cloud, []).append(bucket.name)
    return by_cloud
