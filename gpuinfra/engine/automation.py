"""Pulumi's Automation API with one opened stack and commands that can be interrupted."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from pulumi import automation  # noqa: TID253
from pulumi.automation import errors as automation_errors  # noqa: TID253
from pulumi.automation._cmd import CommandResult  # noqa: TID253
from semver import VersionInfo

from gpuinfra import logs
from gpuinfra.engine import stack_settings
from gpuinfra.engine.contract import Engine, RunRequest

ANALYZER = "pulumi-analyzer-policy-python"
QUIET = {"PULUMI_SKIP_UPDATE_CHECK": "true"}
OFFLINE = {"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true"}
"""The sandbox's plugins are all there is; a missing one is not looked for on the internet."""


class InterruptibleCommand(automation.PulumiCommand):
    """The Pulumi CLI in its own session, so that only gpuinfra forwards Ctrl-C to it.

    The engine ends an update cleanly on its first SIGINT and at once on the second; a terminal
    would send it to the engine, its plugins and this process alike.
    """

    def __init__(self, engine: Engine) -> None:
        self.command = str(engine.path)
        self.version = VersionInfo.parse(engine.version)
        self.interrupted = False
        self._running: subprocess.Popen[str] | None = None

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the engine, if it runs; SIGKILL goes to its whole process group."""
        self.interrupted = True
        running = self._running
        if running is None or running.poll() is not None:
            return
        if number is signal.SIGKILL:
            os.killpg(running.pid, number)
        else:
            running.send_signal(number)

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: Callable[[str], Any] | None = None,
        on_error: Callable[[str], Any] | None = None,
    ) -> CommandResult:
        """Run the CLI with these arguments; raises `CommandError` when it fails."""
        environment = {**os.environ, **additional_env, "PULUMI_AUTOMATION_API": "true"}
        logs.debug("run %s %s in %s", self.command, args[0], cwd)  # the rest may be secret
        with subprocess.Popen(
            [self.command, "--non-interactive", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=environment,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            self._running = process
            outputs: tuple[list[str], list[str]] = ([], [])
            readers = [
                threading.Thread(
                    target=_forward_lines, args=(stream, lines, callback), daemon=True
                )
                for stream, lines, callback in (
                    (process.stdout, outputs[0], on_output),
                    (process.stderr, outputs[1], on_error),
                )
            ]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
            process.wait()
        result = CommandResult("\n".join(outputs[0]), "\n".join(outputs[1]), process.returncode)
        if process.returncode != 0:
            raise automation_errors.create_command_error(result)
        return result


class LeanWorkspace(automation.LocalWorkspace):
    """A workspace that selects no stack: every command names one, which saves a call."""

    def select_stack(self, stack_name: str) -> None:
        """Select nothing; the first command on a missing stack fails."""


class LeanStack(automation.Stack):
    """A stack that doesn't read results back after a run, which saves three calls."""

    def outputs(self) -> automation.OutputMap:
        """Return no outputs; the record of the events has them."""
        return {}

    def info(self, show_secrets: bool = True) -> automation.UpdateSummary:  # noqa: ARG002
        """Return an empty summary, which the commands expect."""
        return automation.UpdateSummary(
            kind="", start_time=datetime.now(UTC), message="", environment={}, config={}, result=""
        )


def _forward_lines(
    stream: IO[str], lines: list[str], callback: Callable[[str], Any] | None
) -> None:
    try:
        for line in stream:
            lines.append(line.rstrip())
            if callback:
                callback(line.rstrip())
    except ValueError:
        if not stream.closed:  # an interruption closes it under the reader
            raise


@contextmanager
def workspace(
    engine: Engine, request: RunRequest, program: Callable[[], None]
) -> Generator[tuple[LeanWorkspace, InterruptibleCommand]]:
    """Create a temporary folder with the project's settings, and give its workspace."""
    command = InterruptibleCommand(engine)
    with tempfile.TemporaryDirectory(prefix="gpuinfra-") as folder:
        work, tools = Path(folder, "work"), Path(folder, "bin")
        work.mkdir()
        _write_analyzer(tools)
        stack_settings.lay_out(request, work)
        yield (
            LeanWorkspace(
                work_dir=str(work),
                program=program,
                env_vars=environment(engine, request, tools),
                project_settings=automation.ProjectSettings(
                    name=request.project, runtime="python", main=str(Path.cwd())
                ),
                pulumi_command=command,
            ),
            command,
        )


def environment(engine: Engine, request: RunRequest, tools: Path) -> dict[str, str]:
    """Return the engine's environment: the target's, quiet, with the policy runner on PATH.

    The target's PATH comes first, so that the sandbox's plugins win over any installed ones.
    An active virtual environment is named, because a language host, where there is one, runs
    policy packs with the interpreter it finds there.
    """
    target = request.target.environment
    path = [target.get("PATH", os.environ.get("PATH", os.defpath))]
    path += [str(tools), str(engine.path.parent)]
    virtual_environment = {"VIRTUAL_ENV": sys.prefix} if sys.prefix != sys.base_prefix else {}
    local = OFFLINE if request.target.name == "sandbox" else {}
    return {**QUIET, **local, **virtual_environment, **target, "PATH": os.pathsep.join(path)}


def _write_analyzer(folder: Path) -> None:
    """Write the executable by which an engine without a language host starts Python packs.

    Without a Python language host on PATH the engine looks for this name and calls it with its
    address and the pack's folder (pulumi/pulumi sdk/go/common/resource/plugin/analyzer_plugin.go).
    """
    folder.mkdir()
    script = folder / ANALYZER
    command = f'exec "{sys.executable}" -u -m gpuinfra.engine.pack_process "$1" "$2"'
    script.write_bytes(os.fsencode(f"#!/bin/sh\n{command}\n"))
    script.chmod(0o755)
