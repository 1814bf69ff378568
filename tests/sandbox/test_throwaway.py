"""A sandbox for one preview: in a folder of its own, without a server until one is asked for."""

import os
from pathlib import Path

import pytest

from gpuinfra.sandbox import lifecycle
from gpuinfra.sandbox.plugin.aws.moto import Moto
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.variables import install_passthrough_plugins, temporary_environment


def test_it_is_lenient_has_plugins_and_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("GOOGLE_PROJECT", "mine")
    variables = temporary_environment(tmp_path / "own")

    assert variables["PATH"] == f"{tmp_path}/own/bin{os.pathsep}/usr/bin"
    assert variables["GPUINFRA_SANDBOX_HOME"] == str(tmp_path / "own")
    assert variables["GPUINFRA_SANDBOX_STRICT"] == "0"
    assert variables["GOOGLE_PROJECT"] == "sandbox-project"
    assert "AWS_ENDPOINT_URL" not in variables
    assert os.access(tmp_path / "own" / "bin" / "pulumi-resource-gcp", os.X_OK)
    assert not (tmp_path / "own" / "server.json").exists()


def test_further_packages_get_executables_and_the_clouds_keep_theirs(tmp_path: Path) -> None:
    temporary_environment(tmp_path)
    install_passthrough_plugins(tmp_path, {"random": "4.18.0", "aws": "7.0.0"})

    random, aws = (tmp_path / "bin" / f"pulumi-resource-{name}" for name in ("random", "aws"))
    assert "passthrough random 4.18.0" in random.read_text()
    assert os.access(random, os.X_OK)
    assert "passthrough" not in aws.read_text()


def test_its_server_is_started_by_the_first_who_asks(
    sandbox_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox_home.mkdir()
    with pytest.raises(CloudRefusalError, match="server ended"):
        Moto().client("ec2", "us-east-1")

    monkeypatch.setenv("GPUINFRA_SANDBOX_ON_DEMAND", "1")
    client = Moto().client("ec2", "us-east-1")

    assert client.describe_vpcs()["Vpcs"]
    assert lifecycle.find() is not None
    client.close()
