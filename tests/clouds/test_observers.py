"""Each cloud's table of observers: all are called alike, for types by their names of today."""

import inspect
from importlib import import_module

import pytest

from gpuinfra.clouds import CLOUDS


def module_of(cloud: str, name: str):
    return import_module(f"gpuinfra.clouds.{cloud}.observe.{name}")


ENTRIES = sorted(
    (cloud, kind) for cloud in CLOUDS for kind in module_of(cloud, "observers").OBSERVERS
)


@pytest.mark.parametrize(("cloud", "kind"), ENTRIES)
def test_an_observer_takes_a_resource_the_index_and_its_usage(cloud: str, kind: str) -> None:
    inspect.signature(module_of(cloud, "observers").OBSERVERS[kind]).bind(None, None, None)


@pytest.mark.parametrize(("cloud", "kind"), ENTRIES)
def test_an_observed_type_is_a_judged_one_by_its_name_of_today(cloud: str, kind: str) -> None:
    kinds = module_of(cloud, "resource_types")

    assert kinds.canonical(kind) == kind
    assert kind in module_of(cloud, "observers").TYPES


@pytest.mark.parametrize("cloud", CLOUDS)
def test_each_file_system_is_observed(cloud: str) -> None:
    observers = module_of(cloud, "observers").OBSERVERS

    assert set(module_of(cloud, "resource_types").FILE_SYSTEMS) <= set(observers)
