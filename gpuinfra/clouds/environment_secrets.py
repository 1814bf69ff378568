"""Secrets in plain environment variables of functions and containers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpuinfra.clouds import digests
from gpuinfra.clouds.observing.values import as_list, at, flag
from gpuinfra.clouds.plain_text_secrets import (
    entry_of_type,
    plain_script_secrets,
    secrets_in_texts,
    values_at_path,
)
from gpuinfra.clouds.secrets import joined_secrets, value_secrets
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Resource, Unknown

TABLE: Final = Path(__file__).with_name("environments.json")
"""Where each type has its environment, and other texts that are kept in the open."""

_TAGS: Final = ("tags", "labels")
_TAGS_WITHIN: Final = (
    *(("resourceLabels",), ("userLabels",), ("nodeLabels",)),
    *(("nodeConfig", "labels"), ("nodeConfig", "resourceLabels")),
    *(("agentPoolProfiles", "nodeLabels"), ("agentPoolProfiles", "tags")),
    ("properties", "labels"),
)
"""The other paths of labels: of what a resource makes, and of its nodes in a cluster."""

_CLUSTER: Final = "kubernetes:"
_SECURE_STRING: Final = "SecureString"
"""The type of a parameter that Systems Manager encrypts:
https://docs.aws.amazon.com/systems-manager/latest/userguide/secure-string-parameter-kms-encryption.html"""

_HIDDEN: Final = ("secret", "isEncrypted")
"""Of a named value of API Management and a variable of Automation that is encrypted; UNKNOWN
counts as set: https://learn.microsoft.com/azure/api-management/api-management-howto-properties,
https://learn.microsoft.com/azure/automation/shared-resources/variables
(2026-11-27, not re-read: unverified)"""
_POLICY: Final = ("value",)
_NAME_KEYS: Final = ("name", "keyValueName", "displayName", "variableName")

_SCRIPTS: Final = frozenset(
    {"content", "contentBase64", "script", "scriptData", "text", "parameterData"}
)

_REFERENCES: Final = ("PARAMETER_STORE", "SECRETS_MANAGER")
"""Types of a CodeBuild variable whose value only names where the secret is kept:
https://docs.aws.amazon.com/codebuild/latest/APIReference/API_EnvironmentVariable.html"""

_SOURCE_TOKEN: Final = ("sourceControlDetails", "authToken")
_SOURCE_STRATEGY: Final = ("sourceControlDetails", "authStrategy")
_NAMING_STRATEGIES: Final = ("AWS_SECRETS_MANAGER", UNKNOWN)
"""Strategies of a Glue job whose token only names where the secret is kept:
https://docs.aws.amazon.com/glue/latest/webapi/API_SourceControlDetails.html"""


@cache
def paths_of(column: str) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return the places of a column of the table, by the type of resource that has any."""
    return {
        row["type"]: tuple(tuple(path.split(".")) for path in row[column].split())
        for row in rows_of(digests.table(TABLE))
        if row[column]
    }


def exposed_secrets(resource: Resource) -> tuple[str, ...] | Unknown | None:
    """Return descriptions of the passwords and keys in a resource's environment.

    None for a resource that has no environment, nor a plain text with a secret; UNKNOWN where the
    environment shows none as far as it is known, and not all of it is known or can be read.
    What is marked as a secret is not known.
    """
    if resource.redacted_inputs:
        inputs = {**resource.inputs, **resource.redacted_inputs}
        resource = replace(resource, inputs=inputs)
    kind = resource.type
    paths = entry_of_type(paths_of("environment"), kind)
    excluded_paths = (
        *(paths or ()),
        *(entry_of_type(paths_of("texts"), kind) or ()),
        *_naming_paths(resource.inputs),
    )
    texts = secrets_in_texts(kind, resource.inputs, excluded_paths)
    secrets_texts = (
        *_plain_text_secrets(resource),
        *texts,
        *_tag_secrets(resource.inputs),
        *_cluster_secrets(resource),
    )
    plain_text_secrets = tuple(dict.fromkeys(secrets_texts))
    if paths is None:
        return plain_text_secrets or None
    secrets = [
        _environment_secrets(environment)
        for path in paths
        for environment in values_at_path(resource.inputs, path)
    ]
    return joined_secrets([plain_text_secrets, *secrets])


def unknown_variables(resource: Resource) -> tuple[str, ...]:
    """Return the names of environment variables whose values are secret, or not known yet."""
    inputs = {**resource.inputs, **resource.redacted_inputs}
    names = (
        name
        for path in entry_of_type(paths_of("environment"), resource.type) or ()
        for environment in values_at_path(inputs, path)
        for name in _unknown_variables(environment)
        if isinstance(name, str)
    )
    return tuple(dict.fromkeys(names))


def _naming_paths(inputs: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the path of a token that another input tells to be the name of a secret."""
    if at(inputs, *_SOURCE_STRATEGY) in _NAMING_STRATEGIES:
        yield _SOURCE_TOKEN


def _cluster_secrets(resource: Resource) -> Iterator[str]:
    if resource.type.startswith(_CLUSTER):
        from gpuinfra.clouds import cluster_secrets  # noqa: PLC0415  (few stacks have any)

        yield from cluster_secrets.cluster_secrets(resource.type, resource.inputs)


def _tag_secrets(inputs: Mapping[str, Any]) -> Iterator[str]:
    """Return the secrets in tags and labels, which anyone who may list resources can read."""
    for key in filter(inputs.__contains__, _TAGS):
        tags = inputs[key]
        if isinstance(tags, Mapping):
            yield from value_secrets(tags, key)
        for tag in tags if isinstance(tags, (list, tuple)) else ():
            name = at(tag, "key")
            if isinstance(name, str):
                yield from value_secrets(at(tag, "value"), f"{key}.{name}")
    for path in _TAGS_WITHIN:
        if path[0] in inputs:  # a resource has one of them, if any
            for tags in values_at_path(inputs, path):
                yield from value_secrets(tags, ".".join(path))


def _plain_text_secrets(resource: Resource) -> tuple[str, ...]:
    """Return the secrets in plain-text inputs; the key or name next to a value identifies it."""
    inputs = resource.inputs
    paths = entry_of_type(paths_of("texts"), resource.type)
    if paths is None or inputs.get("type") in (_SECURE_STRING, UNKNOWN):
        return ()
    if any(flag(inputs.get(key)) for key in _HIDDEN):
        return ()
    called = next(filter(None, map(inputs.get, _NAME_KEYS)), None)
    return tuple(
        secret_text
        for path in paths
        for text in values_at_path(inputs, path)
        for secret_text in _text_secrets(text, path, called)
    )


def _text_secrets(text: Any, path: tuple[str, ...], called: Any) -> Iterator[str]:
    if path[-1] in _SCRIPTS and isinstance(text, str):
        yield from plain_script_secrets(text, ".".join(path))
    elif isinstance(text, str) and path == _POLICY and text.lstrip().startswith("<"):
        from gpuinfra.clouds import gateway_policies  # noqa: PLC0415  (few stacks have any)

        yield from gateway_policies.policy_secrets(text, "its policy")
    elif isinstance(text, str) and isinstance(called, str):
        yield from value_secrets(text, f"{path[-1]}.{called.rpartition('/')[2]}")
    else:
        for value in (text, *_each_of(text)):
            yield from value_secrets(value, path[-1])
        yield from plain_script_secrets(at(text, "script"), f"{path[-1]}.script")


def _each_of(value: Any) -> Iterator[Mapping[str, str]]:
    """Yield each text of the lists in a mapping below its key, as headers have several values."""
    for key, items in value.items() if isinstance(value, Mapping) else ():
        if isinstance(items, (list, tuple)):
            yield from ({key: item} for item in items if isinstance(item, str))


def _environment_secrets(environment: Any) -> tuple[str, ...] | Unknown:
    """Return one environment's secrets; UNKNOWN if none are found but a part is hidden."""
    if isinstance(environment, (list, tuple)):
        environment = [
            variable for variable in environment if at(variable, "type") not in _REFERENCES
        ]
    secret_texts = tuple(value_secrets(environment, "environment"))
    return secret_texts or (UNKNOWN if [*_unknown_variables(environment)] else ())


def _unknown_variables(environment: Any) -> Iterator[Any]:
    """Yield the name of each variable that is not known yet; the name may be what is not.

    A reference to a secret that is kept elsewhere hides nothing.
    """
    if isinstance(environment, Mapping):
        yield from (name for name, value in environment.items() if value is UNKNOWN)
        return
    for variable in as_list(environment):
        name, value = at(variable, "name"), at(variable, "value")
        if UNKNOWN in (variable, name, value) and at(variable, "type") not in _REFERENCES:
            yield name
