"""Puts a mutant in the place of a loaded module, so that whoever imported it runs the mutant."""

import gc
import inspect
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.mutants.mutations import Mutant, unchanged


def caches_of(files: Collection[Path]) -> Sequence[Any]:
    """Every function of these files that keeps what it returned, so that its lines run once."""
    paths = {str(file) for file in files}
    gc.unfreeze()  # what is frozen is not among the objects
    kept = [thing for thing in gc.get_objects() if isinstance(thing, _lru_cache_wrapper)]
    return [each for each in kept if inspect.unwrap(each).__code__.co_filename in paths]


class NotAppliedError(Exception):
    """A mutant can't be put in place, so that tests would run the module as it was."""


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


def functions_of(files: Collection[Path]) -> Mapping[Path, Sequence[FunctionType]]:
    """Every function of these files that there is: of modules, classes and records, and made ones.

    To be asked before a fork: to look at each object copies its memory.
    """
    paths = {str(file): file for file in files}
    found: dict[Path, list[FunctionType]] = {file: [] for file in files}
    gc.unfreeze()  # what is frozen is not among the objects
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename in paths:
            found[paths[thing.__code__.co_filename]].append(thing)
    return found


def apply(mutant: Mutant, functions: Sequence[FunctionType]) -> None:
    """Change the module of a mutant; for the rest of the life of the process.

    Others hold the module's functions and rules, so these stay and are changed inside.

    Args:
        mutant: what is put in place.
        functions: all that were made of its file.

    Raises:
        NotAppliedError: no test loaded the module, or a function can't be changed inside.
        Exception: what the mutant raises as it is loaded.
    """
    module = loaded(mutant.file)
    if module is None:
        raise NotAppliedError(mutant.file)
    fresh: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    holder = ModuleType(module.__name__)
    holder.__dict__.update(fresh)
    sys.modules[module.__name__] = holder  # dataclasses look for their module there
    try:
        exec(mutant.code, holder.__dict__)  # noqa: S102
    finally:
        sys.modules[module.__name__] = module
    _codes_replaced(mutant, functions)
    for name, new in list(vars(holder).items()):
        _replace(module, name, new)


def _codes_replaced(mutant: Mutant, functions: Sequence[FunctionType]) -> None:
    """Change every function inside, also lambdas in tables and what other functions made."""
    places = {code: place for place, code in _placed(unchanged(mutant.file).code)}
    instead = dict(_placed(mutant.code))
    for function in functions:
        was = function.__code__
        now = instead.get(places[was]) if was in places else None
        if now is None or now == was:
            continue
        if now.co_freevars != was.co_freevars:
            raise NotAppliedError(f"{now.co_qualname} has other variables of its surroundings")
        function.__code__ = now


def _placed(code: CodeType) -> Iterator[tuple[tuple[str, int, int], CodeType]]:
    """The code of each function by its name, its line, and how many such the line had before."""
    earlier: Counter[tuple[str, int]] = Counter()
    waiting = [code]
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, CodeType)]
        for each in inner:
            name, line = each.co_qualname, each.co_firstlineno
            yield (name, line, earlier[name, line]), each
            earlier[name, line] += 1
        waiting += inner


def _replace(module: ModuleType, name: str, new: Any) -> None:
    old = vars(module).get(name)
    if name.startswith("__") or new is old:
        return
    if isinstance(new, FunctionType) and isinstance(old, FunctionType):
        _inside(old, new)
    elif isinstance(new, type) and isinstance(old, type):
        _class(old, new)
    elif is_dataclass(old) and type(old).__qualname__ == type(new).__qualname__:
        _fields(old, new)
    else:
        setattr(module, name, new)


def _inside(old: FunctionType, new: FunctionType) -> None:
    old, new = inspect.unwrap(old), inspect.unwrap(new)
    if old.__code__.co_freevars != new.__code__.co_freevars:
        raise NotAppliedError(f"{new.__qualname__} has other variables of its surroundings")
    old.__code__ = new.__code__
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
    for mine, theirs in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
        mine.cell_contents = theirs.cell_contents


def _class(old: type, new: type) -> None:
    """Take over the methods, and the defaults of a dataclass; it keeps the `__init__` it has."""
    methods = dict(_methods(new))
    for called, mine in _methods(old):
        if called in methods:
            _inside(mine, methods[called])
    if not is_dataclass(old) or not is_dataclass(new):
        return
    known = {field.name: field for field in fields(old)}
    for field in fields(new):
        known[field.name].default = field.default
    given = {name: field.default for name, field in known.items() if field.default is not MISSING}
    init = inspect.unwrap(vars(old)["__init__"])
    if init.__kwdefaults__:
        init.__kwdefaults__ = {**init.__kwdefaults__, **_of(given, init.__kwdefaults__)}
    if init.__defaults__:
        plain = init.__code__.co_varnames[: init.__code__.co_argcount]
        had = dict(zip(plain[-len(init.__defaults__) :], init.__defaults__, strict=True))
        init.__defaults__ = tuple({**had, **_of(given, had)}.values())


def _of(given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in names}


def _methods(class_: type) -> Iterator[tuple[str, FunctionType]]:
    """The methods that stand in a class: not those of a dataclass or record, which know it."""
    for name, value in sorted(vars(class_).items()):
        inner = value.fget if isinstance(value, property) else value
        written = isinstance(inner, FunctionType) and inner.__module__ == class_.__module__
        if written and inner.__code__.co_filename.endswith(".py"):
            yield name, inner


def _fields(old: Any, new: Any) -> None:
    """Take over every field; a function with a name stays, and is changed inside."""
    for field in fields(old):
        mine, theirs = getattr(old, field.name), getattr(new, field.name)
        if isinstance(mine, FunctionType) and mine.__name__ != "<lambda>":
            _inside(mine, theirs)
        else:
            object.__setattr__(old, field.name, theirs)
