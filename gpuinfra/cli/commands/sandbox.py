"""`gpuinfra sandbox`: the local cloud, its resources and faults."""

import os
import shlex
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

import click

from gpuinfra import sandbox
from gpuinfra.cli import shell_completion
from gpuinfra.cli.lazy import FullHelpGroup
from gpuinfra.cli.source import format_options
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, moment_text, note, show_json, show_table
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.errors import InputError
from gpuinfra.similar_words import nearest
from gpuinfra.units import format_count
from gpuinfra.urns import project_of

LONG_ID: Final = 28
"""From how many characters on a table shows the end of an id only."""


@click.group("sandbox", cls=FullHelpGroup)
def command() -> None:
    """The local cloud: the real engine builds in it, and nothing is billed."""


def show_result(format_: str, message: str, value: Any) -> int:
    """Print the words, or the value as JSON, and return 0."""
    if format_ == "json":
        show_json(value)
    else:
        click.echo(message)
    return 0


@command.command("start")
@format_options
def start(format_: str) -> int:
    """Start the background server, or find it running."""
    server = sandbox.start(note)
    fault_line = f"sandbox at {server.endpoint} (process {server.pid})"
    return show_result(format_, fault_line, {"endpoint": server.endpoint, "pid": server.pid})


@command.command("stop")
@format_options
def stop(format_: str) -> int:
    """Stop the server; the resources in it are lost."""
    stopped = sandbox.stop()
    return show_result(
        format_, "stopped" if stopped else "it was not running", {"stopped": stopped}
    )


@command.command("reset")
@format_options
def reset(format_: str) -> int:
    """Stop the server and remove everything: resources, faults, states of stacks."""
    sandbox.reset()
    return show_result(format_, "the sandbox is empty", {"empty": True})


@command.command("status")
@format_options
def status(format_: str) -> int:
    """Show whether it runs, how many resources it has of each type, and where they are kept."""
    state = sandbox.status()
    if format_ == "json":
        show_json(state)
        return 0
    if state.running:
        since = moment_text(state.since)
        line = f"running at {state.endpoint} (process {state.pid}, since {since})"
        click.echo(wrap_text(line, "  "))
    else:
        click.echo("not running; start it: gpuinfra sandbox start")
    if state.lost:
        lost = format_count(state.lost, "resource was", "resources were")
        click.secho(
            f"{lost} in a server that ended: `gpuinfra refresh` "
            "removes them from the state, `gpuinfra sandbox reset` removes everything",
            fg="yellow",
        )
    if not state.counts:
        click.echo("it has no resources")
        return 0
    show_table(
        ("type", "standing", "lives in"),
        [(count.type, str(count.number), count.backend) for count in state.counts],
        right=("standing",),
    )
    return 0


@command.command("types")
@format_options
def types(format_: str) -> int:
    """List the known AWS types and where each is kept; the ledger keeps all others."""
    backend_names = sandbox.backends()
    if format_ == "json":
        show_json(backend_names)
        return 0
    show_table(
        ("type", "lives in", ""),
        [(name.type, name.backend, name.ledger_reason) for name in backend_names],
    )
    return 0


@command.command("ls")
@click.argument("stack", required=False)
@format_options
def ls(stack: str | None, format_: str) -> int:
    """List the resources in the sandbox: those of one stack, or all."""
    existing = [
        record for record in sandbox.existing_resources() if stack in {None, project(record)}
    ]
    if format_ == "json":
        show_json(existing)
        return 0
    for stack_, stack_resources in groupby(sorted(existing, key=project), key=project):
        show_table(
            ("name", "type", "id", "lives in"),
            [
                (record.name, short_type(record.type), short_id(record.id), record.backend)
                for record in stack_resources
            ],
            title=stack_,
        )
    if not existing:
        click.echo("the sandbox has no resources")
    return 0


def short_id(id_: str) -> str:
    """Return a long id's end from a slash on, which `show` also accepts."""
    if len(id_) <= LONG_ID:
        return id_
    parts = id_.split("/")
    shown_part = parts.pop()
    while parts and len(shown_part) + len(parts[-1]) < LONG_ID:
        shown_part = f"{parts.pop()}/{shown_part}"
    return f"…/{shown_part}" if parts else id_


def project(existing_resource: sandbox.SandboxResource) -> str:
    """Return the Pulumi project of a URN, which is the stack file's name."""
    return project_of(existing_resource.urn)


@command.command("show")
@click.argument("urn_or_id")
def show(urn_or_id: str) -> int:
    """Show one resource by its URN, its name, or the end of its id, as the sandbox has it."""
    end = urn_or_id.removeprefix("…")
    existing = [
        existing_resource
        for existing_resource in sandbox.existing_resources()
        if urn_or_id in {existing_resource.urn, existing_resource.id, existing_resource.name}
        or existing_resource.id.endswith(end if end.startswith("/") else f"/{end}")
    ]
    if not existing:
        raise InputError.of(
            "the sandbox has no resource with that URN, id or name",
            value=urn_or_id,
            fix="`gpuinfra sandbox ls` lists the resources",
        )
    show_json(existing)
    return 0


@command.command("env")
@click.option("--loose", is_flag=True, help="Accept resource types that the tables do not know.")
@format_options
def env(loose: bool, format_: str) -> int:
    """Print what plain `pulumi` needs: eval "$(gpuinfra sandbox env)"."""
    variables = sandbox.environment(strict=not loose)
    new = {key: value for key, value in variables.items() if os.environ.get(key) != value}
    exports = "\n".join(f"export {key}={shlex.quote(value)}" for key, value in new.items())
    return show_result(format_, exports, variables)


@command.group("fault", cls=FullHelpGroup)
def fault() -> None:
    """Faults on request: no capacity, quota, a missing right, throttling, a crash, and more."""


@fault.command("add", epilog=f"FAULT is one of {', '.join(sandbox.faults.KINDS)}.")
@click.argument("kind", metavar="FAULT", type=click.Choice(list(sandbox.faults.KINDS)))
@click.option("--zone", default=None, help="Only in this zone.")
@click.option(
    "--machine",
    default=None,
    shell_complete=shell_completion.machines,
    help="Only for this machine type.",
)
@click.option("--capacity", default=None, help="Only for this purchase option: on-demand or spot.")
@click.option("--type", "type_", default=None, help="Only for this resource type.")
@click.option("--times", type=click.IntRange(min=1), default=None, help="Maximum number of times.")
@click.option(
    "--after", type=click.IntRange(min=0), default=None, help="After this number of creates."
)
@click.option("--seconds", type=click.FloatRange(min=0), default=None, help="How slow.")
@format_options
def add(format_: str, **options: Any) -> int:
    """Add a fault; it stays until `fault clear`, or until its --times are used up."""
    options["type"] = options.pop("type_")
    options["instance_type"] = options.pop("machine")
    stated_options = {key: value for key, value in options.items() if value is not None}
    added = sandbox.faults.add(sandbox.faults.InjectedFault(**stated_options))
    show_result(format_, fault_line(added), added)
    if added.instance_type:
        _note_unlisted(added.instance_type)
    return 0


def _note_unlisted(machine_type: str) -> None:
    """Note that no table has a machine type: a fault on a misspelt one never happens."""
    from gpuinfra.clouds import CLOUDS, all_machines, provider_of  # noqa: PLC0415  (reads every table)

    gpu_types = sorted({machine.type for machine in all_machines()})
    is_listed = any(provider_of(cloud).prices.cpu.is_in_table(machine_type) for cloud in CLOUDS)
    if machine_type not in gpu_types and not is_listed:
        similar = nearest(machine_type, gpu_types)
        hint = f"; did you mean {similar}?" if similar else ""
        note(f"note: no table has the machine type {machine_type}{hint}")


@fault.command("ls")
@format_options
def list_faults(format_: str) -> int:
    """List the faults that are set."""
    faults = sandbox.faults.active_faults()
    if format_ == "json":
        show_json(faults)
    elif not faults:
        click.echo(NO_FAULTS)
    else:
        show_table(("fault",), [(fault_line(fault),) for fault in faults])
    return 0


NO_FAULTS: Final = "no faults"
_OPTION_NAMES: Final = {"instance_type": "machine"}
"""The names of fields as options of `fault add`, where they differ."""


def fault_line(fault: sandbox.faults.InjectedFault) -> str:
    """Return a fault in one line: its kind and its conditions."""
    stated_fields = {key: value for key, value in asdict(fault).items() if value and key != "kind"}
    return f"{fault.kind} " + " ".join(
        f"{_OPTION_NAMES.get(key, key)}={clean(str(value))}"
        for key, value in stated_fields.items()
    )


@fault.command("clear")
@format_options
def clear(format_: str) -> int:
    """Remove every fault."""
    removed = sandbox.faults.clear()
    return show_result(format_, NO_FAULTS, {"removed": removed})
