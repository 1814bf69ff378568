"""A Python that asks the server to run its command line; it starts without `site`, in no time."""

import _signal
import _socket
import marshal
import os
import sys

MODULES = (
    *("gpuinfra.sandbox.plugin", "gpuinfra.sandbox.server", "gpuinfra.provider"),
    *("gpuinfra.cli", "pulumi.policy"),
)
OUTLIVES = ("gpuinfra.sandbox.server", "gpuinfra.cli")
"""What does not end with the process that started it."""

LOOK_SECONDS = 0.5


def main(real, server, words):
    """Run it there, or where that can't be in a Python of its own; ends as it does."""
    name = known(words)
    connection = connected(server) if name else None
    if connection is None:
        os.execv(real, [real, *words])  # noqa: S606
    pid = handed_over(connection, words)
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, lambda number, _: os.kill(pid, number))
    for stream in (0, 1, 2):
        os.close(stream)
    parent = os.getppid()
    connection.settimeout(LOOK_SECONDS)
    while name in OUTLIVES or os.getppid() == parent:
        try:
            answer = connection.recv(4)
        except TimeoutError:
            continue
        os._exit(int.from_bytes(answer, "big") if answer else 1)
    os._exit(1)


def known(words):
    """What the server runs of a command line: a module or a script; None for all else."""
    while words[:1] == ["-u"]:
        words = words[1:]
    if words[:1] == ["-m"] and words[1] in MODULES:
        return words[1]
    script = words[0] if words else ""
    if script.endswith("/language_python.py") or "PulumiPolicy.yaml" in inside(script):
        return script
    return None


def inside(folder):
    """The names in a folder; none in what is no folder."""
    try:
        return os.listdir(folder)  # noqa: PTH208  pathlib takes longer than all this
    except OSError:
        return []


def connected(server):
    """A connection to the server; None where there is none."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.connect(server)
    except OSError:
        return None
    return connection


def handed_over(connection, words):
    """Let the server run it, with all that a process has; gives the process."""
    given = marshal.dumps((words, os.getcwd(), dict(os.environ)))  # noqa: PTH109
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
    connection.sendmsg([len(given).to_bytes(4, "big")], rights)
    connection.sendall(given)
    return int.from_bytes(connection.recv(4), "big")
