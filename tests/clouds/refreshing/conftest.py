"""A local server that answers as a price interface does, or as one that is broken."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.clouds.azure import refresh as azure
from gpuinfra.clouds.gcp import refresh as google
from gpuinfra.clouds.lambda_ import refresh as lambda_
from gpuinfra.clouds.refreshing import user_table_files, web

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass
class Answer:
    """What the server says once; `cut` ends the connection after so many bytes of the body."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None


Page = Callable[[str], Any]
"""From the name of a fixture file to what it holds."""

Answers = Callable[[str, int], Answer]
"""From the path with its query and how often it was asked before to an answer."""


@dataclass
class Interface:
    """The server: set `answers`; `requested` has the paths, `headers` those of each request."""

    endpoint: str
    answers: Answers = lambda path, count: Answer(status=404)
    requested: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def says(self, pages: dict[str, Any]) -> None:
        """Answer each path with its page, whatever its query; text as it is, else as JSON."""

        def answers(path: str, count: int) -> Answer:
            page = pages.get(path, pages.get(path.partition("?")[0]))
            if page is None:
                return Answer(status=404)
            if isinstance(page, Answer):
                return page
            body = page if isinstance(page, str) else json.dumps(page)
            return Answer(body=body.encode())

        self.answers = answers


@pytest.fixture
def interface() -> Iterator[Interface]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with lock:
                count = told.requested.count(self.path)
                told.requested.append(self.path)
                told.headers.append(dict(self.headers))
            answer = told.answers(self.path, count)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: answer.cut])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = Interface(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalog folder of the test's own, no waiting, and no credentials."""
    monkeypatch.setenv(user_table_files.HOME_VARIABLE, str(tmp_path / "catalog"))
    monkeypatch.setattr(web, "BACKOFF_SECONDS", 0)
    for source in (azure, google, lambda_):
        monkeypatch.setattr(source, "PAUSE_SECONDS", 0)
    for name in ("GOOGLE_API_KEY", "LAMBDA_API_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "catalog"


@pytest.fixture
def page() -> Page:
    """A fixture file by name, decoded when it is JSON."""

    def read(name: str) -> Any:
        text = (FIXTURES / name).read_text(encoding="utf-8")
        return json.loads(text) if name.endswith(".json") else text

    return read
