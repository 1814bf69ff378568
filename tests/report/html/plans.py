"""Content in which one text from outside stands wherever a name or a source does."""

from dataclasses import replace
from decimal import Decimal

from gpuinfra.cost import Line, RungQuote, Total
from gpuinfra.cost.interruption_sweep import SpotCurve
from gpuinfra.model import Caps, Fabric, Group, Plan, Resource, Rung
from gpuinfra.report.html.content import PageContent, WorkloadCandidates
from gpuinfra.report.html.topology import topologies
from tests.report.cases import QUOTE, full

VPC = "urn:pulumi:s::p::aws:ec2/vpc:Vpc::net"
SUBNET = "urn:pulumi:s::p::aws:ec2/subnet:Subnet::sub"
NODES = "urn:pulumi:s::p::aws:autoscaling/group:Group::nodes"


def content_named(text: str, source: str = "a table") -> PageContent:
    """The content of a page about one workload, which the text names."""
    rung = Rung(capacity="spot", machine=text, region=text, zones=(text,))
    group = Group(
        name=text,
        subject=NODES,
        purpose="training",
        cloud="aws",
        rungs=(rung,),
        minimum=2,
        maximum=2,
        fabric=Fabric(requirement="required", interfaces=4, placement=text),
    )
    line = Line(
        group=text,
        subject=text,
        name=text,
        kind=text,
        item=text,
        region=text,
        quantity=Decimal(2),
        unit=text,
        status="priced",
        rate=Decimal(5),
        per_hour=Decimal(10),
        per_month=Decimal(7300),
        source=source if source != "a table" else text,
        as_of="2026-08-01",
        note=text,
    )
    rungs = RungQuote(
        group=text,
        index=0,
        rung=rung,
        node_rate=Decimal(5),
        machines_per_hour=Decimal(10),
        machines_per_run=None,
        per_hour=Decimal(10),
        per_month=Decimal(7300),
        per_run=None,
        skip_reason=text,
        machines=(line,),
    )
    total = Total(ceiling=Decimal(10), active=Decimal(10), expected=None)
    quote = replace(
        QUOTE,
        lines=(line,),
        rates=(replace(line, status="rate", per_hour=None, per_month=None),),
        rungs=(rungs,),
        active_rungs={text: 0},
        per_hour=total,
        per_month=replace(total, ceiling=Decimal(7300), active=Decimal(7300)),
        unpriced=(),
    )
    plan = Plan(name=text, owner=text, caps=Caps(), groups=(group,))
    resources = (
        Resource(urn=VPC, type="aws:ec2/vpc:Vpc", name=text, inputs={}),
        Resource(
            urn=SUBNET,
            type="aws:ec2/subnet:Subnet",
            name=text,
            inputs={"availabilityZone": text},
            relations={"vpcId": (VPC,)},
        ),
        Resource(
            urn=NODES,
            type="aws:autoscaling/group:Group",
            name=text,
            inputs={},
            relations={"vpcZoneIdentifiers": (SUBNET,)},
        ),
    )
    curve = SpotCurve(
        group=text,
        points=((0.1, 10.0), (1.0, 11.0), (10.0, 30.0)),
        on_demand=20.0,
        counted_per_day=0.5,
        break_even=5.0,
    )
    return PageContent(
        report=replace(full(text), quote=quote),
        plan=plan,
        source_kind=text,
        influences=(text,),
        notes=(text,),
        curves=(curve,),
        candidates=(WorkloadCandidates(group=text, unknown=text),),
        topology=topologies(plan, resources, lambda group: group.subject, lambda _: text),
    )
