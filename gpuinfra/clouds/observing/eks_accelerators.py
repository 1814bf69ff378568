"""Accelerators that AWS's controller makes for objects of a cluster, private ones among them.

https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/globalaccelerator/aga-controller/
(read 2026-11-27)
"""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.values import (
    all_of,
    any_of,
    as_list,
    at,
    equals,
    opposite,
    whole_number,
)
from gpuinfra.model import UNKNOWN, Known, Unknown

_ACCELERATOR: Final = "kubernetes:aga.k8s.aws/v1beta1:GlobalAccelerator"


def reaches(kind: str, name: Any, port: int | Unknown | None, index: Index) -> Known:
    """Return whether an accelerator leads the internet to a port of an object of a kind."""
    return any_of(_ways(kind, name, port, index))


def _ways(kind: str, name: Any, port: int | Unknown | None, index: Index) -> Iterator[Known]:
    for accelerator in index.of_kind(_ACCELERATOR):
        for listener in as_list(at(accelerator.inputs, "spec", "listeners")):
            for group in as_list(at(listener, "endpointGroups")):
                for endpoint in as_list(at(group, "endpoints")):
                    if at(endpoint, "type") == kind and at(endpoint, "name") in (name, UNKNOWN):
                        is_same_name = at(endpoint, "name") == name
                        passes_on = _passes_to_port(listener, group, port)
                        yield passes_on if is_same_name or passes_on is False else UNKNOWN


def _passes_to_port(listener: Any, group: Any, port: int | Unknown | None) -> Known:
    """Return whether a listener passes on to a port; without ranges it does to each."""
    if isinstance(port, Unknown):
        return UNKNOWN
    spans = as_list(at(listener, "portRanges"))
    spans_port_directly = any_of(spans_port(span, port) for span in spans) if spans else True
    return leads_to(port, spans_port_directly, at(group, "portOverrides"))


def leads_to(port: int | Unknown | None, is_spanned: Known, port_overrides: Any) -> Known:
    """Return whether an accelerator leads to a port of an endpoint, its overrides considered.

    https://docs.aws.amazon.com/global-accelerator/latest/api/API_PortOverride.html

    Args:
        port: of the endpoint.
        is_spanned: whether the accelerator listens on a port of that number.
        port_overrides: the overrides, each of which leads from one port to another instead.
    """
    overrides = as_list(port_overrides)
    ports = (equals(whole_number(at(override, "endpointPort")), port) for override in overrides)
    away = any_of(
        equals(whole_number(at(override, "listenerPort")), port) for override in overrides
    )
    return any_of((all_of((is_spanned, opposite(away))), *ports))


def spans_port(span: Any, port: int | Unknown | None) -> Known:
    """Return whether a range of an accelerator's ports has one in it."""
    first, last = whole_number(at(span, "fromPort")), whole_number(at(span, "toPort"))
    if isinstance(first, int) and isinstance(last, int) and isinstance(port, int):
        return first <= port <= last
    return UNKNOWN
