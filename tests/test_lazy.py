"""What is imported on first use: nothing before it, and every place is there."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

import gpuinfra
from gpuinfra.clouds import CLOUDS
from gpuinfra.lazy import LazyTable, lazy_names

PACKAGE = Path(gpuinfra.__file__).parent


def tables() -> dict[str, LazyTable]:
    """Every table at the top of a module of the package."""
    by_variable = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "LazyTable[" in path.read_text("utf-8") and path.name != "lazy.py":
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            for variable, value in vars(import_module(name)).items():
                if isinstance(value, LazyTable):
                    by_variable[f"{name}.{variable}"] = value
    return by_variable


TABLES = tables()


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_entry_is_there(name: str) -> None:
    table = TABLES[name]

    assert [key for key in table if not callable(table[key])] == []


def test_every_cloud_has_a_table_of_observers() -> None:
    observers = {f"gpuinfra.clouds.{cloud}.observe.observers.OBSERVERS" for cloud in CLOUDS}

    assert observers < set(TABLES)


def test_a_value_is_imported_when_it_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "gpuinfra.units.factors"
    monkeypatch.delitem(sys.modules, module, raising=False)
    table = LazyTable[dict[str, int]]("gpuinfra.units", {"KiB": "factors:BYTES"})

    assert "KiB" in table
    assert "MiB" not in table
    assert (list(table), len(table)) == (["KiB"], 1)
    assert module not in sys.modules

    assert table["KiB"] is sys.modules[module].BYTES
    with pytest.raises(KeyError, match="MiB"):
        table["MiB"]


def test_a_modules_own_name_stands_for_the_module() -> None:
    load = lazy_names("gpuinfra.units", {"factors": "factors BYTES"})

    assert load("factors") is sys.modules["gpuinfra.units.factors"]
    assert load("BYTES") is sys.modules["gpuinfra.units.factors"].BYTES
    with pytest.raises(AttributeError, match="has no attribute 'MiB'"):
        load("MiB")
