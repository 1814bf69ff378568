"""The schema of a YAML program's types, derived from the properties that it uses.

The host asks every package for its schema, and the sandbox's have none. It is told what the
program itself uses: each type with the properties that stand there, of any kind.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.engine.program_preview.project import Project, mapping, mapping_in
from gpuinfra.errors import InputError
from gpuinfra.sandbox.plugin.schema_exchange import any_of, maps_of
from gpuinfra.sandbox.variables import CLOUDS, COMPONENTS

FILES: Final = ("Main.json", "Main.yaml", "Pulumi.yaml")
"""Where the host reads a program, in its order.

https://github.com/pulumi/pulumi-yaml/blob/v1.30.0/pkg/pulumiyaml/run.go (LoadDir)
"""

_PULUMI_PACKAGE: Final = "pulumi"
_PROVIDERS: Final = "pulumi:providers:"
_BRIDGED_PROVIDERS: Final = frozenset({"aws", "gcp"})
"""Packages whose types are called `aws:s3/bucket:Bucket`, where a program says `aws:s3:Bucket`."""

_INVOKE: Final = "fn::invoke"
_CALL: Final = "fn::"
_USES: Final = re.compile(r"\$\{([^}]*)\}")
_NAME: Final = re.compile(r"[.\[]\s*\"?([A-Za-z_][\w-]*)")
_NESTED_PROPERTY: Final = re.compile(r"\.([A-Za-z_][\w-]*)(?=\.[A-Za-z_])")
"""A property of which a program asks a property in turn."""

_PARTS: Final = 3

_VERSIONS: Final = {"docker": "4.11.2"}
"""Versions that the host asks for where a program names none: Docker's images need 4 or newer.

https://github.com/pulumi/pulumi-yaml/issues/421
"""


@dataclass(slots=True)
class Types:
    """The types of a package: the inputs of resources and functions, and of its provider."""

    resources: dict[str, set[str]] = field(default_factory=dict)
    functions: dict[str, set[str]] = field(default_factory=dict)
    provider: set[str] = field(default_factory=set)


def schemas(project: Project) -> dict[str, dict[str, Any]]:
    """Return the schema of each package that a program uses, by package.

    Raises:
        InputError: the program can't be read.
    """
    program = program_in(project.working)
    by_package: dict[str, Types] = {}
    for token, properties in _resources(program):
        if token.startswith(_PROVIDERS):
            by_package.setdefault(token.removeprefix(_PROVIDERS), Types()).provider |= properties
        else:
            types = by_package.setdefault(token.partition(":")[0], Types())
            types.resources.setdefault(canonical(token), set()).update(properties)
    for token, arguments in _functions(program):
        types = by_package.setdefault(token.partition(":")[0], Types())
        types.functions.setdefault(canonical(token), set()).update(arguments)
    by_package.pop(_PULUMI_PACKAGE, None)
    names = set(_property_names(program))
    nested = {name for text in _expressions(program) for name in _NESTED_PROPERTY.findall(text)}
    return {
        package: _schema(package, types, names, nested) for package, types in by_package.items()
    }


def canonical(token: str) -> str:
    """Return the full name of a type or function from its short form."""
    parts = token.split(":")
    if len(parts) == _PARTS - 1:
        parts = [parts[0], "index", parts[1]]
    if len(parts) != _PARTS or parts[0] not in _BRIDGED_PROVIDERS or "/" in parts[1]:
        return ":".join(parts)
    package, module, name = parts
    return f"{package}:{module}/{name[:1].lower()}{name[1:]}:{name}"


def unsupported_packages(packages: Mapping[str, Any]) -> dict[str, str]:
    """Return the packages that the sandbox does not support, with the version of each."""
    return {
        name: _VERSIONS.get(name, "0.0.0")
        for name in packages
        if name not in {*CLOUDS, COMPONENTS}
    }


def program_in(folder: Path) -> dict[str, Any]:
    """Return the content of a folder's program.

    Raises:
        InputError: there is none, or it can't be read.
    """
    file = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if file is None:
        message = f"{folder} has no program in YAML"
        fix = "add resources to Pulumi.yaml, or to Main.yaml"
        raise InputError.of(message, allowed=", ".join(FILES), fix=fix)
    return mapping_in(file)


def _resources(program: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield the type and properties of each resource; the host refuses invalid ones."""
    parts = [program, *mapping(program.get("components")).values()]
    for part in parts:
        for resource in mapping(mapping(part).get("resources")).values():
            token = mapping(resource).get("type")
            if isinstance(token, str):
                properties = {**mapping(resource.get("properties"))}
                properties |= mapping(mapping(resource.get("get")).get("state"))
                yield token, {str(key) for key in properties}


def _functions(value: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield every function call, at any depth, with its argument names."""
    if isinstance(value, list):
        for nested_value in value:
            yield from _functions(nested_value)
    if not isinstance(value, dict):
        return
    for key, nested_value in value.items():
        function_key = str(key).lower()
        content = mapping(nested_value)
        call = _lower_keys(content)
        if function_key == _INVOKE and isinstance(call.get("function"), str):
            yield call["function"], {str(name) for name in mapping(call.get("arguments"))}
        elif function_key.startswith(_CALL) and ":" in function_key.removeprefix(_CALL):
            yield str(key)[len(_CALL) :], {str(name) for name in content}
        yield from _functions(nested_value)


def _property_names(value: Any) -> Iterator[str]:
    """Yield the names of all properties that the program reads."""
    for expression in _expressions(value):
        yield from _NAME.findall(expression)
    yield from _whole_outputs(value)


def _expressions(value: Any) -> Iterator[str]:
    """Yield every expression between braces."""
    for text in texts_in(value):
        yield from _USES.findall(text)


def _whole_outputs(value: Any) -> Iterator[str]:
    """Yield every output that an invoke returns alone."""
    if isinstance(value, list):
        for nested_value in value:
            yield from _whole_outputs(nested_value)
    elif isinstance(value, dict):
        output = _lower_keys(value).get("return")
        if isinstance(output, str):
            yield output
        for nested_value in value.values():
            yield from _whole_outputs(nested_value)


def _schema(package: str, types: Types, names: set[str], nested: set[str]) -> dict[str, Any]:
    maps = maps_of(nested)
    return {
        "name": package,
        **({"version": _VERSIONS[package]} if package in _VERSIONS else {}),
        "provider": {"inputProperties": any_of(types.provider)},
        "resources": {
            token: {"inputProperties": any_of(inputs), "properties": any_of(inputs | names) | maps}
            for token, inputs in types.resources.items()
        },
        "functions": {
            token: {
                "inputs": {"type": "object", "properties": any_of(inputs)},
                "outputs": {"type": "object", "properties": any_of(inputs | names) | maps},
            }
            for token, inputs in types.functions.items()
        },
    }


def _lower_keys(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with keys in lower case, as the host reads those of an invoke."""
    return {str(key).lower(): nested_value for key, nested_value in value.items()}
