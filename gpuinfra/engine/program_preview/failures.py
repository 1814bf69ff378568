"""The reason why a preview failed: the program, its configuration, the sandbox, the engine."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from gpuinfra.engine import refusals, tracebacks
from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview import event_digest, interpreter
from gpuinfra.engine.program_preview.missing_configuration import (
    MOST_SHOWN,
    missing_configuration_error,
)
from gpuinfra.engine.program_preview.project import RUN_HINT, Project
from gpuinfra.errors import (
    CloudError,
    EngineError,
    GpuinfraError,
    InputError,
    Position,
    Problem,
    Refusal,
    shown_path,
)
from gpuinfra.model import STACK_REFERENCE
from gpuinfra.pulumi_special_values import shown_unknown
from gpuinfra.urns import name_of

_VALIDATING: Final = "validating stack config: "
_RAISED: Final = "python inline source runtime error: "
_UNHANDLED_PREFIX: Final = "an unhandled error occurred: "
_FRAME: Final = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?$')
_PROBLEM: Final = re.compile(
    r"^\S+ resource '[^']*'(?:: property (?P<property>\S+) value \{.*?\})? has a problem: ",
    re.DOTALL,
)
"""The engine's prefix of a plugin's message."""

_INVOCATION: Final = re.compile(
    r"(?:invoke of \S+ failed: |rpc error: code = \w+ desc = )?"
    r"invocation of (\S+) returned an error: "
)
_ABSENT: Final = re.compile(r"resource '[^']*' does not exist")
_REFERENCE: Final = f"::{STACK_REFERENCE}::"
_PROVIDER: Final = re.compile(r"::pulumi:providers:(?P<package>[\w-]+)::")
_NO_PLUGIN: Final = re.compile(r"no resource plugin 'pulumi-resource-(?P<package>[\w-]+)'")
_COMPONENT: Final = re.compile(r"the sandbox cannot construct (?P<type>\S+)")
_LOST_CONNECTION: Final = re.compile(
    r"resource monitor shut down|Resource monitor has terminated|the client connection is closing"
)
"""The program's complaint that the engine has gone: what follows from a cause, not one."""

_UNREADABLE: Final = re.compile(r"could not unmarshal '[^']*?(?P<file>[^/']+)': (?P<why>.+)")
"""The engine's complaint of a project file that it can't use."""

_TAIL: Final = 4

NOTHING_AFTER: Final = "nothing after it was checked"
MEND: Final = "correct the program; `pulumi preview` shows the same error"


def program_error(project: Project, diagnostics: Sequence[Diagnostic]) -> GpuinfraError:
    """Return the error for a failed preview of a program, by its diagnostics."""
    diagnostics = [
        diagnostic for diagnostic in diagnostics if not _LOST_CONNECTION.search(diagnostic.message)
    ] or diagnostics
    return (
        missing_configuration_error(_clean(diagnostic.message) for diagnostic in diagnostics)
        or _missing_answer_error(diagnostics)
        or _missing_plugin_error(diagnostics)
        or _resource_refusals(diagnostics)
        or event_digest.crash_error(diagnostics)
        or _program_exception(project, diagnostics)
        or EngineError(f"the engine failed: {_engines_own(diagnostics)}")
    )


def lost_program(diagnostics: Sequence[Diagnostic] | None) -> bool:
    """Return whether the program ended because its connection to the engine was lost."""
    return any(refusals.is_lost_process(diagnostic.message) for diagnostic in diagnostics or ())


def unusable_interpreter(interpreter: Path, reason: str) -> EngineError:
    """Return the error for an interpreter that can't run a Pulumi program."""
    return EngineError(
        f"{interpreter} can't run a Pulumi program: {_last_line(reason)}",
        fix="install the package pulumi into its environment (ours: `pip install "
        "'gpuinfra[engine]'`)",
    )


def stack_not_created(stack: str, wrote: str) -> GpuinfraError:
    """Return the error for a stack that the engine can't create, often due to Pulumi.yaml."""
    unreadable_match = _UNREADABLE.search(wrote)
    if unreadable_match:
        return InputError.of(
            f"the engine refuses Pulumi.yaml: {unreadable_match['why'].strip()}",
            fix=f"correct {unreadable_match['file']}; every `pulumi` command shows the same error",
        )
    return EngineError(
        f"the engine could not create stack {stack} for the preview: {_last_line(wrote)}"
    )


def crash_error(code: int, wrote: str) -> InputError:
    """Return the error for a program whose process ended early."""
    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
    return InputError.of(
        f"the program's process ended early, with {cause}",
        value=_last_line(wrote) if wrote.strip() else "",
        fix="let the program run to its end, also when it is previewed without an account",
    )


def _missing_answer_error(diagnostics: Sequence[Diagnostic]) -> CloudError | None:
    """Return the error for a stack reference, resource or look-up without an answer."""
    for diagnostic in diagnostics:
        if _REFERENCE in diagnostic.urn:
            name = shown_unknown(name_of(diagnostic.urn))
            reference_text = f"the stack reference {name}"
            return _unexplained_failure(
                reference_text, "the outputs of another stack are in its backend"
            )
        if diagnostic.urn and _ABSENT.search(diagnostic.message):
            return _unexplained_failure(
                refusals.subject(diagnostic.urn),
                "the resources that it reads or imports are in a cloud",
            )
        text = _strip_prefix(diagnostic.message).partition("\nTraceback")[0]
        refusal = refusals.unanswered_call_refusal(_INVOCATION.sub(r"invoke of \1 failed: ", text))
        if refusal is not None:
            why = (
                refusal.why if NOTHING_AFTER in refusal.why else f"{refusal.why}; {NOTHING_AFTER}"
            )
            fix = f"make the program work without the answer in a preview, or {RUN_HINT}"
            return CloudError([replace(refusal, why=why, fix=fix)])
    return None


def _unexplained_failure(program_text: str, location: str) -> CloudError:
    reason = f"{location}, and a check has no account there; {NOTHING_AFTER}"
    return CloudError([Refusal(what=program_text, why=reason, fix=RUN_HINT)])


def _missing_plugin_error(diagnostics: Sequence[Diagnostic]) -> EngineError | None:
    for diagnostic in diagnostics:
        if plugin := _NO_PLUGIN.search(diagnostic.message):
            message = (
                f"the program uses the package {plugin['package']}, for which the sandbox has"
            )
            return EngineError(f"{message} no provider plugin", why=NOTHING_AFTER, fix=RUN_HINT)
        if component := _COMPONENT.search(diagnostic.message):
            message = f"the component {component['type']} comes from a plugin that the sandbox"
            unknown = f"{message} doesn't have, so its resources are unknown"
            return EngineError(unknown, why=NOTHING_AFTER, fix=RUN_HINT)
    return None


def _resource_refusals(diagnostics: Sequence[Diagnostic]) -> CloudError | None:
    of_resources = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.urn and not _PROVIDER.search(diagnostic.urn)
    ]
    translated = refusals.translate(
        replace(diagnostic, message=_clean(diagnostic.message)) for diagnostic in of_resources
    )
    return CloudError(translated) if translated else None


def _program_exception(project: Project, diagnostics: Sequence[Diagnostic]) -> InputError | None:
    """Return the program's exception, located in its own files."""
    wrote = next(
        (diagnostic.message for diagnostic in diagnostics if _RAISED in diagnostic.message), None
    )
    if wrote is None:
        return _user_error(diagnostics)
    text = wrote.removeprefix(_UNHANDLED_PREFIX).removeprefix(_RAISED)
    locations = _traceback_locations(text, project.folder)
    said_last = (
        _last_line(tracebacks.without_tracebacks(text)) if not locations else _last_line(text)
    )
    missing = interpreter.NO_MODULE.match(said_last)
    problem = Problem(
        message=f"the program failed: {said_last}",
        value=" > ".join(locations) if len(locations) > 1 else "",
        fix=interpreter.install(project, missing["module"]) if missing else MEND,
        position=_position(locations[-1], project.folder) if locations else None,
    )
    return InputError([problem])


def _user_error(diagnostics: Sequence[Diagnostic]) -> InputError | None:
    """Return the SDK's own error (`pulumi.RunError`), or the faults of a YAML program."""
    sdk_errors = [
        diagnostic
        for diagnostic in diagnostics
        if not diagnostic.urn and "rpc error" not in diagnostic.message
    ]
    if not sdk_errors:
        return None
    problems = [
        Problem(
            message=f"the program failed: {' '.join(_strip_prefix(error.message).split())}",
            fix=MEND,
        )
        for error in sdk_errors[:MOST_SHOWN]
    ]
    return InputError(problems)


def _traceback_locations(text: str, folder: Path) -> list[str]:
    """Return the frames of a traceback in the program's folder, as file:line."""
    frame_locations = []
    for line in text.splitlines():
        frame = _FRAME.match(line)
        if frame and Path(frame["file"]).is_relative_to(folder):
            file = Path(frame["file"]).relative_to(folder)
            if not {"site-packages", "dist-packages"} & set(file.parts):
                frame_locations.append(f"{file}:{frame['line']}")
    return frame_locations


def _position(file_and_line: str, folder: Path) -> Position:
    """Return the position of a file:line, with the line's text."""
    name, _, number = file_and_line.rpartition(":")
    file, line = folder / name, int(number)
    try:
        text = file.read_text("utf-8", "replace").splitlines()[line - 1]
    except (OSError, IndexError):
        text = ""
    start = len(text) - len(text.lstrip()) + 1
    return Position(str(shown_path(file)), line, start, text)


def _strip_prefix(message: str) -> str:
    return message.removeprefix(_UNHANDLED_PREFIX).removeprefix(_RAISED)


def _clean(message: str) -> str:
    """Return a message without the engine's prefix before a plugin's words."""
    return _PROBLEM.sub(
        lambda hit: f"{hit['property']}: " if hit["property"] else "", _strip_prefix(message)
    ).removeprefix(_VALIDATING)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "without a message"


def _engines_own(diagnostics: Sequence[Diagnostic]) -> str:
    messages = [tracebacks.without_tracebacks(diagnostic.message) for diagnostic in diagnostics]
    return (
        "; ".join(dict.fromkeys(word.strip() for word in messages[-_TAIL:])) or "without a message"
    )
