"""A stand-in for Pulumi's own Python language host, for tests only; never shipped.

Runs programs (Run) and policy packs (RunPlugin) as the official host does: a pack starts with the
engine's working folder, which is the program's, and with the environment that the engine sends.
The SDK's Automation API has the server that runs a program; this adds what a plain `pulumi` asks.
"""

# ruff: noqa: N802 (the names are the protocol's own)

import gc
import os
import queue
import runpy
import signal
import subprocess
import sys
import threading
import time
from concurrent import futures
from pathlib import Path

import grpc
from google.protobuf import empty_pb2
from pulumi.automation._server import LanguageServer
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

STACK_VARIABLES = ("PULUMI_STACK", "PULUMI_PROJECT", "PULUMI_CONFIG")


class LanguageHost(LanguageServer):
    def __init__(self) -> None:
        super().__init__(lambda: None)
        self.running: set[subprocess.Popen[bytes]] = set()

    def Run(self, request, context):
        folder = Path(request.info.program_directory or request.pwd)

        def program() -> None:
            os.chdir(folder)
            sys.path.insert(0, str(folder))
            runpy.run_path(str(folder / (request.info.entry_point or ".")), run_name="__main__")

        self.program = program
        return super().Run(request, context)

    def Handshake(self, request, context):
        return language_pb2.LanguageHandshakeResponse()

    def GetProgramDependencies(self, request, context):
        return language_pb2.GetProgramDependenciesResponse()

    def RuntimeOptionsPrompts(self, request, context):
        return language_pb2.RuntimeOptionsResponse()

    def InstallDependencies(self, request, context):
        yield language_pb2.InstallDependenciesResponse(stdout=b"nothing to install\n")

    def Cancel(self, request, context):
        self.end_plugins()
        return empty_pb2.Empty()

    def end_plugins(self) -> None:
        for process in tuple(self.running):
            process.terminate()

    def RunPlugin(self, request, context):
        given = dict(pair.split("=", 1) for pair in request.env)
        environment = {k: v for k, v in given.items() if k not in STACK_VARIABLES}
        process = subprocess.Popen(
            [sys.executable, "-u", request.info.program_directory, *request.args],
            cwd=request.pwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.running.add(process)
        context.add_callback(process.terminate)
        written: queue.SimpleQueue[dict[str, bytes] | None] = queue.SimpleQueue()

        def read(name: str) -> None:
            for line in getattr(process, name):
                written.put({name: line})
            written.put(None)

        names = ("stdout", "stderr")
        for name in names:
            threading.Thread(target=read, args=(name,), daemon=True).start()
        open_streams = len(names)
        while open_streams:
            output = written.get()
            if output is None:
                open_streams -= 1
            else:
                yield language_pb2.RunPluginResponse(**output)
        self.running.discard(process)
        yield language_pb2.RunPluginResponse(exitcode=process.wait())


def main() -> None:
    gc.disable()  # a host ends with its program
    host = LanguageHost()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)

    def end(*_: object) -> None:
        host.end_plugins()
        os._exit(0)

    # The engine ends its hosts with SIGINT; one that does not obey costs it seconds.
    signal.signal(signal.SIGINT, end)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    # An engine that was killed ends nothing.
    engine = os.getppid()
    while os.getppid() == engine:
        time.sleep(1)
    end()


if __name__ == "__main__":
    main()
