import importlib
import inspect
import re
from collections.abc import Iterator

import pytest

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.clouds.azure.observe.observers import OBSERVERS

LISTED = {token for row in machineless_types.rows() for token in row["types"]}
PACKAGE = "azure-native:"


def other_names(token: str) -> Iterator[str]:
    """How the SDK says that earlier versions of the provider name a type, without API versions."""
    _, module, name = token.split(":")
    try:
        package = importlib.import_module(f"pulumi_azure_native.{module}")
    except ModuleNotFoundError:
        return
    if not hasattr(package, name):
        return  # a former name itself
    source = inspect.getsource(inspect.getmodule(getattr(package, name)))
    for alias in re.findall(r'type_="(azure-native:[a-z]+:\w+)"', source):
        if alias != token:
            yield alias


@pytest.mark.parametrize("token", sorted(resource_types.UNPRICED_TYPES.union(OBSERVERS)))
def test_a_type_is_known_by_its_former_names(token: str) -> None:
    if token.startswith(PACKAGE):
        assert {resource_types.canonical(name) for name in other_names(token)} <= {token}


@pytest.mark.slow
def test_types_without_machines_are_listed_by_their_former_names() -> None:
    tokens = sorted(kind for kind in LISTED if kind.startswith(PACKAGE))
    missing = {token: set(other_names(token)) - LISTED for token in tokens}

    assert tokens
    assert {token: names for token, names in missing.items() if names} == {}


def test_two_types_have_moved_since_the_provider_s_second_version() -> None:
    assert (
        resource_types.canonical("azure-native:insights/v20221001:AutoscaleSetting")
        == resource_types.AUTOSCALE
    )
    assert "azure-native:insights:Component" in set(
        other_names("azure-native:applicationinsights:Component")
    )
