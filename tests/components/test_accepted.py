"""What the components register is what the providers' tables take, keys, types and values."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import rpc

from gpuinfra.clouds import PACKAGES
from gpuinfra.components.program import program
from gpuinfra.planning import from_stack
from gpuinfra.pulumi_special_values import SIGNATURE
from gpuinfra.sandbox.plugin.input_validation import check
from gpuinfra.sandbox.plugin.schema import load
from gpuinfra.source import Source
from gpuinfra.stackfile import read_stack_file

ARCHIVE = {SIGNATURE: rpc._special_archive_sig}
"""An archive as the engine hands it to a provider."""

STACKS = Path(__file__).parents[2] / "stacks"


def sent(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs as a provider gets them."""
    return {
        key: ARCHIVE if isinstance(value, pulumi.Archive) else value
        for key, value in inputs.items()
    }


@pytest.mark.parametrize("name", sorted(path.parent.name for path in STACKS.glob("*/stack.yaml")))
def test_the_tables_have_nothing_to_say(record: Callable[..., Any], name: str) -> None:
    document = read_stack_file(STACKS / name)
    clouds = {group.cloud for group in from_stack(document.stack).groups}
    seen = record(
        program(Source(document=document), {}), {"gcp:project": "research-1"}, tuple(clouds)
    )
    packages = {PACKAGES[cloud] for cloud in clouds}
    schemas = {package: load(package) for package in packages}
    ours = [resource for resource in seen.resources if resource.type.partition(":")[0] in packages]
    kinds = {
        resource.type: schemas[resource.type.partition(":")[0]].type(resource.type)
        for resource in ours
    }
    assert None not in kinds.values()
    failures = {
        f"{resource.name}.{failure.path}: {failure.reason}"
        for resource in ours
        for failure in check(
            schemas[resource.type.partition(":")[0]], kinds[resource.type], sent(resource.inputs)
        )
    }

    assert len(ours) > 10
    assert failures == set()
