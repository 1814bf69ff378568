"""The metadata service as it is on a bad day."""

import socket
import time
from typing import Any

import pytest

from gpuinfra.clouds.aws.agent import metadata
from gpuinfra.clouds.aws.agent.metadata import Metadata, MetadataError


@pytest.fixture
def reader(imds: Any) -> Metadata:
    return Metadata("127.0.0.1", imds.port, sleep=lambda _seconds: None)


def status(code: int) -> Any:
    def say(handler: Any) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    say.__name__ = f"status-{code}"
    return say


def hang_up(handler: Any) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def nonsense(handler: Any) -> None:
    handler.wfile.write(b"HTTP/9 what\r\n\r\n")


def body(content: bytes) -> Any:
    def say(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return say


def test_one_token_serves_many_reads(imds: Any, reader: Metadata) -> None:
    assert reader.get("instance-id") == imds.says["instance-id"]
    assert reader.get("spot/instance-action") is None
    assert (imds.given, imds.requested[0]) == (1, "/latest/meta-data/instance-id")


def test_a_token_that_is_refused_is_renewed_once(imds: Any, reader: Metadata) -> None:
    reader.get("instance-id")
    imds.tokens.clear()

    assert reader.get("instance-id") == imds.says["instance-id"]
    assert imds.given == 2
    imds.wrong += [status(401), status(401)]
    with pytest.raises(MetadataError, match="401"):
        reader.get("instance-id")


def test_a_token_is_renewed_before_it_ends(
    imds: Any, reader: Metadata, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.get("instance-id")
    later = time.monotonic() + metadata.TTL - metadata.RENEWED
    monkeypatch.setattr(time, "monotonic", lambda: later)

    reader.get("instance-id")

    assert imds.given == 2


@pytest.mark.parametrize("trouble", [status(500), status(503), status(429), hang_up, nonsense])
def test_trouble_that_passes_is_not_noticed(imds: Any, reader: Metadata, trouble: Any) -> None:
    imds.wrong += [trouble] * 2

    assert reader.get("instance-id") == imds.says["instance-id"]


@pytest.mark.parametrize("trouble", [status(500), hang_up, nonsense, body(b"\xff\xfe\xff")])
def test_trouble_that_stays_is_said(imds: Any, reader: Metadata, trouble: Any) -> None:
    imds.wrong += [trouble] * 3

    with pytest.raises(MetadataError, match="instance-id"):
        reader.get("instance-id")


def test_the_service_switched_off_is_said(imds: Any, reader: Metadata) -> None:
    imds.wrong.append(status(403))

    with pytest.raises(MetadataError, match="status 403"):
        reader.get("instance-id")


def test_an_endless_answer_is_not_read_to_its_end(imds: Any, reader: Metadata) -> None:
    imds.wrong += [body(b"x" * (metadata.LARGEST + 1))] * 3

    with pytest.raises(MetadataError, match="too long"):
        reader.get("instance-id")


def test_an_answer_that_drips_ends(
    imds: Any, reader: Metadata, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(8):
            handler.wfile.write(b"x")
            time.sleep(0.03)

    monkeypatch.setattr(metadata, "PATIENCE", 0.1)
    imds.wrong += [drip] * 3
    begun = time.monotonic()

    with pytest.raises(MetadataError):
        reader.get("instance-id")
    assert time.monotonic() - begun < 2


def test_nobody_there_is_said() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        reader = Metadata("127.0.0.1", closed.getsockname()[1], sleep=lambda _seconds: None)

        with pytest.raises(MetadataError, match="refused"):
            reader.get("instance-id")


def test_a_token_that_would_split_a_header_is_not_used(imds: Any, reader: Metadata) -> None:
    reader._ask = lambda *_words: (200, "a\r\nX-Evil: 1")  # type: ignore[method-assign]

    with pytest.raises(MetadataError, match="no session token"):
        reader.get("instance-id")
