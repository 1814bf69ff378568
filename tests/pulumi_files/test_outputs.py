"""What a file shows of the stack's own outputs, those aside that are marked as secrets."""

import json
from typing import Any

import pytest

from gpuinfra import pulumi_files
from gpuinfra.model import UNKNOWN
from gpuinfra.pulumi_files.file_faults import FileError
from gpuinfra.pulumi_files.property_values import DEEPEST, Values
from tests.pulumi_files.files import SECRET, SIGNATURE, STACK, digest, entry, step

ROOT = "pulumi:pulumi:Stack"


def secret(value: Any) -> dict[str, Any]:
    return {SIGNATURE: SECRET, "plaintext": json.dumps(value)}


def state(outputs: Any) -> dict[str, Any]:
    root = {"urn": f"{STACK}::{ROOT}::shop-dev", "type": ROOT, "custom": False}
    resources = [{**root, "outputs": outputs}, entry("one", id="i-1")]
    return {"version": 3, "deployment": {"manifest": {}, "resources": resources}}


def read(tmp_path: Any, outputs: Any) -> pulumi_files.PulumiStack:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state(outputs)))
    return pulumi_files.read(path, None)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("https://chat", "https://chat"),
        (secret("s3cr3t"), UNKNOWN),
        ({SIGNATURE: SECRET, "ciphertext": "v1:abc"}, UNKNOWN),
        ({"url": "x", "key": secret("s3cr3t")}, {"url": "x", "key": UNKNOWN}),
        (["a", secret({"deep": "s3cr3t"})], ["a", UNKNOWN]),
        (3, 3),
    ],
)
def test_what_is_marked_is_left_out_and_the_rest_is_shown(tmp_path, written, expected):
    assert read(tmp_path, {"it": written}).outputs == {"it": expected}


def test_the_stack_is_no_resource_and_its_secrets_are_still_not_shown(tmp_path):
    contents = read(tmp_path, {"key": secret("s3cr3t-horse")})
    assert [resource.name for resource in contents.resources] == ["one"]
    assert contents.secrets == {"s3cr3t-horse"}


@pytest.mark.parametrize("outputs", [None, {}])
def test_a_stack_without_outputs_shows_none(tmp_path, outputs):
    assert read(tmp_path, outputs).outputs == {}


def test_an_output_value_says_whether_it_is_secret():
    values = Values(preview=True)
    output = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
    assert values.redact_secrets({SIGNATURE: output, "value": "x"}) == "x"
    assert values.redact_secrets({SIGNATURE: output, "value": "x", "secret": True}) is UNKNOWN
    assert values.redact_secrets("[secret]") is UNKNOWN


def test_outputs_that_are_nested_without_end_are_bad_input():
    deep: Any = "x"
    for _ in range(DEEPEST + 2):
        deep = [deep]
    with pytest.raises(FileError, match="nested"):
        Values(preview=True).redact_secrets(deep)


@pytest.mark.parametrize(("outputs", "expected"), [({}, None), ({"url": "x"}, {"url": "x"})])
def test_a_preview_shows_outputs_or_says_nothing_of_them(tmp_path, outputs, expected):
    urn = f"{STACK}::{ROOT}::shop-dev"
    root = {"urn": urn, "type": ROOT, "custom": False, "outputs": outputs}
    path = tmp_path / "preview.json"
    path.write_text(json.dumps(digest(step(), {"op": "create", "urn": urn, "newState": root})))
    assert pulumi_files.read(path, None).outputs == expected
