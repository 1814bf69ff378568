"""The configuration of a preview: a stack's file and the given values, without secrets."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gpuinfra.engine.program_preview.project import Project, mapping_in
from gpuinfra.errors import InputError, Problem, unknown_word
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.records import record
from gpuinfra.units.message_merging import first_in_words

UNNAMED_STACK: Final = "dev"
"""The stack name of a program without configuration."""

PLACEHOLDER: Final = "gpuinfra-placeholder-of-a-secret"
"""The placeholder that a program receives for a secret: it is not decrypted, and a preview has no
unknown ones."""

_MOST_SHOWN: Final = 4


@record
class Configuration:
    """The configuration of a preview.

    Attributes:
        stack: the stack's name.
        values: configuration by full key, without secrets.
        secrets: paths of what was encrypted, as `pulumi config --path` takes them.
        notes: what a reader of the verdict has to know, one sentence each.
        unknown: full keys that have no value and are taken as unknown.
    """

    stack: str
    values: Mapping[str, Any]
    secrets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def plain_values(self) -> dict[str, Any]:
        """All values by full key, including those that are taken as unknown."""
        return {**self.values, **dict.fromkeys(self.unknown, UNKNOWN_TEXT)}

    def text(self, except_for: Container[str] = ()) -> str:
        """Return the stack's file for the engine, without some keys; JSON is valid YAML."""
        values = {key: value for key, value in self.plain_values.items() if key not in except_for}
        return json.dumps({"config": values}, default=str)

    def mark_unknown(self, keys: Iterable[str], project: str) -> "Configuration":
        """Return the configuration with more keys marked as unknown."""
        full = (key if ":" in key else f"{project}:{key}" for key in keys)
        return replace(self, unknown=tuple(dict.fromkeys((*self.unknown, *full))))


def read(project: Project, stack: str | None, plain_values: Mapping[str, str]) -> Configuration:
    """Return the configuration of the named stack, or of the only one.

    Args:
        project: the program.
        stack: the stack's name, as in Pulumi.<name>.yaml.
        plain_values: values that replace the file's, by key.

    Raises:
        InputError: the stack has no file, or several could be meant.
    """
    file, name, notes = _choose_stack(project, stack)
    settings = mapping_in(file) if file else {}
    config = settings.get("config") or {}
    if not isinstance(config, dict):
        message = f"config of {file} is not a mapping"
        raise InputError.of(message, fix="write it as `pulumi config set` does")
    own_values = {
        key if ":" in key else f"{project.name}:{key}": value
        for key, value in plain_values.items()
    }
    values: dict[str, Any] = {}
    secrets: list[str] = []
    for key, value in config.items():
        full = key if ":" in str(key) else f"{project.name}:{key}"
        if full not in own_values:
            secret_paths = list(_secret_paths(value, full))
            secrets += secret_paths
            if secret_paths != [full]:
                values[full] = _without_secrets(value)
    if settings.get("environment"):
        notes.append(
            f"{file}: its environments (Pulumi ESC) are not read, because they require "
            "an account; set values with --config KEY=VALUE"
        )
    if secrets:
        notes.append(
            f"secrets of {file} are not decrypted, the program gets placeholders: "
            f"{first_in_words(secrets, _MOST_SHOWN)}"
        )
    return Configuration(
        stack=name, values={**values, **own_values}, secrets=tuple(secrets), notes=tuple(notes)
    )


def _choose_stack(project: Project, stack: str | None) -> tuple[Path | None, str, list[str]]:
    """Return the stack's file and name, and notes on the choice."""
    files = {
        file.name.split(".", 1)[1].rpartition(".")[0]: file
        for ending in ("yaml", "yml", "json")
        for file in sorted(project.settings.glob(f"Pulumi.*.{ending}"))
    }
    if stack is not None:
        name = stack.rpartition("/")[2]
        if name not in files:
            raise InputError([_no_such(project, name, files)])
        return files[name], name, []
    if len(files) > 1:
        raise InputError([_several_stacks_problem(project, files)])
    if files:
        name, file = next(iter(files.items()))
        return file, name, [f"previewed as stack {name}, with the configuration of {file.name}"]
    note = f"previewed as stack {UNNAMED_STACK}, without a stack's configuration"
    return None, UNNAMED_STACK, [note]


def _no_such(project: Project, name: str, files: Mapping[str, Path]) -> Problem:
    message = f"{project.settings} has no configuration of that stack"
    fix = f"name a stack that has a Pulumi.<stack>.yaml, or write Pulumi.{name}.yaml"
    return unknown_word(message, name, files, fix=fix)


def _several_stacks_problem(project: Project, files: Mapping[str, Path]) -> Problem:
    return Problem(
        message=f"{project.folder} has the configuration of several stacks, and none is the "
        "default",
        allowed=", ".join(files),
        fix=f"choose one: --config-of {next(iter(files))}",
    )


def _secret_paths(value: Any, path: str) -> Iterator[str]:
    """Yield the paths of all secrets in a value."""
    if _is_secret(value):
        yield path
    elif isinstance(value, dict):
        for key, nested_value in value.items():
            yield from _secret_paths(nested_value, f"{path}[{json.dumps(str(key))}]")
    elif isinstance(value, list):
        for index, nested_value in enumerate(value):
            yield from _secret_paths(nested_value, f"{path}[{index}]")


def _without_secrets(value: Any) -> Any:
    """Return a value with each secret in it replaced by a placeholder."""
    if _is_secret(value):
        return PLACEHOLDER
    if isinstance(value, dict):
        return {str(key): _without_secrets(nested_value) for key, nested_value in value.items()}
    return (
        [_without_secrets(nested_value) for nested_value in value]
        if isinstance(value, list)
        else value
    )


def _is_secret(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"secure"}


def unset_notes(configuration: Configuration) -> Iterator[str]:
    """Yield a note on the values that are taken as unknown."""
    if configuration.unknown:
        yield f"not set, taken as unknown (--config-unknown): {', '.join(configuration.unknown)}"
