"""Lazy imports: names of a package, and values of a table.

Elsewhere an import inside a function, with its reason beside it, does the same. A test resolves
every table of the package, so that no misspelt place waits for the stack that needs it.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from sys import modules
from typing import Any, TypeVar

Value = TypeVar("Value")


class LazyTable(Mapping[str, Value]):
    """A table whose values are imported one by one, when they are first looked up."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        """Make a table.

        Args:
            package: the full name of the package that has the modules.
            modules: where each value is, as `module:name`, by its key.
        """
        self._package = package
        self._places = modules
        self._values: dict[str, Value] = {}

    def __getitem__(self, key: str) -> Value:
        if key not in self._values:
            module, _, name = self._places[key].partition(":")
            self._values[key] = getattr(import_module(f"{self._package}.{module}"), name)
        return self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def lazy_names(package: str, exports: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's `__getattr__`, which imports a name's module and keeps the value.

    Args:
        package: the full name of the package.
        exports: names, separated by spaces, by the module below the package that has them; a
            module's own name stands for the module.
    """
    home = {name: module for module, names in exports.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{home[name]}")
        value = module if home[name] == name else getattr(module, name)
        setattr(modules[package], name, value)
        return value

    return load
