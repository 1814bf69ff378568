"""`gpuinfra quickstart`: all steps from check to destroy, with explanations."""

import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from gpuinfra import sandbox
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.findings_in_file import with_file_locations
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.api.targets import quickstart_folder, request
from gpuinfra.cli import shell_completion
from gpuinfra.cli.commands import check
from gpuinfra.cli.commands.sandbox import project, short_id
from gpuinfra.cli.source import load
from gpuinfra.cli.views import quote
from gpuinfra.cli.views.outcome import drop_shown_warnings, live, show_outcome
from gpuinfra.cli.views.render import heading, note, show_table
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.engine import install, lifecycle
from gpuinfra.engine.contract import Outcome, TargetName
from gpuinfra.errors import PROGRAM, RefusedError, command_line, shown_path
from gpuinfra.stackfile.file_names import free_folder
from gpuinfra.units import format_count

STEPS = 7


class StepTimer:
    """The counter of the steps, with how long each took."""

    def __init__(self) -> None:
        self.times: list[tuple[str, float]] = []

    @contextmanager
    def step(self, title: str) -> Generator[None]:
        """Print the title of a step and, afterwards, how long the step took."""
        click.echo()
        heading(f"[{len(self.times) + 1}/{STEPS}] {title}")
        start = time.perf_counter()
        yield
        took = time.perf_counter() - start
        self.times.append((title, took))
        click.echo(f"({took:.1f} s)")


@click.command("quickstart")
@click.argument(
    "source",
    default=lambda: shown_path(quickstart_folder()),
    type=click.Path(path_type=Path),
    shell_complete=shell_completion.stacks,
)
@click.option(
    "--target",
    type=click.Choice(["sandbox"]),
    default="sandbox",
    show_default=True,
    help="Target: only the local sandbox.",
)
@click.option("--keep", is_flag=True, help="Keep the resources at the end.")
def command(source: Path, target: TargetName, keep: bool) -> int:
    """Check, quote, preview, build, look, change nothing, destroy: all of SOURCE.

    Without SOURCE it is the stack that gpuinfra ships: two machines that train, a pool, a bucket.
    """
    clock = StepTimer()
    loaded = load(source)
    if loaded.verdict.ok:
        install.find()  # it takes two steps until one needs the engine
    name = target
    with clock.step(f"check {source}: the rules, offline"):
        check.show(loaded)
    if not loaded.verdict.ok:
        return loaded.verdict.exit_code
    with clock.step("cost: the quote"):
        quote.show(loaded)
    request_, names = request(loaded, name), workload_finder(loaded.document)
    earlier = resource_names(loaded)
    with clock.step("preview: the real engine, with every rule as a policy"):
        with live("previewing") as on_event:
            outcome = without_shown_warnings(lifecycle.preview(request_, on_event), loaded)
        expect(outcome, name, names)
    with clock.step("up: create it in the sandbox"):
        with live("building") as on_event:
            outcome = without_shown_warnings(lifecycle.up(request_, on_event), loaded)
        expect(outcome, name, names)
    with clock.step("look: what is deployed, read back from the sandbox"):
        show_table(("type", "name", "details"), sorted(deployed_resources(loaded)))
    with clock.step("up again: nothing should change"):
        with live("building") as on_event:
            outcome = without_shown_warnings(lifecycle.up(request_, on_event), loaded)
        if not expect(outcome, name, names).is_unchanged:
            raise RefusedError(f"a second up changed something: {dict(outcome.changes)}")
    with clock.step("destroy: nothing should remain"):
        if keep:
            click.echo(f"look: {command_line('status', source, '--target', name)}")
            click.echo(f"delete: {command_line('destroy', source, '--target', name)}")
        else:
            with live("destroying") as on_event:
                outcome = lifecycle.destroy(request_, on_event)
            expect(outcome, name, names)
            refuse_left(earlier, resource_names(loaded))
    finish(clock, source)
    return 0


def without_shown_warnings(outcome: Outcome, stack_check: StackCheck) -> Outcome:
    """Return an outcome with findings located in the file, without warnings `check` showed."""
    checked = stack_check.verdict.findings
    return drop_shown_warnings(
        with_file_locations(outcome, stack_check),
        lambda finding: any(
            shown_finding.rule == finding.policy and shown_finding.message in finding.message
            for shown_finding in checked
        ),
    )


def resource_names(stack_check: StackCheck) -> dict[str, str]:
    """Return the names of the stack's resources in the sandbox, by URN and id."""
    return {
        f"{resource.urn} {resource.id}": resource.name
        for resource in sandbox.existing_resources()
        if project(resource) == stack_check.stack.name
    }


def refuse_left(earlier: Mapping[str, str], leftovers: Mapping[str, str]) -> None:
    """Refuse resources of this run that remain, and print how many an earlier run left.

    Raises:
        RefusedError: resources of this run exist.
    """
    created_meanwhile = [name for key, name in leftovers.items() if key not in earlier]
    if created_meanwhile:
        raise RefusedError(f"not deleted: {', '.join(created_meanwhile)}")
    if leftovers:
        remain = "of an earlier run remain"
        count_text = format_count(len(leftovers), f"resource {remain}s", f"resources {remain}")
        note(f"{count_text} in the sandbox; remove everything in it: gpuinfra sandbox reset")


def program() -> str:
    """Return the command that runs gpuinfra again: its name on PATH, else its file."""
    program_path = Path(sys.argv[0])
    if program_path.name == "__main__.py":
        return f"{Path(sys.executable).name} -m {PROGRAM}"
    on_path = shutil.which("gpuinfra")
    return (
        "gpuinfra"
        if on_path and Path(on_path).samefile(program_path)
        else str(shown_path(program_path))
    )


def expect(outcome: Outcome, name: str, names: Callable[[str], str]) -> Outcome:
    """Show an outcome and return it; exit the quickstart if it failed."""
    show_outcome(outcome, name, names)
    if not outcome.ok:
        raise click.exceptions.Exit(outcome.exit_code)
    return outcome


def deployed_resources(stack_check: StackCheck) -> Iterator[tuple[str, str, str]]:
    """Yield the stack's resources: on AWS from the moto server, else from the ledger."""
    on_aws = [group.rung.region for group in stack_check.plan.groups if group.cloud == "aws"]
    if on_aws:
        yield from look_with_boto3(on_aws[0])
    for existing_resource in sandbox.existing_resources():
        if (
            existing_resource.backend == "ledger"
            and project(existing_resource) == stack_check.stack.name
        ):
            id_ = short_id(existing_resource.id)
            has_name = id_.startswith(existing_resource.name)  # the name and the engine's suffix
            name, id_rest = (id_, "") if has_name else (existing_resource.name, id_)
            yield short_type(existing_resource.type), name, id_rest


def look_with_boto3(region: str) -> Iterator[tuple[str, str, str]]:
    """Yield the Auto Scaling groups with their machines, and the buckets, that boto3 sees."""
    import boto3

    endpoint = sandbox.start().endpoint

    def client(service: str) -> object:
        return boto3.client(
            service,
            region_name=region,
            endpoint_url=endpoint,
            aws_access_key_id="sandbox",
            aws_secret_access_key="sandbox",  # noqa: S106 - the sandbox asks for no secret
        )

    scaling, s3 = client("autoscaling"), client("s3")
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:  # type: ignore[attr-defined]
        kinds = sorted({instance["InstanceType"] for instance in group["Instances"]})
        count = len(group["Instances"])
        yield (
            "aws:autoscaling:Group",
            group["AutoScalingGroupName"],
            f"{count} × {', '.join(kinds)}",
        )
    for bucket in s3.list_buckets()["Buckets"]:  # type: ignore[attr-defined]
        versions = s3.get_bucket_versioning(Bucket=bucket["Name"]).get("Status", "off")  # type: ignore[attr-defined]
        yield ("aws:s3:Bucket", bucket["Name"], f"versioning {versions}")


def finish(clock: StepTimer, source: Path) -> None:
    """Print the summary: the steps, how long each took, and the next commands."""
    click.echo()
    heading("what happened")
    show_table(
        ("step", "seconds"),
        [(title, f"{took:.1f}") for title, took in clock.times],
        right=("seconds",),
    )
    call = program()
    hints = (
        (("init", free_folder()), "a short stack file of your own"),
        (("cost", source), "the quote; --detail has each price with its source"),
        (("choose", "H100:8"), "machines ranked, with the reasons against the others"),
        (("up", source, "--target", "sandbox"), "build it again, and keep it"),
    )
    click.echo(
        "All of it ran on the real Pulumi engine and the real SDKs, against a local\n"
        "cloud: no account was used and nothing was billed.\n\nnext:"
    )
    for command_words, why in hints:
        command = command_line(*command_words).removeprefix(PROGRAM)
        click.echo(f"  {call}{command}\n      {why}")
