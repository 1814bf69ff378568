"""Secrets in plain text in custom resources of Kubernetes and in values of Helm charts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.secrets import value_secrets

_CUSTOM: Final = re.compile(r"kubernetes:(?!.*(?:\.k8s\.io|helm\.sh)/)[^:/]+\.[^:/]+/v\w+:\w+")
"""A type whose group is a domain, other than those of Kubernetes itself:
https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/custom-resources/"""
_CHART: Final = re.compile(r"kubernetes:helm\.sh/v\d:(?:Release|Chart)")
_ENCRYPTED_KEYS: Final = frozenset({"encryptedData"})
"""What only the cluster can read: https://github.com/bitnami-labs/sealed-secrets"""
_VALUES: Final = "values"


def cluster_secrets(kind: str, inputs: Mapping[str, Any]) -> Iterator[str]:
    """Yield a description of each plain secret in a custom resource or in a chart's values."""
    if _CHART.fullmatch(kind):
        yield from value_secrets(inputs.get(_VALUES), _VALUES)
    elif _CUSTOM.fullmatch(kind):
        for key, value in inputs.items():
            yield from value_secrets(_open(value), key)


def _open(value: Any) -> Any:
    """Return a value without its sealed parts."""
    if isinstance(value, Mapping):
        return {key: _open(part) for key, part in value.items() if key not in _ENCRYPTED_KEYS}
    if isinstance(value, (list, tuple)):
        return [_open(part) for part in value]
    return value
