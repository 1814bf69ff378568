"""Fetches Lambda prices: its list of instance types, one page."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from pydantic import BaseModel

from gpuinfra.clouds.refreshing import contract
from gpuinfra.clouds.refreshing.contract import FetchedData, Part, RefreshRequest, check_positive
from gpuinfra.clouds.refreshing.page_fetcher import PageFetcher
from gpuinfra.model import Price

PARTS: Final[tuple[Part, ...]] = ("prices", "machines")
ENDPOINT: Final = "https://cloud.lambda.ai"
PAUSE_SECONDS: Final = 1.0
"""Requests are limited to one a second: https://docs.lambda.ai/api/cloud"""
KEY: Final = "LAMBDA_API_KEY"

_PATH: Final = "/api/v1/instance-types"
_GB_PER_GIB: Final = Decimal(1024**3) / 10**9


class _Specs(BaseModel):
    vcpus: int
    memory_gib: int
    storage_gib: int
    gpus: int


class _Type(BaseModel):
    name: str
    gpu_description: str = ""
    price_cents_per_hour: int
    specs: _Specs


class _Region(BaseModel):
    name: str


class _Entry(BaseModel):
    instance_type: _Type
    regions_with_capacity_available: list[_Region]


class _Page(BaseModel):
    data: dict[str, _Entry]


def missing(part: Part) -> str:  # noqa: ARG001  one page has it all
    """Return the key that every request needs."""
    return contract.missing(KEY)


def headers() -> Mapping[str, str]:
    """Return the HTTP header with the API key: https://docs.lambda.ai/api/cloud."""
    return {"Authorization": f"Bearer {contract.variable(KEY)}"}


def fetch(request: RefreshRequest, fetcher: PageFetcher) -> FetchedData:
    """Ask for the list. One price holds in all regions; capacity is of the moment and not kept."""
    fetcher.say("instance types")
    page = fetcher.page(_PATH, _Page)
    url, as_of = fetcher.web.address(_PATH), page.day.isoformat()
    prices: list[Price] = []
    machines: list[dict[str, Any]] = []
    left_out: list[str] = []
    for entry in page.content.data.values():
        type_ = entry.instance_type
        if type_.name not in request.machines:
            if type_.specs.gpus:
                left_out.append(f"{type_.name}: not in the machine table")
            continue
        machines.append(_machine(request, type_, url, as_of))
        cents = Decimal(type_.price_cents_per_hour)
        if check_positive(cents, type_.name, left_out):
            prices += (
                Price(
                    cloud="lambda",
                    item=type_.name,
                    region=region,
                    zone=None,
                    mode="on-demand",
                    unit="hour",
                    per_unit=cents / 100,
                    currency="USD",
                    source=url,
                    as_of=as_of,
                    notes="uniform price; no capacity information",
                    origin="refreshed",
                )
                for region in request.regions
            )
    return FetchedData(
        prices=tuple(prices) if "prices" in request.parts else (),
        covered=frozenset(
            ("on-demand", region) for region in request.regions if "prices" in request.parts
        ),
        machines=tuple(machines) if "machines" in request.parts else (),
        left_out=tuple(left_out),
    )


def _machine(request: RefreshRequest, type_: _Type, url: str, as_of: str) -> dict[str, Any]:
    specs = type_.specs
    others = request.machines[type_.name].source
    return {
        "type": type_.name,
        "vcpu": specs.vcpus,
        "memory_gib": str(specs.memory_gib),
        "local_storage_gb": str(round(specs.storage_gib * _GB_PER_GIB)),
        "source": f"{url}; other cells: {others.partition('; other cells: ')[2] or others}",
        "as_of": as_of,
    }
