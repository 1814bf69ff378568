import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import lock, source
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.aws import imageids as aws
from gpuinfra.clouds.gcp import imageids as gcp
from gpuinfra.errors import CloudError, InputError
from tests.lock.conftest import STACKS, Stack, locked, made

PARAMETER = "/team/gpu-image"
AMI = "ami-0123456789abcdef0"
FAMILY = "projects/my-project/global/images/family/my-family"
LINK = "https://www.googleapis.com/compute/v1/projects/my-project/global/images/my-image-v7"


@pytest.fixture
def parameters(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """AWS's parameters, in moto; gives the client of a region."""
    import boto3
    from moto import mock_aws

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with mock_aws():
        yield lambda region: boto3.client("ssm", region_name=region)


@pytest.fixture
def families(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, tuple[int, bytes]]]:
    """Google Cloud's interface on this machine: status and body by path, asked for with a token.

    The answer's shape:
    https://docs.cloud.google.com/compute/docs/reference/rest/v1/images/getFromFamily (read
    2026-11-21).
    """
    answers: dict[str, tuple[int, bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.headers["Authorization"] == "Bearer a-token"
            status, body = answers.get(self.path, (404, b"{}")) if known else (401, b"{}")
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr(gcp, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv(gcp.TOKEN, "a-token")
    yield answers
    server.shutdown()
    thread.join()
    server.server_close()


def ids(whole: lock.Lock) -> dict[tuple[str, str], str | None]:
    return {(name, rung.label): rung.image.id for name, rung in whole.rungs()}


def own_image(stack: Stack) -> Path:
    return stack(("    nodes: 2\n", f"    nodes: 2\n    machine_image: {PARAMETER}\n"))


def test_a_parameter_is_asked_for_in_the_region_of_its_rung(parameters: Any) -> None:
    parameters("us-east-1").put_parameter(Name=PARAMETER, Value=AMI, Type="String")

    assert aws.image_id(PARAMETER, "us-east-1") == AMI
    with pytest.raises(CloudError) as caught:
        aws.image_id(PARAMETER, "eu-west-1")

    (refusal,) = caught.value.refusals
    assert refusal.what == f"SSM parameter {PARAMETER} in eu-west-1"
    assert "ParameterNotFound" in refusal.why
    assert "ssm:GetParameter" in refusal.fix


def test_a_parameter_that_holds_no_image_is_refused(parameters: Any) -> None:
    parameters("us-east-1").put_parameter(Name=PARAMETER, Value="hello", Type="String")

    with pytest.raises(CloudError, match="its value is not an image id: hello"):
        aws.image_id(PARAMETER, "us-east-1")


def test_without_credentials_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")

    with pytest.raises(CloudError, match="no AWS credentials are found"):
        aws.image_id(PARAMETER, "us-east-1")


def test_without_the_sdk_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "boto3", None)

    with pytest.raises(InputError) as caught:
        lock.with_image_ids(made(STACKS / "quickstart"))

    assert "boto3" in caught.value.problems[0].message
    assert "gpuinfra[refresh]" in caught.value.problems[0].fix


def test_a_family_gives_the_link_of_its_newest_image(families: dict[str, Any]) -> None:
    families[f"/{FAMILY}"] = (200, json.dumps({"name": "my-image-v7", "selfLink": LINK}).encode())

    assert gcp.image_id(FAMILY, "us-central1") == LINK


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((404, b"{}"), "404"),
        ((200, b"[]"), "no selfLink"),
        ((200, b'{"selfLink": 7}'), "no selfLink"),
        ((200, b"<html>"), "is not JSON"),
    ],
)
def test_another_answer_is_refused_in_words(
    families: dict[str, Any], answer: tuple[int, bytes], why: str
) -> None:
    families[f"/{FAMILY}"] = answer

    with pytest.raises(CloudError, match=why):
        gcp.image_id(FAMILY, "us-central1")


def test_a_token_is_needed_and_never_shown(
    families: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(gcp.TOKEN, "a-stale-secret")
    with pytest.raises(CloudError) as caught:
        gcp.image_id(FAMILY, "us-central1")
    assert "a-stale-secret" not in repr(caught.value.refusals)

    monkeypatch.delenv(gcp.TOKEN)
    with pytest.raises(CloudError, match=f"{gcp.TOKEN} is not set"):
        gcp.image_id(FAMILY, "us-central1")


def test_each_image_is_asked_for_once_and_every_refusal_is_told() -> None:
    whole = made(STACKS / "quickstart")
    requested: list[tuple[str, str, str]] = []

    def ask(*key: str) -> str:
        requested.append(key)
        return f"ami-{len(requested):08x}"

    filled = lock.with_image_ids(whole, ask)

    assert len(requested) == len(set(requested)) == 2
    assert not filled.unresolved_images
    assert (
        ids(filled)["trainer", "spot@us-east-1"] == ids(filled)["trainer", "on-demand@us-east-1"]
    )
    assert replace(filled, workloads=whole.workloads) == whole


def test_refusals_come_together() -> None:
    from gpuinfra.errors import Refusal

    def ask(cloud: str, name: str, region: str) -> str:
        raise CloudError([Refusal(what=name, why="no", fix="")])

    with pytest.raises(CloudError) as caught:
        lock.with_image_ids(made(STACKS / "quickstart"), ask)

    assert len(caught.value.refusals) == 2


def test_an_image_that_names_itself_needs_no_cloud(stack: Stack) -> None:
    path = stack(("    nodes: 2\n", f"    nodes: 2\n    machine_image: {AMI}\n"))
    requested: list[str] = []

    lock.with_image_ids(made(path), lambda _, name, __: requested.append(name) or "ami-1")

    assert AMI not in requested
    assert {image_id for (name, _), image_id in ids(made(path)).items() if name == "trainer"} == {
        AMI
    }


def test_an_update_keeps_the_ids_of_images_that_are_found_as_before(stack: Stack) -> None:
    before = lock.with_image_ids(made(stack()), lambda *_: AMI)

    after = made(own_image(stack), before)

    renewed = ids(after)
    assert renewed["chat", "spot@us-east-1"] == AMI
    assert renewed["trainer", "spot@us-east-1"] is None


def test_the_plan_has_the_ids_of_the_lock_that_holds(stack: Stack) -> None:
    path = stack()
    lock.write(lock.with_image_ids(made(path), lambda *_: AMI), lock.lock_path(path))

    _, plan = source.read(path, {})

    assert {rung.image for group in plan.groups for rung in group.rungs} == {AMI}


def test_an_image_that_names_itself_stays_to_the_build_as_it_was_written(stack: Stack) -> None:
    path = stack(("    nodes: 2\n", f"    nodes: 2\n    machine_image: {AMI}\n"))
    lock.write(lock.with_image_ids(made(path), lambda *_: "ami-1"), lock.lock_path(path))

    _, plan = source.read(path, {})

    images = {group.name: {rung.image for rung in group.rungs} for group in plan.groups}
    assert images == {"trainer": {None}, "chat": {"ami-1"}}


def test_a_plan_leaves_unresolved_images_to_the_build(stack: Stack) -> None:
    path = stack()
    locked(path)

    _, plan = source.read(path, {})

    assert {rung.image for group in plan.groups for rung in group.rungs} == {None}


def test_a_cloud_that_looks_up_no_image_by_name_says_so() -> None:
    with pytest.raises(InputError, match="its cloud can't be looked up by name"):
        provider_of("azure").image_id("my-image", "eastus")
