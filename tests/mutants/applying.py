"""Puts a mutant in the place of a loaded module, so that whoever imported it runs the mutant."""

import gc
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.mutants.mutations import Mutant


def loaded(file: Path) -> ModuleType | None:
    """The module that was loaded from a file."""
    here = str(file)
    return next(
        (
            module
            for module in list(sys.modules.values())
            if getattr(module, "__file__", None) == here
        ),
        None,
    )


def apply(mutant: Mutant) -> None:
    """Change the module of a mutant; for the rest of the life of the process.

    Others hold the module's functions and rules by name, so these stay and are changed inside.

    Raises:
        LookupError: no test loaded the module.
        Exception: what the mutant raises as it is loaded.
    """
    module = loaded(mutant.file)
    if module is None:
        raise LookupError(mutant.file)
    fresh: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    holder = ModuleType(module.__name__)
    holder.__dict__.update(fresh)
    sys.modules[module.__name__] = holder  # dataclasses look for their module there
    try:
        exec(mutant.code, holder.__dict__)  # noqa: S102
    finally:
        sys.modules[module.__name__] = module
    for name, new in list(vars(holder).items()):
        _replace(module, name, new)


def _replace(module: ModuleType, name: str, new: Any) -> None:
    old = vars(module).get(name)
    if name.startswith("__") or new is old:
        return
    if isinstance(new, FunctionType) and isinstance(old, FunctionType):
        _inside(old, new)
    elif isinstance(new, type) and isinstance(old, type):
        methods = dict(_methods(new))
        for called, mine in _methods(old):
            if called in methods:  # a record that was made has the `__init__` of its fields
                _inside(mine, methods[called])
    elif is_dataclass(old) and type(old).__qualname__ == type(new).__qualname__:
        _fields(old, new)
    else:
        setattr(module, name, new)


def _inside(old: FunctionType, new: FunctionType) -> None:
    old, new = inspect.unwrap(old), inspect.unwrap(new)
    if old.__code__.co_freevars != new.__code__.co_freevars:
        return  # it can't be changed inside: the mutant survives
    _inside_made(old.__code__, new.__code__)
    old.__code__ = new.__code__
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
    for mine, theirs in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
        mine.cell_contents = theirs.cell_contents


def _inside_made(old: CodeType, new: CodeType) -> None:
    """Change what a function made as modules were loaded, for example the checks of rules."""
    inner, instead = _codes(old), _codes(new)
    for mine, theirs in zip(inner, instead, strict=True) if len(inner) == len(instead) else ():
        if mine == theirs or mine.co_freevars != theirs.co_freevars:
            continue
        gc.unfreeze()  # what is frozen refers to nothing, as far as it tells
        for made in gc.get_referrers(mine):
            if isinstance(made, FunctionType):
                made.__code__ = theirs
        _inside_made(mine, theirs)


def _codes(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _methods(class_: type) -> Iterator[tuple[str, FunctionType]]:
    for name, value in sorted(vars(class_).items()):
        inner = value.fget if isinstance(value, property) else value
        if isinstance(inner, FunctionType) and inner.__code__.co_filename.endswith(".py"):
            yield name, inner


def _fields(old: Any, new: Any) -> None:
    """Take over every field; a function with a name stays, and is changed inside."""
    for field in fields(old):
        mine, theirs = getattr(old, field.name), getattr(new, field.name)
        if isinstance(mine, FunctionType) and mine.__name__ != "<lambda>":
            _inside(mine, theirs)
        else:
            object.__setattr__(old, field.name, theirs)
