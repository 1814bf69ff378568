"""The engine package: finds or installs the Pulumi CLI, and runs stacks on it.

What others call (everything raises `gpuinfra.errors.EngineError` with the fix)::

    install.find() -> Engine                     a fitting Pulumi CLI; never installs
    install.ensure(progress=None) -> Engine      the same, installed when there is none
    install.status() -> EngineStatus             every place looked at, and what is there
    lifecycle.preview(request, on_event=None) -> Outcome
    lifecycle.up(request, on_event=None) -> Outcome
    lifecycle.refresh(request, on_event=None, *, preview_only=False, clear_pending=False)
    lifecycle.destroy(request, on_event=None, *, preview_only=False) -> Outcome
    lifecycle.current_status(request) -> StackStatus | None   the state's resources; None: no stack
    lifecycle.unlock(request) -> None                  frees a stack that a killed run left locked

    program_preview.preview_of(folder, stack, config, note, into=…) -> Path
        a strange program's preview in the sandbox, in processes of its own, as a file

The values are in `contract`. Importing this package, `install` or `program_preview` does not load
`pulumi`.
"""
