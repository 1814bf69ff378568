"""What the agent meets on a machine: a metadata service, systemd, the AWS CLI on moto."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

REGION = "us-east-1"
TOKEN = "AQAAA-first=="


@contextlib.contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Imds:
    """The metadata service: paths and what they say; `wrong` answers before anything else."""

    port: int = 0
    says: dict[str, str] = field(default_factory=lambda: {"instance-id": "i-0a1b2c3d4e5f60718"})
    tokens: set[str] = field(default_factory=set)
    given: int = 0
    requested: list[str] = field(default_factory=list)
    wrong: list[Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)


@pytest.fixture
def imds() -> Iterator[Imds]:
    state = Imds()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_words: object) -> None:
            """Say nothing."""

        def _say(self, status: int, text: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def do_PUT(self) -> None:
            if (
                self.path != "/latest/api/token"
                or not self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "").isdigit()
            ):
                return self._say(400)
            state.given += 1
            state.tokens.add(token := f"{TOKEN}{state.given}")
            return self._say(200, token)

        def do_GET(self) -> None:
            state.requested.append(self.path)
            if state.wrong:
                return state.wrong.pop(0)(self)
            if self.headers.get("X-aws-ec2-metadata-token") not in state.tokens:
                return self._say(401)
            path = self.path.removeprefix("/latest/meta-data/")
            return self._say(200, state.says[path]) if path in state.says else self._say(404)

    with served(Handler) as state.port:
        yield state


@pytest.fixture(scope="session")
def moto() -> Iterator[Callable[[str], Any]]:
    import boto3
    from botocore.config import Config
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    made: dict[str, Any] = {}

    def client(service: str) -> Any:
        if service not in made:
            made[service] = boto3.client(
                service,
                region_name=REGION,
                endpoint_url=f"http://{host}:{port}",
                aws_access_key_id="sandbox",
                aws_secret_access_key="sandbox",
                config=Config(s3={"addressing_style": "path"}),
            )
        return made[service]

    yield client
    for boto_client in made.values():
        boto_client.close()
    server.stop()


NOT_IN_MOTO = ("complete_lifecycle_action", "record_lifecycle_action_heartbeat")


@dataclass
class Cli:
    """The AWS CLI: its words are checked against the service's model, then asked of moto."""

    client: Callable[[str], Any]
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)

    def run(self, words: list[str]) -> tuple[int, str, str]:
        service, command, *rest = words
        if command in self.broken:
            return 255, "", self.broken[command]
        if (service, command) == ("s3", "sync"):
            return self._sync(rest)
        return self._call(service, command, dict(zip(rest[::2], rest[1::2], strict=True)))

    def _call(self, service: str, command: str, options: dict[str, str]) -> tuple[int, str, str]:
        import jmespath
        from botocore.exceptions import ClientError
        from botocore.validate import validate_parameters

        assert options.pop("--region") == REGION
        query, output = options.pop("--query", ""), options.pop("--output", "json")
        client = self.client(service.removesuffix("api"))
        method = command.replace("-", "_")
        operation = client.meta.method_to_api_mapping[method]
        shape = client.meta.service_model.operation_model(operation).input_shape
        values = dict(_value(shape, *option) for option in options.items())
        self.calls.append((command, values))
        if method in NOT_IN_MOTO:
            validate_parameters(values, shape)
            return 0, "", ""
        try:
            if client.can_paginate(method):
                answer = client.get_paginator(method).paginate(**values).build_full_result()
            else:
                answer = getattr(client, method)(**values)
        except ClientError as error:
            return 254, "", f"An error occurred: {error}"
        answer.pop("ResponseMetadata", None)
        matches = jmespath.search(query, answer) if query else answer
        if output == "text":
            return 0, "\t".join(matches or []), ""
        return 0, json.dumps(matches, default=lambda moment: moment.isoformat()), ""

    def _sync(self, rest: list[str]) -> tuple[int, str, str]:
        source, target = rest[:2]
        assert rest[2:] == ["--only-show-errors", "--region", REGION]
        bucket, _, prefix = target.removeprefix("s3://").partition("/")
        self.calls.append(("sync", {"source": source, "target": target}))
        for path in sorted(Path(source).rglob("*")):
            if path.is_file():
                key = f"{prefix}{path.relative_to(source).as_posix()}"
                self.client("s3").put_object(Bucket=bucket, Key=key, Body=path.read_bytes())
        return 0, "", ""


def _value(shape: Any, option: str, text: str) -> tuple[str, Any]:
    from botocore import xform_name

    names = {xform_name(name, "-"): name for name in shape.members}
    name = names[option.removeprefix("--")]
    kind = shape.members[name].type_name
    if kind == "blob":
        return name, Path(text).read_bytes()
    if kind == "list":
        return name, json.loads(text) if text.startswith("[") else [text]
    return name, text


@dataclass
class Systemd:
    """One service, started as systemd starts it; its restarts are the test's to make."""

    job: subprocess.Popen[bytes] | None = None
    calls: list[list[str]] = field(default_factory=list)

    def run(self, words: list[str]) -> tuple[int, str, str]:
        running = self.job is not None and self.job.poll() is None
        assert words[-1] == "gpuinfra-job.service"
        if words[0] == "show":
            assert words[1:-1] == ["--property=MainPID", "--value"]
            return 0, str(self.job.pid) if running else "0", ""
        self.calls.append(words)
        if words[0] == "kill" and running:
            assert words[1] == "--signal=SIGKILL"
            os.killpg(self.job.pid, signal.SIGKILL)
            self.job.wait()
        return 0, "", ""


CLOCK = """
import pathlib, runpy, subprocess, sys, time
ahead, true = pathlib.Path(sys.argv.pop(1)), time.monotonic
time.monotonic = lambda: true() + float(ahead.read_text())
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""
"""Runs a module whose clock goes ahead by the seconds in a file."""

ASK = """
import http.client, json, sys
_, _, place, path = sys.argv[1].split("/")
connection = http.client.HTTPConnection(place, timeout=20)
connection.request("POST", f"/{path}", json.dumps(sys.argv[2:]))
code, out, err = json.load(connection.getresponse())
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""


@dataclass
class Host:
    """A machine with its agent's configuration and what surrounds it."""

    folder: Path
    imds: Imds
    cli: Cli
    systemd: Systemd
    told: dict[str, Any]
    agents: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_agent(self, *, clock: bool = False) -> subprocess.Popen[bytes]:
        """The installed agent, as its unit starts it, or with a clock that `pass_time` sets."""
        path = self.folder / "agent.json"
        path.write_text(json.dumps(self.told))
        how = ["-m"]
        if clock:
            self.pass_time(0)
            how = ["-c", CLOCK, str(self.folder / "ahead")]
        with (self.folder / "journal").open("ab") as journal:
            agent = subprocess.Popen(
                [sys.executable, "-S", *how, "gpuinfra.clouds.aws.agent.service", str(path)],
                env={"PYTHONPATH": str(self.folder / "opt"), "PATH": "/usr/bin:/bin"},
                cwd=self.folder,
                stdout=journal,
                stderr=journal,
            )
        self.agents.append(agent)
        return agent

    def pass_time(self, seconds: float) -> None:
        """Let the agent's clock go ahead by so much in all."""
        fresh = self.folder / "ahead.new"
        fresh.write_text(str(seconds))
        fresh.replace(self.folder / "ahead")

    def journal(self) -> str:
        return (self.folder / "journal").read_text()

    def state(self) -> dict[str, Any]:
        try:
            return json.loads((self.folder / "run" / "state.json").read_text())
        except FileNotFoundError:
            return {}

    def until(self, done: Callable[[], Any], seconds: float = 120) -> None:
        """Wait for it; the limit is for what never comes, however slow the machine."""
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, self.journal()
            time.sleep(0.02)


@pytest.fixture
def host(tmp_path: Path, imds: Imds, moto: Callable[[str], Any]) -> Iterator[Host]:
    from gpuinfra.clouds.aws.agent.install import (
        CODE,
        SETTINGS,
        AgentSettings,
        agent_files,
    )

    cli, systemd = Cli(moto), Systemd()
    programs = {"/aws": cli.run, "/systemctl": systemd.run}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_words: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            words = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(programs[self.path](words)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    settings = AgentSettings(stack="dev", workload="trainer", region=REGION)
    files = agent_files(settings)
    for path, text in files.items():
        if path.startswith(CODE):
            place = tmp_path / "opt" / path.removeprefix(f"{CODE}/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    with served(Handler) as port:
        asking = [sys.executable, "-S", "-c", ASK]
        told = {
            **json.loads(files[SETTINGS]),
            "run": str(tmp_path / "run"),
            "metadata": ["127.0.0.1", imds.port],
            "aws": [*asking, f"http://127.0.0.1:{port}/aws"],
            "systemctl": [*asking, f"http://127.0.0.1:{port}/systemctl"],
            "poll": 0.2,
        }
        new_host = Host(tmp_path, imds, cli, systemd, told)
        yield new_host
        for process in (*new_host.agents, systemd.job):
            if process is not None:
                process.kill()
                process.wait()
