"""The Google Cloud plugin as the engine sees it, and a project in which others' things stand."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.sandbox.ledger import Ledger
from gpuinfra.sandbox.plugin.contract import OperationTarget
from gpuinfra.sandbox.plugin.gcp.cloud import cloud
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.settings import ProviderSettings

SETTINGS = {"project": "town", "region": "us-central1", "zone": "us-central1-a"}


@pytest.fixture(scope="session")
def gcp(town_home: Path, plugin: Any) -> Iterator[Any]:
    """One plugin process in the shared sandbox."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUINFRA_SANDBOX_HOME", str(town_home))
        started = type(plugin)(package="gcp", **SETTINGS)
    yield started
    started.close()


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Resources:
    """The plugin's core in this process, with a ledger of the test's own."""
    monkeypatch.setenv("GPUINFRA_SANDBOX_HOME", str(tmp_path))
    account = {"project": "town", "zone": "us-central1-a"}
    return Resources(
        cloud(),
        Ledger(tmp_path / "ledger.db"),
        ProviderSettings(place="us-central1", account=account),
    )


@pytest.fixture
def make(resources: Resources) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Makes a resource of a type such as `compute.Network`; its name is the logical one."""

    def made(kind: str, name: str, **inputs: Any) -> tuple[str, dict[str, Any]]:
        target = target_of(kind, name)
        rule = resources.cloud.naming(target.token)
        named = {rule.key: name} if rule is not None else {}
        return resources.create(target, {**named, **inputs})

    return made


def target_of(kind: str, name: str) -> OperationTarget:
    module, _, noun = kind.partition(".")
    token = f"gcp:{module}/{noun[0].lower()}{noun[1:]}:{noun}"
    return OperationTarget(f"urn:pulumi:dev::town::{token}::{name}", token, name)
