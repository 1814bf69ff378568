"""The machine that the agent runs on: the job's service, files, and AWS through its CLI."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gpuinfra.clouds.aws.agent import processes
from gpuinfra.clouds.aws.agent.metadata import Metadata
from gpuinfra.clouds.aws.agent.notices import moment

TIMEOUT = 15.0
"""Seconds that one call of a program may take."""
SLACK = 5.0
"""Seconds that the time of a file or an object may lag behind ours."""
MARKS = "interrupted/"
"""Where the marks of interrupted machines lie, under the prefix of the checkpoints."""

Configuration = dict[str, Any]


class Machine:
    """The operations of the agent on its machine; each is safe to repeat after a restart.

    Args:
        configuration: `/etc/gpuinfra/agent.json`.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration
        self._folder = Path(configuration["run"])
        self._folder.mkdir(parents=True, exist_ok=True)
        self._metadata = Metadata(*configuration["metadata"])
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._instance = ""

    def now(self) -> float:
        """Return monotonic seconds, the same for every process since the boot."""
        return time.monotonic()

    def wall(self) -> float:
        """Return the clock's seconds since 1970."""
        return time.time()

    def say(self, text: str) -> None:
        """Write one line to the journal."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def metadata(self, path: str) -> str | None:
        """Return the metadata text of a path; raise MetadataError if the service fails."""
        return self._metadata.get(path)

    def instance(self) -> str:
        """Return the id of this machine."""
        if not self._instance:
            self._instance = self._metadata.get("instance-id") or ""
        return self._instance

    def remembered(self) -> Configuration:
        """Return the kept state; empty after a boot, as the folder is in memory."""
        try:
            state = json.loads((self._folder / "state.json").read_text())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def keep(self, state: Configuration) -> None:
        """Keep the state that a restart needs."""
        self._write("state.json", state)

    def announce(self, text: Configuration) -> None:
        """Write the interruption notice for programs that poll for it; delete the saved report."""
        self._saved.unlink(missing_ok=True)
        self._write("interrupted", text)

    def saved(self) -> Configuration | None:
        """Return the trainer's report on its finished checkpoint; None before there is one."""
        try:
            text = self._saved.read_text(errors="replace")
        except OSError:
            return None
        try:
            value = json.loads(text)
        except ValueError:
            return {}
        if isinstance(value, dict):
            return value
        return {"step": value} if isinstance(value, int) else {}

    def trainers(self) -> list[processes.Process] | None:
        """Return the processes that are training; None where it is unknown whether any are."""
        main = self._main()
        trainers = processes.trainers(main or 0, self._settings["workload"])
        return None if main is None and not trainers else trainers

    def idle(self) -> bool:
        """Return whether the job's service is known to have no process left."""
        return self._main() == 0

    def stop(self) -> None:
        """Stop the job for good; its remaining processes get SIGKILL, not a second SIGTERM."""
        if self._main() != 0:
            self._systemctl("kill", "--signal=SIGKILL", self._settings["unit"])
        self._systemctl("stop", self._settings["unit"])

    def send(self, those: list[processes.Process], number: int) -> None:
        """Send a signal to processes."""
        processes.send(those, number)

    def living(self, those: list[processes.Process]) -> list[processes.Process]:
        """Return the processes that are still running."""
        return processes.living(those)

    def ask_to_save(self) -> bool:
        """Request a checkpoint without stopping the run; return whether a process handles it."""
        listeners = processes.checkpoint_listeners(self.trainers() or [])
        processes.send(listeners, signal.SIGUSR1)
        return bool(listeners)

    def start(self, name: str, command: list[str], more: dict[str, str]) -> None:
        """Start a command beside the agent, with additional environment variables."""
        self.end(name)
        try:
            self._running[name] = subprocess.Popen(  # noqa: S603 - the administrator's own
                command, env={**os.environ, **more}, start_new_session=True
            )
        except OSError as error:
            self.say(f"{shlex.join(command)}: {error}")

    def result(self, name: str) -> bool | None:
        """Return whether a started command succeeded; None while it runs."""
        running = self._running.get(name)
        code = 1 if running is None else running.poll()
        return None if code is None else code == 0

    def end(self, name: str) -> None:
        """Kill a started command with all of its child processes."""
        running = self._running.pop(name, None)
        if running is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def aws(self, *words: str) -> tuple[bool, str]:
        """Call the AWS CLI; return whether it succeeded, and its output."""
        command = [*self._settings["aws"], *words, "--region", self._settings["region"]]
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                command, capture_output=True, text=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return False, str(error)
        return done.returncode == 0, (done.stderr if done.returncode else done.stdout).strip()

    def upload(self, source: str, target: str) -> None:
        """Start to copy a folder to S3; files that are there already are not copied again."""
        words = ["s3", "sync", source, target, "--only-show-errors", "--region"]
        self.start("upload", [*self._settings["aws"], *words, self._settings["region"]], {})

    def written(self, folder: str, since: float) -> dict[str, int]:
        """Return the size in bytes of each file of a local folder written since a time."""
        files: dict[str, int] = {}
        for path in sorted(Path(folder).rglob("*")):
            with contextlib.suppress(OSError):
                status = path.stat()
                if path.is_file() and status.st_mtime >= since - SLACK:
                    files[path.relative_to(folder).as_posix()] = status.st_size
        return files

    def arrived(self, bucket: str, prefix: str, since: float) -> dict[str, int] | None:
        """Return the bytes of each new object except marks; None without a response."""
        query = ("--query", "Contents[].[Key,Size,LastModified]", "--output", "json")
        words = ("--bucket", bucket, "--prefix", prefix)
        well, text = self.aws("s3api", "list-objects-v2", *words, *query)
        try:
            objects = json.loads(text or "null") or [] if well else None
        except ValueError:
            objects = None
        if objects is None:
            return None
        return {
            key.removeprefix(prefix): size
            for key, size, changed in objects
            if (moment(f"{changed[:19]}Z") or 0) >= since - SLACK
            and not key.startswith(f"{prefix}{MARKS}")
        }

    def put(self, bucket: str, key: str, content: Configuration) -> tuple[bool, str]:
        """Write a small object."""
        body = self._write("mark.json", content)
        words = ("--bucket", bucket, "--key", key, "--body", str(body))
        return self.aws("s3api", "put-object", *words, "--content-type", "application/json")

    @property
    def _saved(self) -> Path:
        return self._folder / "saved"

    def _main(self) -> int | None:
        """Return the job's process id; 0 if it does not run, None if systemd does not answer."""
        text = self._systemctl("show", "--property=MainPID", "--value", self._settings["unit"])
        return int(text) if text.isdigit() else None

    def _systemctl(self, *words: str) -> str:
        command = [*self._settings["systemctl"], *words]
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                command, capture_output=True, text=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            self.say(f"{shlex.join(command)}: {error}")
            return ""
        return done.stdout.strip()

    def _write(self, name: str, content: Configuration) -> Path:
        path = self._folder / name
        fresh = path.with_name(f"{name}.new")
        fresh.write_text(f"{json.dumps(content)}\n")
        fresh.replace(path)
        return path
