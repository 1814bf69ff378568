import os
import sys
from pathlib import Path

import pytest

from gpuinfra.engine.contract import Engine
from gpuinfra.engine.program_preview import env


@pytest.mark.parametrize(
    "name",
    [
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "aws_region",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "CLOUDSDK_CORE_PROJECT",
        "ARM_CLIENT_ID",
        "AZURE_TENANT_ID",
        "PULUMI_ACCESS_TOKEN",
        "PULUMI_BACKEND_URL",
        "GPUINFRA_SANDBOX_HOME",
        "KUBECONFIG",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "MY_API_KEY",
        "STRIPE_APIKEY",
        "SSH_AUTH_SOCK",
        "HTTPS_PROXY",
        "no_proxy",
    ],
)
def test_no_credential_and_no_proxy_is_handed_on(name):
    assert env.allowed_variables({name: "x", "PATH": "/bin"}) == {"PATH": "/bin"}


@pytest.mark.parametrize("name", ["HOME", "LANG", "STAGE", "GPUINFRA_CATALOG_HOME", "KEYBOARD"])
def test_what_a_program_may_read_is_handed_on(name):
    assert env.allowed_variables({name: "x"}) == {name: "x"}


def test_the_engine_gets_a_sandbox_of_its_own_and_no_folder_of_the_persons(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("GOOGLE_PROJECT", "mine")
    engine = Engine(path=Path("/opt/pulumi/pulumi"), version="3.250.0", origin="PATH")

    variables = env.engine_environment(engine, tmp_path, tmp_path / "tools")

    path = [f"{tmp_path}/sandbox/bin", "/usr/bin", f"{tmp_path}/tools", "/opt/pulumi"]
    assert variables["PATH"].split(os.pathsep) == path
    assert variables["PULUMI_BACKEND_URL"] == f"file://{tmp_path}/sandbox/state"
    assert variables["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] == "true"
    assert variables["GPUINFRA_SANDBOX_STRICT"] == "0"
    assert variables["GOOGLE_PROJECT"] != "mine"
    assert {"AWS_REGION", "AWS_ENDPOINT_URL"} & variables.keys() == set()
    for name in (
        *("PULUMI_HOME", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "KUBECONFIG"),
        *("DOCKER_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CONFIG_DIR"),
    ):
        assert Path(variables[name]).is_relative_to(tmp_path)
        assert not Path(variables[name]).exists()


def test_our_own_python_finds_our_packages_after_the_persons():
    variables = env.with_our_packages({"PYTHONPATH": "/theirs"})
    package = str(Path(env.__file__).parents[3])

    if any(path == package and "site-packages" in path for path in sys.path):
        assert variables == {"PYTHONPATH": "/theirs"}
    else:
        assert variables == {"PYTHONPATH": os.pathsep.join(["/theirs", package])}
        assert env.with_our_packages({}) == {"PYTHONPATH": package}
