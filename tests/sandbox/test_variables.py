import os
import stat
from pathlib import Path

import pytest

from gpuinfra import sandbox


def test_the_environment_is_all_a_pulumi_process_needs(
    shared_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    variables = sandbox.environment()

    assert variables["PATH"] == f"{shared_home}/bin{os.pathsep}/usr/bin"
    assert variables["PULUMI_BACKEND_URL"] == f"file://{shared_home}/state"
    assert variables["PULUMI_CONFIG_PASSPHRASE"] == ""
    assert variables["PULUMI_SKIP_UPDATE_CHECK"] == "true"
    assert variables["AWS_ENDPOINT_URL"] == sandbox.status().endpoint
    assert variables["GPUINFRA_SANDBOX_STRICT"] == "1"
    assert "AWS_REGION" not in variables


def test_the_plugins_folder_is_put_in_front_once(
    shared_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", sandbox.environment()["PATH"])

    assert sandbox.environment()["PATH"].count(str(shared_home)) == 1


def test_region_and_leniency_are_passed_on(shared_home: Path) -> None:
    variables = sandbox.environment(strict=False, region="eu-west-1")

    assert (variables["AWS_REGION"], variables["GPUINFRA_SANDBOX_STRICT"]) == ("eu-west-1", "0")


def test_no_cloud_finds_a_persons_credentials(
    shared_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CREDENTIALS", "mine")
    monkeypatch.setenv("ARM_CLIENT_SECRET", "mine")
    monkeypatch.setenv("GOOGLE_PROJECT", "my-project")
    variables = sandbox.environment()

    assert (variables["GOOGLE_CREDENTIALS"], variables["ARM_CLIENT_SECRET"]) == ("", "")
    assert not Path(variables["GOOGLE_APPLICATION_CREDENTIALS"]).exists()
    assert not Path(variables["AZURE_CONFIG_DIR"]).exists()
    assert variables["GOOGLE_PROJECT"] == "my-project"
    assert variables["ARM_SUBSCRIPTION_ID"]


@pytest.mark.parametrize("package", ["aws", "gcp", "azure-native"])
def test_every_cloud_has_its_plugin(package: str, shared_home: Path) -> None:
    sandbox.environment()

    assert os.access(shared_home / "bin" / f"pulumi-resource-{package}", os.X_OK)


def test_plugins_are_executable_and_written_once(shared_home: Path) -> None:
    sandbox.environment()
    plugin = shared_home / "bin" / "pulumi-resource-aws"
    written = plugin.stat()
    sandbox.environment()

    assert written.st_mode & stat.S_IXUSR
    assert plugin.stat().st_ino == written.st_ino
