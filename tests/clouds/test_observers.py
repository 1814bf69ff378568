"""Each cloud's table of observers: all are called alike, for types by their names of today."""

import inspect
from importlib import import_module

import pytest

from gpuinfra.clouds import CLOUDS


def module_of(cloud: str, name: str):
    return import_module(f"gpuinfra.clouds.{cloud}.observe.{name}")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_an_observer_takes_a_resource_the_index_and_its_usage(cloud: str) -> None:
    observers = module_of(cloud, "observers").OBSERVERS

    assert observers
    for kind in observers:
        inspect.signature(observers[kind]).bind(None, None, None)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_an_observed_type_is_a_judged_one_by_its_name_of_today(cloud: str) -> None:
    kinds, observers = module_of(cloud, "resource_types"), module_of(cloud, "observers")

    assert [kind for kind in observers.OBSERVERS if kinds.canonical(kind) != kind] == []
    assert [kind for kind in observers.OBSERVERS if kind not in observers.TYPES] == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_each_file_system_is_observed(cloud: str) -> None:
    observers = module_of(cloud, "observers").OBSERVERS

    assert set(module_of(cloud, "resource_types").FILE_SYSTEMS) <= set(observers)
