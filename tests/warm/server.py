"""``python -m tests.warm.server SOCKET LAUNCHER``: forks a Python that has imported it already."""

import array
import atexit
import gc
import io
import marshal
import os
import random
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NoReturn, Self

MODULES = (
    *("pulumi.automation._server", "pulumi_policy", "boto3"),
    *("pulumi.provider.experimental.component", "gpuinfra.provider.components"),
    *("gpuinfra.provider.lookups", "gpuinfra.api", "gpuinfra.cli", "gpuinfra.cli.source"),
    *("gpuinfra.crossguard.policies", "gpuinfra.components.program", "gpuinfra.api.targets"),
    *("gpuinfra.sandbox.plugin.service", "gpuinfra.sandbox.plugin.serving"),
    *("gpuinfra.sandbox.plugin.aws.cloud", "gpuinfra.sandbox.plugin.gcp.cloud"),
    "gpuinfra.sandbox.plugin.azure.cloud",
)
SERVICES = ("ec2", "iam", "s3", "autoscaling", "ssm", "elbv2", "cloudwatch", "sts", "events")
TOKENS = (
    *("aws:ec2/instance:Instance", "aws:ec2/launchTemplate:LaunchTemplate", "aws:ec2/vpc:Vpc"),
    *("aws:autoscaling/group:Group", "aws:s3/bucket:Bucket", "aws:iam/role:Role"),
    *("aws:cloudwatch/metricAlarm:MetricAlarm", "aws:lb/loadBalancer:LoadBalancer"),
    *("gcp:compute/instanceTemplate:InstanceTemplate", "gcp:storage/bucket:Bucket"),
    "gcp:serviceaccount/account:Account",
    *("azure-native:compute:VirtualMachineScaleSet", "azure-native:network:VirtualNetwork"),
    *("azure-native:storage:StorageAccount", "azure-native:authorization:RoleAssignment"),
)
"""A few types of each module of the clouds' SDKs, which is imported whole."""


def load() -> None:
    """Import what the forked processes would."""
    from gpuinfra.sandbox import server

    server.prepare()
    for module in (*(f"moto.{service}.urls" for service in SERVICES), *MODULES):
        import_module(module)
    from gpuinfra.components.register import arguments_class

    for token in TOKENS:
        arguments_class(token)


def main(path: str, launcher: str) -> None:
    """Fork for each connection, and answer with the exit status, until the parent has gone.

    The launcher is what the forked processes start others with.
    """
    gc.disable()
    load()
    gc.freeze()
    gc.enable()
    sys.executable = launcher
    Server(path).serve()


@dataclass
class Command:
    """A command line with all that a process has.

    Attributes:
        launcher: the connection to what was started in its place.
        streams: its standard input, output and errors.
        words: the interpreter's arguments.
        folder: where it runs.
    """

    launcher: socket.socket
    streams: Sequence[int]
    words: list[str]
    folder: str
    environment: Mapping[str, str]

    @classmethod
    def read(cls, launcher: socket.socket) -> Self:
        """What a launcher sends."""
        numbers = array.array("i")
        head, rights, _, _ = launcher.recvmsg(4, socket.CMSG_SPACE(3 * numbers.itemsize))
        for _, _, data in rights:
            numbers.frombytes(data)
        length = int.from_bytes(head, "big")
        given = b""
        while len(given) < length:
            given += launcher.recv(length - len(given))
        words, folder, environment = marshal.loads(given)  # noqa: S302  our own launcher's
        return cls(launcher, numbers.tolist(), words, folder, environment)

    def become(self) -> NoReturn:
        """Run it as a Python of its own would, and end."""
        unbuffered = self.words[:1] == ["-u"]
        self._take_over(unbuffered=unbuffered)
        threading.Thread(target=self._end_with_launcher, daemon=True).start()
        code = 1
        try:
            self._run(self.words[1:] if unbuffered else self.words)
            code = 0
        except SystemExit as end:
            code = _status(end)
        except KeyboardInterrupt:
            code = 130
        except BaseException:  # noqa: BLE001  as the interpreter itself
            traceback.print_exc()
        try:
            threading._shutdown()  # as it does at its end
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def _take_over(self, *, unbuffered: bool) -> None:
        for number, stream in enumerate(self.streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = _writer(1, by_line=unbuffered)
        sys.stderr = _writer(2, by_line=True)
        random.seed()

    def _end_with_launcher(self) -> None:
        """End when the launcher has gone: who kills it means this process."""
        while self.launcher.recv(4):
            pass
        os._exit(137)

    def _run(self, words: list[str]) -> None:
        if words[0] == "-m":
            sys.path[0] = self.folder
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
            return
        sys.path[0] = str(Path(words[0]).parent)
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


class Server:
    """Forks for each launcher that connects, and tells it when the fork has ended, and how."""

    def __init__(self, path: str) -> None:
        self._parent = os.getppid()
        self._running: dict[int, socket.socket] = {}
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(f"{path}.new")
        self._listener.listen(128)
        Path(f"{path}.new").rename(path)  # there from then on, and heard

    def serve(self) -> None:
        """Serve until the parent has gone."""
        while os.getppid() == self._parent:
            ready, _, _ = select.select([self._listener, self._woken], [], [], 1)
            if self._woken in ready:
                os.read(self._woken, 1024)
                self._reap()
            if self._listener in ready:
                self._start(Command.read(self._listener.accept()[0]))

    def _start(self, command: Command) -> None:
        pid = os.fork()
        if pid == 0:
            self._forget()
            command.become()
        for stream in command.streams:
            os.close(stream)
        self._running[pid] = command.launcher
        _tell(command.launcher, pid)

    def _forget(self) -> None:
        """Leave the server's own behind, in a process that is forked."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for other in (self._listener, *self._running.values()):
            other.close()
        os.close(self._woken)
        os.close(self._wakes)

    def _reap(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            launcher = self._running.pop(pid)
            code = os.waitstatus_to_exitcode(status)
            _tell(launcher, code if code >= 0 else 128 - code)
            launcher.close()


def _tell(launcher: socket.socket, number: int) -> None:
    with suppress(OSError):  # it may have gone
        launcher.sendall(number.to_bytes(4, "big"))


def _writer(number: int, *, by_line: bool) -> io.TextIOWrapper:
    raw = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", line_buffering=by_line)


def _status(end: SystemExit) -> int:
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    print(end.code, file=sys.stderr)  # noqa: T201
    return 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
