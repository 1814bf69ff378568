"""Whole stacks as people write them beside GPUs: what each costs, and why it is refused."""

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import Usage
from gpuinfra.planning import from_resources
from gpuinfra.rules import judge
from gpuinfra.specs.schema import TrustEntry
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import RICH, TODAY
from tests.rules.cases.program import Program, Ref

FOLDER = Path(__file__).with_name("whole")
PROGRAMS: dict[str, type[Any]] = {"aws": Program, "azure": AzureProgram, "gcp": GcpProgram}
STACKS = {
    f"{file.stem}:{name}": stack
    for file in sorted(FOLDER.glob("*.yaml"))
    for name, stack in YAML(typ="safe").load(file).items()
}


def referred(value: Any, handles: dict[str, Any]) -> Any:
    """A value with `${name.output}` as a reference, as Pulumi's own YAML writes it."""
    if isinstance(value, dict):
        return {key: referred(inner, handles) for key, inner in value.items()}
    if isinstance(value, list):
        return [referred(inner, handles) for inner in value]
    match = re.fullmatch(r"\$\{(\w+)\.(\w+)\}", value) if isinstance(value, str) else None
    return Ref(handles[match[1]].urn, match[2]) if match else value


def judged(name: str, moment: Any) -> dict[str, Any]:
    """What is said of a stack: its ceiling per hour in USD, and which rules refuse it how."""
    program = PROGRAMS[name.partition(":")[0]]()
    handles: dict[str, Any] = {}
    for key, resource in STACKS[name]["resources"].items():
        inputs = referred(resource.get("properties", {}), handles)
        handles[key] = program.add(resource["type"], key, **inputs)
    trust = tuple(TrustEntry(**entry).trust for entry in STACKS[name].get("trust", ()))
    plan = from_resources(
        program.resources(moment), name="shop", caps=RICH, usage=Usage(trust=trust)
    )
    quote = estimate(plan, PricingTerms(as_of=TODAY, accept_outdated=True))
    refusing = [item for item in judge(plan, quote, {}, (), TODAY).findings if item.refuses]
    summary: dict[str, Any] = {"per_hour": f"{quote.per_hour.ceiling:.4f}"}
    for outcome, key in (("violated", "violated"), ("not-knowable", "unknown")):
        if rules := sorted({item.rule for item in refusing if item.outcome == outcome}):
            summary[key] = rules
    return summary


@pytest.mark.parametrize("name", STACKS)
def test_a_whole_stack_is_priced_and_judged_as_reviewed(name: str) -> None:
    assert judged(name, "created") == STACKS[name]["expected"]
