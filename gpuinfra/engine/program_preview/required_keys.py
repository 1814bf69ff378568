"""The configuration keys that a Python program reads at its top level, from its text.

Python stops at the first missing key, and a preview takes seconds: a program with eight of them
would run nine times.
"""

import ast
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Final

_MAIN: Final = "__main__.py"
_MAY_NOT_RUN: Final = (
    ast.BoolOp,
    ast.IfExp,
    ast.Lambda,
    ast.GeneratorExp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)
_REQUIRES: Final = ("require", "require_secret", "require_object", "require_secret_object")
"""Those that take any text; for a number or a flag no unknown value stands in."""
_GETS: Final = ("get", "get_secret", "get_object", "get_secret_object")
"""Those that return None without a value."""


def keys_read(program: Path, reader_names: Container[str]) -> tuple[str, ...]:
    """Return the keys of its own project that the main file reads by some methods, in their order.

    Only statements that run whatever the values are: none in a branch, a loop or a function.
    """
    path = program / _MAIN if program.is_dir() else program
    try:
        module = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ()
    statements = [node for node in module.body if isinstance(node, ast.Assign | ast.Expr)]
    config_names = {name for node in statements for name in _configs(node)}
    return tuple(
        dict.fromkeys(
            key for node in statements for key in _keys(node.value, config_names, reader_names)
        )
    )


def missing_keys(
    program: Path, project_name: str, configured_keys: Iterable[str]
) -> tuple[str, ...]:
    """Return the keys that a program requires of its project and that nothing gives.

    Args:
        program: the file or the folder that runs.
        project_name: the project's name.
        configured_keys: the keys that have a value, with the project's name or without.
    """
    return _missing_keys(required_keys(program), project_name, configured_keys)


def required_keys(program: Path) -> tuple[str, ...]:
    """Return the keys that the main file requires of its own project, in their order."""
    return keys_read(program, _REQUIRES)


def optional(program: Path, project_name: str, configured_keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys that a program reads of its project, None without one; as `missing_keys`."""
    return _missing_keys(keys_read(program, _GETS), project_name, configured_keys)


def _missing_keys(
    keys: Iterable[str], project_name: str, configured_keys: Iterable[str]
) -> tuple[str, ...]:
    configured = {key if ":" in key else f"{project_name}:{key}" for key in configured_keys}
    return tuple(key for key in keys if f"{project_name}:{key}" not in configured)


def _configs(node: ast.Assign | ast.Expr) -> Iterator[str]:
    """Yield the names that a statement binds to the project's own configuration."""
    if isinstance(node, ast.Assign) and _is_config(node.value):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _is_config(value: ast.expr) -> bool:
    """Return whether this is `pulumi.Config()` or `Config()`."""
    if not isinstance(value, ast.Call) or value.args or value.keywords:
        return False
    function = value.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "Config"


def _keys(
    value: ast.expr, config_names: Container[str], reader_names: Container[str]
) -> Iterator[str]:
    """Yield the keys that an expression reads by a literal, if each part of it is run."""
    parts = list(ast.walk(value))
    if any(isinstance(part, _MAY_NOT_RUN) for part in parts):
        return
    for part in parts:
        if (
            isinstance(part, ast.Call)
            and _reads_configuration(part.func, config_names, reader_names)
            and part.args
        ):
            first = part.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def _reads_configuration(
    function: ast.expr, config_names: Container[str], reader_names: Container[str]
) -> bool:
    """Return whether this is one of some methods of the project's own configuration."""
    if not isinstance(function, ast.Attribute) or function.attr not in reader_names:
        return False
    holder = function.value
    return _is_config(holder) or (isinstance(holder, ast.Name) and holder.id in config_names)
