"""What a preview without an account does not find is unknown, where the cloud would refuse."""

import json
import re
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.sandbox.plugin import lookup_answers
from gpuinfra.sandbox.plugin.aws.lookups import policies
from gpuinfra.sandbox.plugin.aws.lookups.answers import listed
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.sandbox_folder import LOOKUPS_FILE
from tests.clouds.sdk_inputs import version_of

TABLE = json.loads(files("gpuinfra.sandbox").joinpath("data", "account_lookups.json").read_text())
ANSWERS = TABLE["answers"]
SECRET = "aws:secretsmanager/getSecretVersion:getSecretVersion"
ARGUMENTS = {"secretId": "db"}
_OUTPUT = re.compile(r"if (\w+) and not isinstance\(\w+, (\w+)\)")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUINFRA_SANDBOX_HOME", str(tmp_path))
    return tmp_path


def found(token, monkeypatch, *, temporary=True, refusal=None):
    """Return the answer of a sandbox that has no such look-up, or whose look-up is refused."""

    def refuse(*_):
        raise refusal

    monkeypatch.setattr("gpuinfra.sandbox.plugin.settings.temporary", lambda: temporary)
    invokes = {token: refuse} if refusal else {}
    cloud = SimpleNamespace(token=str, invokes=lambda: invokes)
    attempts = SimpleNamespace(guarded=lambda work: work())
    resources = SimpleNamespace(attempts=attempts, lookup_context=None)
    return lookup_answers.answer(cloud, resources, token, ARGUMENTS)


def texts_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for part in value for text in texts_in(part)]
    return [value]


@pytest.mark.parametrize("token", sorted(ANSWERS))
def test_a_preview_takes_it_as_unknown(token, monkeypatch):
    answer = found(token, monkeypatch)

    assert answer.items() >= ARGUMENTS.items()
    unknown = [
        text for key, value in answer.items() if key != "secretId" for text in texts_in(value)
    ]
    assert unknown
    assert all(UNKNOWN_TEXT in text for text in unknown)
    assert UNKNOWN_TEXT not in unknown, "the SDK would take it as None"


def test_the_check_is_told_which(monkeypatch, home):
    found(SECRET, monkeypatch)

    assert (home / LOOKUPS_FILE).read_text() == f"{SECRET}\n"


def test_a_deployment_is_refused(monkeypatch):
    with pytest.raises(CloudRefusalError, match="UnansweredInvoke"):
        found(SECRET, monkeypatch, temporary=False)


def test_a_lookup_that_is_not_in_the_table_is_refused(monkeypatch):
    with pytest.raises(CloudRefusalError, match="does not answer aws:rds/getInstance"):
        found("aws:rds/getInstance:getInstance", monkeypatch)


@pytest.mark.parametrize(
    ("code", "stands"),
    [("NoSuchEntity", False), ("NoMatch", False), ("TooManyMatches", True), ("invalid", True)],
)
def test_only_what_is_absent_is_unknown(code, stands, monkeypatch):
    refusal = CloudRefusalError(code, "words")
    if stands:
        with pytest.raises(CloudRefusalError, match=code):
            found(SECRET, monkeypatch, refusal=refusal)
    else:
        assert found(SECRET, monkeypatch, refusal=refusal)["secretId"] == "db"


@pytest.mark.parametrize("temporary", [True, False])
def test_an_account_may_have_what_a_list_of_the_sandbox_lacks(temporary, monkeypatch):
    monkeypatch.setattr("gpuinfra.sandbox.plugin.settings.temporary", lambda: temporary)

    assert listed(["subnet-1"], "EC2 Subnet") == ["subnet-1"]
    if temporary:
        with pytest.raises(CloudRefusalError, match="NoMatch"):
            listed([], "EC2 Subnet")
    else:
        assert listed([], "EC2 Subnet") == []


def test_a_policy_of_a_name_that_the_sandbox_lacks_is_absent():
    page = {"Policies": [{"PolicyName": "another", "Arn": "arn:another"}]}
    pages = SimpleNamespace(paginate=lambda: [page])
    client = SimpleNamespace(get_paginator=lambda _: pages)
    context = SimpleNamespace(client=lambda *_: client, settings=SimpleNamespace(place="eu"))

    with pytest.raises(CloudRefusalError, match="NoMatch"):
        policies.INVOKES["aws:iam/getPolicy:getPolicy"](context, {"name": "own"})


@pytest.mark.parametrize("token", sorted(ANSWERS))
def test_the_outputs_are_those_of_the_sdk(token):
    kinds = outputs_of(token)
    row = ANSWERS[token]
    others = {key: type(value).__name__ for key, value in row["others"].items()}

    assert dict.fromkeys(row["texts"].split(), "str").items() <= kinds.items()
    assert {key: kinds.get(key) for key in others} == {
        key: {"properties": "dict"}.get(key, kind) for key, kind in others.items()
    }


def test_the_versions_are_those_of_the_installed_sdks():
    assert all(version_of(cloud) in TABLE["about"] for cloud in ("aws", "azure-native", "gcp"))


def outputs_of(token):
    """Return the kind of each output of a look-up, as its class in the SDK checks it."""
    package, module, name = re.split("[:/]", token)[:3]
    spec = find_spec(f"pulumi_{package.replace('-', '_')}")
    assert spec is not None
    assert spec.origin is not None
    file = re.sub("(?<!^)(?=[A-Z])", "_", name).lower()
    text = (Path(spec.origin).parent / module / f"{file}.py").read_text()
    return {
        re.sub(r"_(\w)", lambda letter: letter[1].upper(), output): kind
        for output, kind in _OUTPUT.findall(text)
    }
