"""`gpuinfra engine install --yaml`, as a user meets it."""

import pytest

pytestmark = pytest.mark.e2e


def test_the_host_of_yaml_programs_is_found_on_path(gpuinfra, tmp_path, monkeypatch):
    host = tmp_path / "pulumi-language-yaml"
    host.write_text("#!/bin/sh\n")
    host.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    ran = gpuinfra("engine", "install", "--yaml")

    assert ran.code == 0
    assert f"the language host for YAML programs: {host}" in ran.err


def test_without_go_the_way_out_is_said(gpuinfra, tmp_path, monkeypatch, engine):
    alone = tmp_path / "pulumi"
    alone.symlink_to(engine.path)  # nothing lies beside it
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("GPUINFRA_PULUMI", str(alone))
    ran = gpuinfra("engine", "install", "--yaml")

    assert ran.code == 3
    assert "there is no go on PATH" in ran.err
