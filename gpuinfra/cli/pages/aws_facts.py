"""The tables of the AWS page that need no example: machines, checks, metrics, refusals."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

from ruamel.yaml import YAML

from gpuinfra.cli.commands.iam import LABEL
from gpuinfra.cli.pages.cases import stack_of
from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.agent import install
from gpuinfra.clouds.aws.compatibility.version_needs import contents
from gpuinfra.clouds.aws.guards.alarms import Alarm, alarms
from gpuinfra.clouds.aws.images import family, images
from gpuinfra.clouds.aws.interfaces import EfaLayout, addresses, layout_fault, nic_layout
from gpuinfra.clouds.aws.machines import MACHINES
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.startup import shell_part
from gpuinfra.engine import missing_permission, refusals
from gpuinfra.model import Machine
from gpuinfra.planning import from_stack
from gpuinfra.report import markup

_HERE: Final = Path(__file__).parent
_NEVER: Final = "–"
_ADDRESS: Final = re.compile(r"https://[\w./~#%-]+")


def parts() -> Iterator[str]:
    """Yield the sections in the order of the page."""
    yield _machines()
    yield _images()
    yield _checks()
    yield _metrics()
    yield _interruption_section()
    yield _part("Rights")
    yield _doctor()
    yield _refusals()


def _machines() -> str:
    """Return the table of current machines; the same rows of a family are merged."""
    machines_by_facts: dict[tuple[str, ...], list[str]] = {}
    for machine in MACHINES.all_machines():
        if machine.status == "current":
            machines_by_facts.setdefault((family(machine), *_row(machine)), []).append(
                machine.type
            )
    rows = ((_sizes(types), *row) for (_, *row), types in machines_by_facts.items())
    shape = ("machines", "GPUs or chips", "cards", "EFA")
    columns = (*shape, *get_args(EfaLayout), "ENA Express", "sold as")
    return _part("Machines", markup.table(columns, rows))


def _row(machine: Machine) -> tuple[str, ...]:
    return (
        f"{machine.gpu_count.normalize():f} × {machine.gpu}",
        _count(machine.network_cards),
        _count(machine.fabric_interfaces),
        *(_addresses(machine, layout) for layout in get_args(EfaLayout)),
        _ena_express(machine),
        ", ".join(machine.usage_classes),
    )


def _sizes(types: list[str]) -> str:
    """Return types of one family in short: g5.8xlarge, 12xlarge."""
    first, *other_types = types
    return ", ".join((first, *(size.partition(".")[2] for size in other_types)))


def _count(number: int | None) -> str:
    return "unknown" if number is None else str(number)


def _addresses(machine: Machine, layout: EfaLayout) -> str:
    if not machine.fabric_interfaces or not machine.network_cards or layout_fault(machine, layout):
        return _NEVER
    return str(addresses(nic_layout(machine, fabric=True, layout=layout)))


def _ena_express(machine: Machine) -> str:
    ena_express_by_type = {
        row["type"]: row["ena_express"] for row in TABLES.rows("interfaces")
    }.get(machine.type)
    return "unknown" if ena_express_by_type is None else "yes" if ena_express_by_type else "no"


def _short_parameter(parameter: str) -> str:
    """Return an image's SSM parameter without its common parts."""
    path = parameter.removeprefix("/aws/service/").split("/")
    return markup.cell("/".join(part for part in path if part not in _COMMON))


_COMMON: Final = ("deeplearning", "ami", "latest", "ami-id", "image_id")


def _images() -> str:
    """Return the table of images: contents, default uses and numbered sources."""
    rows, used, sources = [], [], []
    for image in images():
        image_contents = contents(image)
        read = f"{source(image.source)}, {markup.text(image.as_of)}"
        if read not in sources:
            sources.append(read)
        name = _short_parameter(image.parameter)
        rows.append(
            (name, *map(markup.text, image_contents.values()), str(sources.index(read) + 1))
        )
        default = ", ".join(image.purposes) or "when named"
        used.append(
            markup.wrap_paragraph(
                f"{name}: {markup.text(image.system)}; {default} on {', '.join(image.families)}",
                "- ",
            )
        )
    columns = ("image", *contents(images()[0]), "source")
    lines = (markup.wrap_paragraph(text, f"{number}. ") for number, text in enumerate(sources, 1))
    return _part(
        "Images",
        markup.table(columns, rows),
        "What each is the default for:",
        "\n".join(used),
        "The sources:",
        "\n".join(lines),
    )


def checks() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the rules that implement each static check."""
    return {check: tuple(row["rules"]) for check, row in _table()["checks"].items()}


def doctor() -> Mapping[str, str]:
    """Return the description of each account check."""
    return dict(_table()["doctor"])


def _checks() -> str:
    """Return the table of static checks; their rules link to the page with examples and fixes."""
    rows = (
        (check, row["asks"], ", ".join(f"[{rule}](rules.md#{rule})" for rule in row["rules"]))
        for check, row in _table()["checks"].items()
    )
    return _part("Static checks", markup.table(("check", "looks at", "rules"), rows))


def _metrics() -> str:
    """Return the metric names that senders and alarms share, then the alarms."""
    pool, run = (metrics.DIMENSION,), metrics.RUN_DIMENSIONS
    both = f"{', '.join(run)} of training; {', '.join(pool)} of pools"
    names = (
        (metrics.UTILIZATION, "percent, one value per GPU"),
        (metrics.MEMORY_USED, "MiB, one value per GPU"),
        (metrics.MEMORY_TOTAL, "MiB, one value per GPU"),
        (metrics.XID_ERRORS, "new errors that the driver reports, 0 too"),
        (metrics.ECC_ERRORS, "new uncorrectable memory errors, 0 too"),
    )
    rows = [
        (markup.cell(metrics.NAMESPACE), markup.cell(name), both, meaning)
        for name, meaning in names
    ]
    rows.append(
        (
            markup.cell(install.NAMESPACE),
            markup.cell(install.METRIC),
            ", ".join(install.DIMENSIONS),
            "one data point per interrupted machine",
        )
    )
    stack = stack_of("both", ("monitoring",), "alarms: true")
    alarm_list = [alarm for group in from_stack(stack).groups for alarm in alarms(stack, group)]
    figures = markup.table(("namespace", "name", "dimensions", "what"), rows)
    columns = ("alarm of", "goes off", "over", "text of the mail")
    return _part("Metrics and alarms", figures, markup.table(columns, map(_alarm, alarm_list)))


def _alarm(alarm: Alarm) -> tuple[str, ...]:
    looked_at = alarm.expression or f"{alarm.metrics[0].statistic} {alarm.metrics[0].name}"
    sign = "<" if alarm.fires_below else "≥"
    return (
        f"{alarm.workload}: {alarm.kind}",
        f"{markup.text(looked_at)} {markup.text(sign)} {alarm.threshold.normalize():f}",
        f"{alarm.count} × {alarm.period} s",
        markup.text(alarm.message),
    )


def _interruption_section() -> str:
    """Return the section on interruptions, with the agent's own names."""
    restart = re.search(r"^RestartSec=(\d+)$", shell_part("job.sh"), re.MULTILINE)
    machine_lead, checkpoint_lead = install.block_leads(ultraserver=False).values()
    ultra_machine_lead, ultra_checkpoint_lead = install.block_leads(ultraserver=True).values()
    text = (_HERE / "aws_interrupted.md").read_text("utf-8")
    return text.format(
        UNIT=install.UNIT,
        LIFECYCLE_HOOK=install.LIFECYCLE_HOOK,
        LIFECYCLE_BUDGET=install.LIFECYCLE_BUDGET,
        RESTART=restart[1] if restart else "",
        BLOCK_MACHINE_LEAD=machine_lead,
        BLOCK_CHECKPOINT_LEAD=checkpoint_lead,
        ULTRA_MACHINE_LEAD=ultra_machine_lead,
        ULTRA_CHECKPOINT_LEAD=ultra_checkpoint_lead,
        METRIC=install.METRIC,
        NAMESPACE=install.NAMESPACE,
        DIMENSIONS=" and ".join(f"`{dimension}`" for dimension in install.DIMENSIONS),
    )


def _doctor() -> str:
    rows = ((markup.cell(name), markup.prose_cell(meaning)) for name, meaning in doctor().items())
    return _part("Account checks", markup.table(("check", "looks at"), rows))


def _refusals() -> str:
    """Return the list of AWS's errors with reasons and fixes."""
    codes = {row["code"] for row in missing_permission.table()["refusals"]}
    items = (
        markup.wrap_paragraph(
            f"{markup.code(refusal.code)}: {markup.prose(refusal.why)}. "
            f"Fix: {markup.prose(refusal.fix)}."
            + " Another rung may help."
            * refusal.another_rung,
            "- ",
        )
        for refusal in refusals.table()
        if refusal.code in codes
    )
    return _part("When AWS refuses", "\n".join(items))


def source(text: str) -> str:
    """Return a source as Markdown; a bare URL becomes a link."""
    return f"[source]({text})" if _ADDRESS.fullmatch(text) else markup.text(text)


def _part(title: str, *tables: str) -> str:
    """Return a section: its title, introduction and tables."""
    text = _table()["said"][title].format(
        interval=metrics.INTERVAL, port=metrics.EXPORTER_PORT, label=LABEL
    )
    return "\n\n".join((f"## {title}", markup.wrap_paragraph(text), *tables))


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = YAML(typ="safe").load(_HERE / "aws_facts.yaml")
    return table
