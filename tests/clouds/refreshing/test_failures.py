"""Whatever goes wrong: no traceback, a clear word, and the old file with its old dates."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import run
from gpuinfra.clouds.refreshing import page_fetcher, user_table_files, web
from tests.clouds.refreshing.conftest import Answer, Interface, Page

LAMBDA = "/api/v1/instance-types"
SECRET = "secret_lambda_1"


@pytest.fixture
def refresh(interface: Interface, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs the command for Lambda, whose one page is the shortest way."""
    monkeypatch.setenv("LAMBDA_API_KEY", SECRET)

    def command(*arguments: str) -> int:
        given = ["catalog", "refresh", "--cloud", "lambda", "--endpoint", interface.endpoint]
        return run([*given, *arguments])

    return command


@pytest.fixture
def old(
    refresh: Callable[..., int],
    interface: Interface,
    page: Page,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> bytes:
    """The file of an earlier refresh."""
    interface.says({LAMBDA: page("lambda.json")})
    assert refresh() == 0
    capsys.readouterr()
    return (home / "lambda.jsonl").read_bytes()


def priced(page: Page, cents: Any) -> Any:
    answer = page("lambda.json")
    for entry in answer["data"].values():
        entry["instance_type"]["price_cents_per_hour"] = cents
    return answer


FAILURES: dict[str, tuple[Callable[[Page], Any], str]] = {
    "server error": (lambda page: Answer(status=500), "fails (500)"),
    "key refused": (
        lambda page: Answer(b'{"error": {"code": "invalid", "key": "secret_lambda_1"}}', 401),
        'rejected the key (401: {"error": {"code": "invalid", "key": "…"}})',
    ),
    "not found": (lambda page: Answer(status=404), "/api/v1/instance-types not found (404)"),
    "throttled": (
        lambda page: Answer(status=429, headers={"Retry-After": "0"}),
        "throttled every attempt (429)",
    ),
    "throttled for an hour": (
        lambda page: Answer(status=429, headers={"Retry-After": "3600"}),
        "the price API asks to wait 3600 s (Retry-After); the limit is 120 s",
    ),
    "redirected": (
        lambda page: Answer(status=302, headers={"Location": "http://127.0.0.2/"}),
        "fails (302)",
    ),
    "cut off": (
        lambda page: Answer(json.dumps(page("lambda.json")).encode(), cut=400),
        "can't be read",
    ),
    "nothing but a half": (lambda page: Answer(b"", headers={"X": "y"}), "is not JSON"),
    "garbage": (lambda page: "<html>Under construction</html>", "is not JSON"),
    "no text": (lambda page: Answer(b'{"data": "\xff\xfe"}'), "is not JSON"),
    "too deep": (lambda page: "[" * 100_000, "is not JSON"),
    "is not a number": (lambda page: '{"data": NaN}', "is not JSON"),
    "another document": (lambda page: {"items": []}, "data is {'items': []}: field required"),
    "wrong type": (
        lambda page: priced(page, {"usd": 1}),
        "price_cents_per_hour is {'usd': 1}: input should be a valid integer",
    ),
    "words for a price": (lambda page: priced(page, "cheap"), "price_cents_per_hour is 'cheap'"),
    "empty": (lambda page: {"data": {}}, "the price API lists no machine of lambda"),
    "all free": (lambda page: priced(page, 0), "its price is 0"),
    "all negative": (lambda page: priced(page, -129), "its price is -129"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_on_a_failure_the_old_file_stays(
    failure: str,
    refresh: Callable[..., int],
    old: bytes,
    interface: Interface,
    page: Page,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer, words = FAILURES[failure]
    interface.says({LAMBDA: answer(page)})

    code = refresh()

    shown = capsys.readouterr()
    assert code == 3
    assert words in shown.err
    assert "no changes, the refreshed file is unchanged" in shown.err
    assert "Traceback" not in shown.err
    assert SECRET not in shown.err + shown.out
    assert (home / "lambda.jsonl").read_bytes() == old


def test_nobody_there(
    refresh: Callable[..., int], old: bytes, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refresh("--endpoint", "http://127.0.0.1:1") == 3

    told = " ".join(capsys.readouterr().err.split())
    assert told.startswith(
        "error: 127.0.0.1 can't be reached: it refuses the connection, or there is no network no "
        "changes, the refreshed file is unchanged; the prices here stay, with their dates "
        "(gpuinfra catalog age) fix: check the network and the proxy (HTTPS_PROXY), then run"
    )
    assert "HTTPConnection" not in told
    assert (home / "lambda.jsonl").read_bytes() == old


def test_without_an_old_file_none_is_made(
    refresh: Callable[..., int],
    interface: Interface,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    interface.says({LAMBDA: Answer(status=500)})

    assert refresh() == 3

    assert "no changes, no file was written" in capsys.readouterr().err
    assert not list(home.rglob("*.jsonl"))


def test_what_passes_is_tried_again(
    refresh: Callable[..., int], interface: Interface, page: Page, home: Path
) -> None:
    good = json.dumps(page("lambda.json")).encode()
    troubles = [
        Answer(status=503),
        Answer(status=429, headers={"Retry-After": "0"}),
        Answer(good, cut=300),
        Answer(good),
    ]
    interface.answers = lambda path, count: troubles[count]

    assert refresh() == 0
    assert len(interface.requested) == 4


def test_one_bad_price_is_left_out_and_the_rest_is_taken(
    refresh: Callable[..., int],
    interface: Interface,
    page: Page,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = page("lambda.json")
    answer["data"]["gpu_1x_a10"]["instance_type"]["price_cents_per_hour"] = 0
    interface.says({LAMBDA: answer})

    assert refresh() == 0

    assert "omitted: gpu_1x_a10: its price is 0" in capsys.readouterr().err
    assert (
        "gpu_1x_a10"
        not in json.loads(user_table_files.path("lambda").read_bytes().split(b"\n")[1])["items"]
    )


@pytest.mark.parametrize("file", ["the refreshed file", "a kept page"])
def test_a_full_disk_loses_nothing(
    file: str,
    refresh: Callable[..., int],
    old: bytes,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    flush = os.fsync
    room_for = {"the refreshed file": 1, "a kept page": 0}[file]
    synced: list[int] = []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) > room_for:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(handle)

    monkeypatch.setattr(os, "fsync", full)

    assert refresh() == 3

    shown = capsys.readouterr().err
    assert "can't be written: No space left on device" in shown
    assert "no changes, the refreshed file is unchanged" in shown
    assert (home / "lambda.jsonl").read_bytes() == old
    left = [path.name for path in home.iterdir() if path.name.startswith(".lambda.jsonl.")]
    assert left == [".lambda.jsonl.lock"]


def test_ctrl_c_leaves_the_old_file(
    refresh: Callable[..., int],
    old: bytes,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(web.Web, "json", interrupted)

    assert refresh() == 130

    assert "no changes, the refreshed file is unchanged" in capsys.readouterr().err
    assert (home / "lambda.jsonl").read_bytes() == old


def test_ctrl_c_while_writing_leaves_the_old_file(
    refresh: Callable[..., int], old: bytes, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    pages = page_fetcher.PageFetcher._store_page
    monkeypatch.setattr(
        page_fetcher.PageFetcher,
        "_store_page",
        lambda *args: (pages(*args), monkeypatch.setattr(os, "fsync", interrupted))[0],
    )

    assert refresh() == 130
    assert (home / "lambda.jsonl").read_bytes() == old


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--cloud", "alibaba"],
            "not supported yet: the price API of alibaba requires signed requests",
        ),
        (
            ["--cloud", "tencent"],
            "not supported yet: the price API of tencent requires signed requests",
        ),
        (["--cloud", "moon"], "the value of --cloud is not an accepted word"),
        (["--cloud", "lambda"], "needs the environment variable LAMBDA_API_KEY"),
        (["--cloud", "gcp"], "needs the environment variable GOOGLE_API_KEY"),
        (["--cloud", "aws", "--only", "spot"], "refreshing spot of aws needs AWS credentials"),
        (["--cloud", "azure", "--region", "eastsu"], "did you mean 'eastus'?"),
        (
            ["--cloud", "azure", "--only", "machines"],
            "not supported yet: refreshing machines of azure; supported: prices, spot",
        ),
        (
            ["--cloud", "azure", "--endpoint", "http://example.org"],
            "an endpoint must be an https address (http",
        ),
        (
            ["--cloud", "azure", "--endpoint", "ftp://x"],
            "an endpoint must be an https address (http",
        ),
        (
            ["--cloud", "azure", "--endpoint", "https://me:pass@host"],
            "an endpoint must be an https address (http",
        ),
    ],
)
def test_what_can_t_be_asked_for_is_exit_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["catalog", "refresh", *arguments]) == 2

    shown = capsys.readouterr().err
    assert words in shown
    assert "pass@" not in shown
