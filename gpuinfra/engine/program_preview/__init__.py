"""Preview of a Pulumi program from an empty state with sandbox plugins, without an account.

The program and the engine run in processes of their own; this one loads no Pulumi.
"""

import tempfile
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from gpuinfra.engine import install
from gpuinfra.engine.program_preview import (
    account_lookups,
    configuration,
    interpreter,
    project,
    stack_outputs,
    yaml_host,
    yaml_program,
)
from gpuinfra.engine.program_preview.event_digest import DigestCrashError
from gpuinfra.engine.program_preview.missing_configuration import (
    UnconfiguredError,
    with_config_hint,
)
from gpuinfra.engine.program_preview.preview_job import SANDBOX, PreviewJob
from gpuinfra.engine.program_preview.processes import PATIENCE, preview_processes
from gpuinfra.errors import EngineError, GpuinfraError
from gpuinfra.sandbox.variables import install_passthrough_plugins

Say = Callable[[str], None]

EMPTY: Final[Mapping[str, str]] = MappingProxyType({})
FILE: Final = "preview.json"


def preview_of(
    folder: Path,
    stack: str | None = None,
    config: Mapping[str, str] = EMPTY,
    note: Say = print,
    *,
    target_folder: Path,
    show_progress: Say = print,
    seconds: float = PATIENCE,
    config_unknown: bool = False,
) -> Path:
    """Preview a program on the Pulumi engine, and return the preview file.

    The program's code runs. It gets no credentials; every look-up is answered by the sandbox or
    refused; the engine writes nothing into its folder.

    Args:
        folder: the program's, with a Pulumi.yaml.
        stack: whose configuration it gets, as in Pulumi.<stack>.yaml; by default that of the only
            one there is.
        config: configuration that replaces the file's, by key.
        note: called with each note on the verdict, a sentence each.
        target_folder: a folder for the file, which is the caller's to delete.
        show_progress: called before the program's code runs.
        seconds: how long one run of it may take.
        config_unknown: take required configuration without a value as unknown, and run again.

    Returns:
        The file, as `pulumi preview --json --show-sames` writes it.

    Raises:
        InputError: the program can't be run here, lacks configuration, failed, or took too long.
        CloudError: the sandbox refused a resource, or did not answer a question.
        EngineError: there is no engine, or it failed. After each of these, `part_in` gives the
            file of what the program registered until then.
    """
    described = project.read_project(folder)
    settings_read = configuration.read(described, stack, config)
    engine = install.find()
    if find_spec("pulumi") is None:
        raise EngineError(
            "the sandbox's plugins need the Python package pulumi beside gpuinfra",
            fix="`pip install 'gpuinfra[sandbox]'`",
        )
    host = yaml_host.ensure(engine.path, show_progress) if described.runtime == "yaml" else None
    reads_engine_events = False
    while True:
        notes = list(settings_read.notes)
        try:
            with tempfile.TemporaryDirectory(prefix="gpuinfra-program-") as name:
                preview_path = Path(name)
                with preview_processes(preview_path / SANDBOX, seconds) as processes:
                    work = PreviewJob(
                        project=described,
                        configuration=settings_read,
                        engine=engine,
                        folder=preview_path,
                        processes=processes,
                        reads_engine_events=reads_engine_events,
                    )
                    path = _preview(work, host, notes.append, show_progress, target_folder / FILE)
        except DigestCrashError:
            if reads_engine_events:
                raise
            reads_engine_events = True
        except GpuinfraError as error:
            unknown_settings = settings_read.mark_unknown(
                _missing_keys(error, described, settings_read), described.name
            )
            if not config_unknown or unknown_settings == settings_read:
                _report_notes(note, notes, settings_read)
                raise with_config_hint(
                    error,
                    settings_read.unknown,
                    has_config=config_unknown,
                    optional=_optional_keys(described, settings_read),
                ) from None
            settings_read = unknown_settings
        else:
            _report_notes(note, notes, settings_read)
            return path


def _missing_keys(
    error: GpuinfraError, pulumi_project: project.Project, configured: configuration.Configuration
) -> tuple[str, ...]:
    """Return the keys that a program lacks: the one that it stopped at, and those to follow."""
    if not isinstance(error, UnconfiguredError) or not error.missing:
        return ()
    from gpuinfra.engine.program_preview import required_keys  # noqa: PLC0415  (few lack one)

    configured_keys = (*configured.plain_values, *configured.secrets, *pulumi_project.config)
    return (
        *error.missing,
        *required_keys.missing_keys(pulumi_project.program, pulumi_project.name, configured_keys),
    )


def _optional_keys(
    pulumi_project: project.Project, configured: configuration.Configuration
) -> tuple[str, ...]:
    """Return the keys that a program reads and nothing sets."""
    from gpuinfra.engine.program_preview import required_keys  # noqa: PLC0415  (few fail)

    configured_keys = (
        *configured.plain_values,
        *configured.secrets,
        *configured.unknown,
        *pulumi_project.config,
    )
    return required_keys.optional(pulumi_project.program, pulumi_project.name, configured_keys)


def part_in(target_folder: Path) -> Path | None:
    """Return the preview of a failed program's registered resources; None without one."""
    path = target_folder / FILE
    return path if path.exists() else None


def _report_notes(
    note: Say, notes: Iterable[str], configured: configuration.Configuration
) -> None:
    for sentence in (*notes, *configuration.unset_notes(configured)):
        note(sentence)


def _preview(
    work: PreviewJob, host: Path | None, note: Say, show_progress: Say, target: Path
) -> Path:
    """Preview a program and write the result; after a failure, the resources registered so far."""
    target.unlink(missing_ok=True)
    program = stack_outputs.NO_PROGRAM
    if host is not None:
        program = yaml_program.program_in(work.project.working)
    try:
        _preview_program(work, host, note, show_progress)
    except GpuinfraError as error:
        stack_outputs.hand_over_part(work.preview_path, work.events, target, program)
        raise account_lookups.with_hint(error, *_unanswered(work)) from None
    for sentence in account_lookups.notes(*_unanswered(work)):
        note(sentence)
    return stack_outputs.hand_over(work.preview_path, work.events, target, program)


def _unanswered(work: PreviewJob) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the look-ups with unknown answers, and the stacks with unknown outputs."""
    return (
        account_lookups.unknown_lookups(work.folder / SANDBOX),
        account_lookups.stack_references(work.preview_path),
    )


def _preview_program(work: PreviewJob, host: Path | None, note: Say, show_progress: Say) -> None:
    """Preview a program in YAML by its language host, or in Python."""
    environment = work.lay_out()
    program = work.project
    task = (
        f"running the code of {program.file.parent} ({program.runtime}) for a preview of stack "
        f"{work.configuration.stack}: sandbox plugins, an empty state, no credentials"
    )
    if host is not None:
        schemas = yaml_program.schemas(program)
        show_progress(task)
        install_passthrough_plugins(
            work.folder / SANDBOX, yaml_program.unsupported_packages(schemas)
        )
        work.write_schemas(schemas)
        work.yaml(environment, host)
        return
    interpreter_found = interpreter.find(program)
    note(interpreter_found.note)
    show_progress(task)
    install_passthrough_plugins(
        work.folder / SANDBOX,
        interpreter.installed_sdks(interpreter.packages_of(interpreter_found)),
    )
    work.python(environment, interpreter_found)
