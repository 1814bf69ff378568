"""The recognition of other tools' files by their keys, with a hint on what to write instead."""

from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.errors import Position, Problem
from gpuinfra.records import record
from gpuinfra.stackfile.file_names import with_free_folder


@record
class OtherTool:
    """A kind of file: the key sets of which it has one at its top level, and the hint.

    Under each key of `mappings` it has a mapping.
    """

    name: str
    keys: tuple[frozenset[str], ...]
    fix: str
    mappings: frozenset[str] = frozenset()

    def matches(self, value: Mapping[str, Any]) -> bool:
        """Return whether a file looks like one of this tool."""
        has_shape = all(isinstance(value.get(key), Mapping) for key in self.mappings)
        return has_shape and any(keys <= value.keys() for keys in self.keys)


PULUMI_FILE_FIX: Final = "name a stack file; check, plan, cost and report read this one"

_SKYPILOT: Final = OtherTool(
    name="a SkyPilot task",
    keys=tuple(frozenset({"resources", key}) for key in ("run", "setup", "num_nodes")),
    fix="declare its machines: training: {{NAME: {{gpu: {gpu}, nodes: {nodes}, command: …}}}}; "
    "`gpuinfra init my-stack` writes a stack file",
)
"""https://docs.skypilot.co/en/latest/reference/yaml-spec.html (2026-11-26)"""

_TOOLS: Final = (
    _SKYPILOT,
    OtherTool(
        name="a Kubernetes manifest",
        keys=(frozenset({"apiVersion", "kind"}),),
        fix="declare the machines of its cluster in a stack file; `gpuinfra init my-stack` writes "
        "one",
    ),
    OtherTool(
        name="a Docker Compose file",
        keys=(frozenset({"services"}),),
        mappings=frozenset({"services"}),  # a file of prices has a list of them
        fix="declare the machines in a stack file; `gpuinfra init my-stack` writes one",
    ),
    OtherTool(
        name="a Pulumi project file",
        keys=(frozenset({"name", "runtime"}),),
        fix="check its folder, as a Pulumi program",
    ),
    OtherTool(
        name="a preview of Pulumi",
        keys=(frozenset({"config", "steps"}), frozenset({"steps", "changeSummary"})),
        fix=PULUMI_FILE_FIX,
    ),
    OtherTool(
        name="a state of Pulumi",
        keys=(frozenset({"version", "deployment"}),),
        mappings=frozenset({"deployment"}),
        fix=PULUMI_FILE_FIX,
    ),
)
"""https://kubernetes.io/docs/concepts/overview/working-with-objects/#required-fields
https://docs.docker.com/reference/compose-file/services/
https://www.pulumi.com/docs/iac/concepts/projects/project-file/
https://www.pulumi.com/docs/iac/cli/commands/pulumi_preview/
https://www.pulumi.com/docs/iac/cli/commands/pulumi_stack_export/"""


def other_tool_problem(value: Mapping[str, Any], file: str) -> Problem | None:
    """Return the problem of a file for another tool; None where it may be a stack file."""
    for tool in _TOOLS:
        if tool.matches(value):
            return Problem(
                message=f"this is {tool.name}, not a stack file",
                fix=with_free_folder(
                    tool.fix.format(**_machines(value)) if tool is _SKYPILOT else tool.fix
                ),
                position=Position(file, 1, 1),
            )
    return None


def _machines(task: Mapping[str, Any]) -> dict[str, object]:
    """Return the GPUs and nodes of a SkyPilot task as in a stack file, or example values."""
    resources = task["resources"]
    accelerators = resources.get("accelerators") if isinstance(resources, Mapping) else None
    nodes = task.get("num_nodes")
    return {
        "gpu": accelerators if isinstance(accelerators, str) else "A100:8",
        "nodes": nodes if isinstance(nodes, int) else 1,
    }
