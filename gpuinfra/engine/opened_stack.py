"""Opening of a stack for a run: its engine, folder and state, which must match."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pulumi.automation import errors as automation_errors  # noqa: TID253
from pulumi.automation._stack import StackInitMode  # noqa: TID253

from gpuinfra.engine import connection, install, preflight, run_ending, stack_state
from gpuinfra.engine.automation import InterruptibleCommand, LeanStack, LeanWorkspace, workspace
from gpuinfra.engine.contract import RunRequest
from gpuinfra.engine.program import TARGET_OUTPUT, GuardedProgram
from gpuinfra.errors import EngineError
from gpuinfra.records import record

_NO_LOGIN = "PULUMI_ACCESS_TOKEN must be set"
_LOGIN = (
    "for Pulumi Cloud, run `pulumi login` or export PULUMI_ACCESS_TOKEN; for your own state, run "
    "`mkdir -p ~/.pulumi-state`, then `export PULUMI_BACKEND_URL=file://~/.pulumi-state` (or a "
    "bucket: s3://my-states), and export PULUMI_CONFIG_PASSPHRASE; without an account, use "
    "--target sandbox"
)
"""https://www.pulumi.com/docs/iac/concepts/state-and-backends/"""

_NOT_ENCRYPTED = "passphrase must be set with PULUMI_CONFIG_PASSPHRASE"
_ENCRYPTED_WITH = (
    "export PULUMI_CONFIG_PASSPHRASE, the same each time, or PULUMI_CONFIG_PASSPHRASE_FILE, which "
    "names a file that has it"
)
"""https://www.pulumi.com/docs/iac/cli/environment-variables/"""


class NotDeployedError(EngineError):
    """The error for a stack that was never built on this target."""


@record
class OpenedStack:
    """An open stack with everything that a run needs.

    Attributes:
        folder: throw-away, gone when the stack is closed.
        before: the state as it was when the stack was opened.
    """

    request: RunRequest
    stack: LeanStack
    program: GuardedProgram
    command: InterruptibleCommand
    folder: Path
    before: stack_state.Snapshot


@contextmanager
def open_stack(request: RunRequest, *, create: bool) -> Generator[OpenedStack]:
    """Open the stack, after checking that its target, backend, plugins and state match.

    Raises:
        NothingStandsError: there is no such stack and `create` is false.
        EngineError: no engine, the wrong target, or the backend does not answer.
    """
    preflight.check(request)
    engine = install.find()
    connection.connect_separately()
    program = GuardedProgram(request.program, request.target)
    with workspace(engine, request, program) as (pulumi_workspace, command):
        try:
            stack, state_before = _select(request, pulumi_workspace, create=create)
        except automation_errors.ConcurrentUpdateError as error:
            raise run_ending.locked_error(str(error)) from error
        except automation_errors.CommandError as error:
            why, fix = _why_not_opened(run_ending.engine_error(str(error)))
            raise EngineError(
                f"stack {request.project}/{request.target.name} cannot be opened: {why}", fix=fix
            ) from error
        yield OpenedStack(
            request=request,
            stack=stack,
            program=program,
            command=command,
            folder=Path(pulumi_workspace.work_dir),
            before=state_before,
        )


def _why_not_opened(message: str) -> tuple[str, str]:
    """Return the reason in the CLI's error about a stack that it can't open, and the fix."""
    if _NO_LOGIN in message:
        return "no backend for stack states is set", _LOGIN
    if _NOT_ENCRYPTED in message:
        return "no passphrase is set for its secrets", _ENCRYPTED_WITH
    return message, ""


def _select(
    request: RunRequest, pulumi_workspace: LeanWorkspace, *, create: bool
) -> tuple[LeanStack, stack_state.Snapshot]:
    """Return the stack and its state; with `create`, create the stack if there is none."""
    stack = LeanStack(request.target.name, pulumi_workspace, StackInitMode.SELECT)
    try:
        snapshot = stack_state.Snapshot.exported_from(stack)
    except automation_errors.StackNotFoundError as error:
        if not create:
            raise NotDeployedError(
                f"nothing is deployed: {request.project} was never built on {request.target.name}"
            ) from error
        pulumi_workspace.create_stack(request.target.name)
        return stack, stack_state.Snapshot({})
    preflight.check_state(request, preflight.built_on(snapshot.outputs, TARGET_OUTPUT))
    return stack, snapshot
