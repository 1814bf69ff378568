"""The script that runs a checked Python program for the engine, in the program's Python.

`python_host.py PROGRAM READY LIFE`: PROGRAM is a folder or a file, READY and LIFE are file
descriptors. The port is written to READY; when LIFE is closed at its other end, the process ends.
It imports nothing but the program's own Pulumi SDK, whose Python may be older than ours.
"""

import sys

# The folder of this script has modules that a program's own imports must never meet.
if sys.path[:1] == [__file__.rpartition("/")[0]]:
    sys.path.pop(0)

import gc
import os
import runpy
import signal
from concurrent import futures
from pathlib import Path
from typing import Any

_UNKNOWN_ID = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine reads nothing by this id, and all of the resource is unknown.

https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step.go, ReadStep
"""


def main(program: str, ready_pipe: int, parent_pipe: int) -> int:
    """Serve the program to one engine until `parent_pipe` is closed; return 1 on error."""
    # The SDKs that a program imports stay: to look through them ever again takes a tenth of it.
    gc.set_threshold(50_000, 20, 20)
    try:
        import grpc  # noqa: PLC0415  (what is missing is told)
        import pulumi
        from pulumi.automation._server import LanguageServer
        from pulumi.runtime.proto import language_pb2_grpc
    except ImportError as error:
        os.write(ready_pipe, f"missing {error}".encode())
        return 1
    _take_outputs_of_stacks_as_unknown(pulumi)
    # At Python's own end it would wait for the program's threads.
    signal.signal(signal.SIGINT, lambda *_: os._exit(1))
    folder = program if Path(program).is_dir() else str(Path(program).parent)

    def run() -> None:
        os.chdir(folder)
        sys.path.insert(0, folder)
        sys.argv[:] = [program]
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise

    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(LanguageServer(run), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    os.write(ready_pipe, f"port {port}".encode())
    os.close(ready_pipe)
    while os.read(parent_pipe, 1):
        pass
    # A program may have left threads behind, which are not waited for.
    os._exit(0)


def _take_outputs_of_stacks_as_unknown(sdk: Any) -> None:
    """Let a program refer to other stacks, whose outputs are in a backend that a check lacks."""

    def refer(self: Any, name: str, stack_name: Any = None, opts: Any = None) -> None:
        inputs = {"name": stack_name or name, "outputs": None, "secret_output_names": None}
        unread = sdk.ResourceOptions.merge(opts, sdk.ResourceOptions(id=_UNKNOWN_ID))
        sdk.CustomResource.__init__(self, "pulumi:pulumi:StackReference", name, inputs, unread)

    sdk.StackReference.__init__ = refer


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
