"""A fabric that a stack file asks for, and that what is declared has lost."""

from dataclasses import replace

import pytest

from gpuinfra.planning import choices, observed_plan, stack_graph, with_facts
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: lost
owner: me
where: {cloud: azure, regions: [eastus]}
training:
  wide: {instance: Standard_ND96isr_H100_v5, nodes: 2, fabric: WISH, duration: 5h}
"""


@pytest.mark.parametrize(("wish", "left"), [("required", "required"), ("preferred", None)])
def test_a_fabric_that_has_to_be_there_stays_a_wish(
    wish: str, left: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = loads(STACK.replace("WISH", wish)).stack
    plan = choices(stack)
    graph = stack_graph(stack, plan)
    whole = with_facts(stack, plan).groups[0]
    assert whole.fabric is not None
    assert whole.needs.fabric is None

    group = graph.resources["training.wide/group"]
    apart = replace(group, inputs={**group.inputs, "singlePlacementGroup": False})
    graph.resources[group.key] = apart
    monkeypatch.setattr(observed_plan, "stack_graph", lambda *_: graph)
    shown = with_facts(stack, plan).groups[0]

    assert shown.fabric is None
    assert shown.needs.fabric == left
