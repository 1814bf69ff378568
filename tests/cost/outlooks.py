"""A stack with training, spot and checkpoints, and what a run of it costs."""

from datetime import date
from decimal import Decimal
from types import MappingProxyType

from gpuinfra import planning
from gpuinfra.catalog import PriceBook
from gpuinfra.cost import PricingTerms
from gpuinfra.cost.outlook import outlook
from gpuinfra.model import Price
from gpuinfra.stackfile import loads

TODAY = date(2026, 11, 21)
SAVES = "{bucket: data, every: 1h, size: 900GB, write: 2.5GB/s, restart: 15m}"
STACK = """\
version: 1
name: run
owner: me
where: {{cloud: {cloud}, regions: [{region}]}}
training:
  trainer:
    gpu: {gpu}
    nodes: {nodes}
    fabric: none
    capacity: [spot, on-demand]
    {price}
    duration: {duration}
    {more}
buckets:
  data: {{size: 1TB}}
"""


def run(prices=(), budget="", struck=MappingProxyType({}), **changed):
    given = {
        "cloud": "aws",
        "region": "us-east-1",
        "gpu": "H100:8",
        "nodes": 4,
        "duration": "72h",
        "more": f"checkpoints: {SAVES}",
        "price": "max_price: 40",
    }
    stack = loads(STACK.format(**{**given, **changed}) + budget).stack
    book = PriceBook(rows=prices)
    plan = planning.from_stack(stack, prices=book)
    (run_outlook,) = outlook(stack, plan, PricingTerms(as_of=TODAY, prices=book), struck)
    return run_outlook


def priced(item="p5.48xlarge", mode="on-demand", per_unit="55.04", **more):
    return Price(
        cloud="aws",
        item=item,
        region="us-east-1",
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(per_unit),
        currency="USD",
        source="yours",
        as_of="2026-11-01",
        origin="user",
        **more,
    )


def way(run_outlook, mode):
    return next(way for way in run_outlook.options if way.mode == mode)
