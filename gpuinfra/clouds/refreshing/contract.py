"""The request and the result of a refresh, shared by the `refresh` of all clouds."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol

from gpuinfra.clouds.refreshing.page_fetcher import PageFetcher
from gpuinfra.model import Machine, Price

Part = Literal["prices", "machines", "spot"]

GpuKey = Callable[[str, Decimal | None], str | None]
"""From a GPU's name and memory in GiB to its key in the table of GPUs; None when unclear."""


@dataclass(frozen=True, kw_only=True)
class RefreshRequest:
    """The data to fetch from a cloud.

    `machines` are those of the cloud's table by type; `endpoint` is the address given in place of
    the interface's own, or empty.
    """

    parts: frozenset[Part]
    regions: tuple[str, ...]
    machines: Mapping[str, Machine]
    gpu_key: GpuKey
    endpoint: str = ""


@dataclass(frozen=True, kw_only=True)
class FetchedData:
    """The data that a cloud's APIs returned.

    `covered` are the modes with the regions that were asked about, so that it can be told what is
    gone. `machines` are rows of the table of machines, whole for a new type, else with the columns
    that the interface knows. `left_out` says what was not taken and why, for people.
    """

    prices: tuple[Price, ...] = ()
    covered: frozenset[tuple[str, str]] = frozenset()
    machines: tuple[Mapping[str, Any], ...] = ()
    left_out: tuple[str, ...] = ()


class PriceSource(Protocol):
    """The interface of a cloud's module `refresh`."""

    @property
    def PARTS(self) -> tuple[Part, ...]:  # noqa: N802  a module's constant
        """The parts that can be fetched."""
        ...

    @property
    def ENDPOINT(self) -> str:  # noqa: N802  a module's constant
        """The address of the API that is requested by HTTP."""
        ...

    @property
    def PAUSE_SECONDS(self) -> float:  # noqa: N802  a module's constant
        """The least number of seconds between two requests."""
        ...

    def missing(self, part: Part) -> str:
        """Return the credential that a part lacks, in words; empty if none."""
        ...

    def headers(self) -> Mapping[str, str]:
        """Return the additional headers of every HTTP request, for example the key."""
        ...

    def fetch(self, request: RefreshRequest, fetcher: PageFetcher) -> FetchedData:
        """Fetch the requested parts from the APIs.

        Raises:
            RefreshError: one of them failed, or says what its documentation does not.
        """
        ...


def variable(name: str) -> str:
    """Return a secret from the environment; empty when it is not set."""
    return os.environ.get(name, "").strip()


def missing(name: str) -> str:
    """Return the name of the missing environment variable; empty if it is set."""
    return "" if variable(name) else f"the environment variable {name}"


def check_positive(value: Decimal, price_text: str, left_out: list[str]) -> bool:
    """Return whether a price is above zero; note another as left out."""
    if value > 0:
        return True
    left_out.append(f"{price_text}: its price is {value}")
    return False
