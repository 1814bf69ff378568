"""A stack that stands under a child's former name, on the real engine: what it names stays."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.graph import Resource, ResourceGraph
from tests.e2e.lives import changed, request_of, up

pytestmark = pytest.mark.e2e

TEXT: Final = """\
version: 1
name: logged
owner: ml-platform
prices: {accept_outdated: true}
network: {flow_logs: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer: {instance: g6.xlarge}
"""
NAMESAKE: Final = "  trainer-flow-log: {instance: g6.xlarge}\n"
"""A workload whose own role is called as the other one's role of the flow log was."""

ROLE: Final = "aws:iam/role:Role"

add = ResourceGraph.add


def formerly(graph: ResourceGraph, resource: Resource) -> Resource:
    """Declare a resource as it was before it had its name of today."""
    if resource.options.former_names:
        (name,) = resource.options.former_names
        resource = replace(resource, name=name, options=replace(resource.options, former_names=()))
    return add(graph, resource)


def test_a_role_of_a_former_name_stays_and_a_namesake_is_made_beside_it(
    tmp_path: Path, sandbox_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(TEXT)
    with monkeypatch.context() as before:
        before.setattr(ResourceGraph, "add", formerly)
        up(file, judged=False)
    role = roles(file)["trainer-flow-log-role"]

    renamed = up(file, judged=False)
    file.write_text(TEXT + NAMESAKE)
    joined = up(file, judged=False)

    assert {operation for operation, _ in changed(renamed).values()} <= {"update"}
    assert roles(file)["trainer-role-of-flow-log"] == role
    assert roles(file)["trainer-flow-log-role"] != role
    assert {operation for operation, _ in changed(joined).values()} == {"create"}
    assert changed(up(file, judged=False)) == {}


def roles(file: Path) -> dict[str, str]:
    """The roles of the stack's state: physical names by logical ones."""
    state = lifecycle.current_status(request_of(file))
    assert state is not None
    return {
        resource.resource.name: resource.id
        for resource in state.resources
        if resource.resource.type == ROLE
    }
