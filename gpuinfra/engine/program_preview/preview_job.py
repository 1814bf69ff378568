"""A running preview: its folders, the server of the program, and the engine."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gpuinfra.engine.contract import Diagnostic, Engine
from gpuinfra.engine.program_preview import diagnostics, env, event_digest, failures
from gpuinfra.engine.program_preview.configuration import PLACEHOLDER, Configuration
from gpuinfra.engine.program_preview.interpreter import Interpreter
from gpuinfra.engine.program_preview.processes import Processes
from gpuinfra.engine.program_preview.project import Project
from gpuinfra.records import record
from gpuinfra.sandbox.sandbox_folder import SCHEMA_FOLDER

SANDBOX: Final = "sandbox"
"""The sandbox's folder within that of a preview."""

_HOST: Final = Path(__file__).with_name("python_host.py")
_INLINE: Final = "auto.inline"
"""What the Automation API tells the engine of a program that is served to it."""


@record
class PreviewJob:
    """A program, its configuration, the engine, and a temporary folder for all of them."""

    project: Project
    configuration: Configuration
    engine: Engine
    folder: Path
    processes: Processes
    reads_engine_events: bool = False
    """Whether the preview is read from the engine's events, since its digest made it crash."""

    @property
    def preview_path(self) -> Path:
        """The file to which the engine writes the preview."""
        return self.folder / "preview.json"

    @property
    def events(self) -> Path:
        """The file to which the engine writes its events, one per line."""
        return self.folder / "events.jsonl"

    def lay_out(self) -> dict[str, str]:
        """Write the engine's input files, and return the environment of all processes.

        A new project file is written: a backend, plugins or packages that the program's own one
        names are not those of a check.
        """
        self._tools.mkdir()
        self._folder.mkdir()
        project = {
            "name": self.project.name,
            "runtime": self.project.runtime,
            "main": str(self.project.program),
            "config": dict(self.project.config),
        }
        text = json.dumps(project, default=str)
        (self._folder / "Pulumi.yaml").write_text(text, encoding="utf-8")
        settings = self._folder / f"Pulumi.{self.configuration.stack}.yaml"
        settings.write_text(
            self.configuration.text(except_for=self._secret_values), encoding="utf-8"
        )
        return env.engine_environment(self.engine, self.folder, self._tools)

    def python(self, environment: Mapping[str, str], program_interpreter: Interpreter) -> None:
        """Preview a program in Python.

        Raises:
            InputError: the program failed, or took too long.
            CloudError: the sandbox refused a resource, or did not answer a question.
            EngineError: the engine failed, or the interpreter has no Pulumi.
        """
        process = self._create_stack(environment)
        host, ready_pipe = self._start_program_host(environment, program_interpreter)
        self._await_stack(process, environment)
        line = self.processes.read_pipe(ready_pipe)
        first_word, _, line_rest = line.partition(" ")
        if first_word != "port":
            raise failures.unusable_interpreter(
                program_interpreter.path, line_rest or self._read_text(self._log)
            )
        code = self._preview(
            environment, "--exec-kind", _INLINE, f"--client=127.0.0.1:{line_rest}"
        )
        errors = self._diagnostics(code)
        gone = self.processes.exit_code(host, failures.lost_program(errors))
        if gone is not None:
            raise failures.crash_error(gone, self._read_text(self._log))
        self._raise_failure(errors)

    def write_schemas(self, schemas: Mapping[str, Any]) -> None:
        """Write the schemas that the sandbox's plugins return, by package."""
        folder = self.folder / SANDBOX / SCHEMA_FOLDER
        folder.mkdir()
        for package, schema in schemas.items():
            (folder / f"{package}.json").write_text(json.dumps(schema), encoding="utf-8")

    def yaml(self, environment: Mapping[str, str], host: Path) -> None:
        """Preview a program in YAML, which its language host runs.

        Raises:
            InputError: the program failed, or took too long.
            CloudError: the sandbox refused a resource, or did not answer a question.
            EngineError: the engine failed.
        """
        (self._tools / host.name).symlink_to(host)
        self._await_stack(self._create_stack(environment), environment)
        self._raise_failure(self._diagnostics(self._preview(environment)))

    @property
    def _secret_values(self) -> dict[str, str]:
        """The plain values of keys declared as secret, which the engine expects encrypted."""
        secret_keys = (key for key, form in self.project.config.items() if _is_secret(form))
        full = [key if ":" in key else f"{self.project.name}:{key}" for key in secret_keys]
        plain_values = self.configuration.plain_values
        return {key: str(plain_values[key]) for key in full if key in plain_values}

    @property
    def _tools(self) -> Path:
        return self.folder / "bin"

    @property
    def _folder(self) -> Path:
        return self.folder / "work"

    @property
    def _log(self) -> Path:
        return self.folder / "program.log"

    @property
    def _errors(self) -> Path:
        return self.folder / "engine.log"

    def _start_program_host(
        self, environment: Mapping[str, str], interpreter: Interpreter
    ) -> tuple["subprocess.Popen[bytes]", int]:
        """Return the process that serves the program, and the pipe that gets its port."""
        ready_pipe, writes = self.processes.pipe()
        parent_pipe, _ = self.processes.pipe()
        host = self.processes.start(
            [
                str(interpreter.path),
                str(_HOST),
                str(self.project.program),
                str(writes),
                str(parent_pipe),
            ],
            folder=self.project.working,
            environment=env.with_our_packages(environment) if interpreter.is_own else environment,
            output=self._log,
            errors=self._log,
            keep=(writes, parent_pipe),
        )
        self.processes.close(writes)
        self.processes.close(parent_pipe)
        return host, ready_pipe

    def _pulumi(
        self, environment: Mapping[str, str], arguments: Sequence[str], output: Path
    ) -> "subprocess.Popen[bytes]":
        return self.processes.start(
            [str(self.engine.path), "--non-interactive", *arguments],
            folder=self._folder,
            environment=environment,
            output=output,
            errors=self._errors,
        )

    def _create_stack(self, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        """Start the creation of an empty stack, and return the process."""
        arguments = ["stack", "init", self.configuration.stack, "--no-select"]
        return self._pulumi(environment, arguments, self._errors)

    def _await_stack(
        self, process: "subprocess.Popen[bytes]", environment: Mapping[str, str]
    ) -> None:
        """Wait until the stack is created, and set placeholders for its secrets.

        Raises:
            EngineError: the engine refuses.
        """
        if self.processes.wait(process):
            raise failures.stack_not_created(
                self.configuration.stack, self._read_text(self._errors)
            )
        secrets = {**dict.fromkeys(self.configuration.secrets, PLACEHOLDER), **self._secret_values}
        if not secrets:
            return
        pairs = [f"--secret={path}={value}" for path, value in secrets.items()]
        arguments = ["config", "set-all", "--stack", self.configuration.stack, "--path", *pairs]
        if self.processes.wait(self._pulumi(environment, arguments, self._errors)):
            raise failures.stack_not_created(
                self.configuration.stack, self._read_text(self._errors)
            )

    def _preview(self, environment: Mapping[str, str], *language_host_options: str) -> int:
        arguments = [
            "preview",
            "--json",
            "--show-sames",
            "--stack",
            self.configuration.stack,
            *language_host_options,
        ]
        arguments += ["--event-log", str(self.events)]
        self._errors.unlink(missing_ok=True)
        debugging = {**environment, "PULUMI_DEBUG_COMMANDS": "true"}  # else it has no event log
        if not self.reads_engine_events:
            return self.processes.wait(self._pulumi(debugging, arguments, self.preview_path))
        plan = self.folder / "plan.json"
        streaming = {**debugging, event_digest.STREAMING: "true"}
        arguments += ["--save-plan", str(plan)]
        code = self.processes.wait(self._pulumi(streaming, arguments, self.preview_path))
        event_digest.write(self.preview_path, plan)
        return code

    def _diagnostics(self, code: int) -> Sequence[Diagnostic] | None:
        """Return the diagnostics of a failed preview; None if it succeeded."""
        return diagnostics.read(self.preview_path, self._read_text(self._errors)) if code else None

    def _raise_failure(self, errors: Sequence[Diagnostic] | None) -> None:
        """Raise the error of a failed preview.

        Raises:
            InputError: the program failed.
            CloudError: the sandbox refused a resource, or did not answer a question.
            EngineError: the engine failed.
        """
        if errors is not None:
            raise failures.program_error(self.project, errors)

    def _read_text(self, path: Path) -> str:
        return path.read_text("utf-8", "replace") if path.exists() else ""


def _is_secret(config_form: Any) -> bool:
    return isinstance(config_form, dict) and config_form.get("secret") is True
