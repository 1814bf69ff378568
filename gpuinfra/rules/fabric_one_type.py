"""The machines of a fabric are of one type."""

from gpuinfra.model import Fabric, Group
from gpuinfra.rules.fabric import judge_fabrics
from gpuinfra.rules.rule import Finding, Rule, fine, violated


def _group(group: Group, _: Fabric) -> Finding:
    names = tuple(dict.fromkeys(group.machines)) or (group.rung.machine,)
    if names[1:]:
        return violated(
            group.subject, f"its machines may be of several types: {_names_text(names)}"
        )
    return fine(group.subject, f"all machines are {names[0]}")


def _names_text(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


RULE = Rule(
    id="fabric-one-type",
    family="fabric",
    title="A fabric has machines of one type",
    why="Machines with fewer or slower interfaces slow down all others, and some clouds "
    "connect only machines of one type.",
    fix="keep one machine type in the group, and train on another type in a separate group",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    check=lambda judged, _: judge_fabrics(judged, _group),
    alone=True,
)
