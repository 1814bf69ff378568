"""The image of a fabric's machines can use it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.model import Fabric, Group
from gpuinfra.rules.fabric import clusters, is_of_resources, judge_fabrics, kind_of
from gpuinfra.rules.rule import FactMessages, Finding, Rule, RuleInput, fact, settings_hint

WORDS: Final = FactMessages(
    good="driver image",
    bad="its image has no fabric driver or no NCCL plugin",
    unknown="could not verify that its image includes the fabric driver and the NCCL plugin",
)
STACK_FILE_FIX: Final = (
    "name an image with the fabric driver and the NCCL plugin (machine_image in a stack file), "
    "or use another cloud or machine type"
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the image of each fabric.

    It refuses where several machines have to be joined and their image is known to lack what that
    takes. An image of which nothing is known, and one machine alone, are a warning.
    """
    together = clusters(rule_input.plan.groups)

    def judge(group: Group, fabric: Fabric) -> Finding:
        finding = fact(group.subject, fabric.driver_image, WORDS)
        is_cluster = group.maximum != 1 or len(together.get(kind_of(group), ())) > 1
        if finding.outcome != "violated":
            return replace(finding, level="advisory")
        if not (is_cluster and _is_required(group, fabric)):
            fix = finding.fix if is_of_resources(group) else STACK_FILE_FIX
            return replace(finding, level="advisory", fix=fix)
        return replace(finding, fix=_fix(rule_input, group))

    return judge_fabrics(rule_input, judge)


def _is_required(group: Group, fabric: Fabric) -> bool:
    """Return whether the machines have to be joined: the user's word, else what is declared."""
    return (group.needs.fabric or fabric.requirement) == "required"


def _fix(rule_input: RuleInput, group: Group) -> str:
    if not is_of_resources(group):
        return f"{STACK_FILE_FIX}; if TCP is enough, set fabric: preferred"
    fix = RULE.fix_on(rule_input.clouds_by_subject.get(group.subject))
    return f"{fix}; if TCP is enough, set {settings_hint(group.name, 'fabric: preferred')}"


RULE = Rule(
    id="fabric-driver",
    family="fabric",
    title="The image includes the fabric driver and the NCCL plugin",
    why="Without them NCCL uses TCP; only a line of its log shows it.",
    fix="use an image with both",
    fix_by_cloud={
        "aws": "a Deep Learning AMI",
        "gcp": "an accelerator image whose start-up script installs the NCCL plugin",
        "azure": "an HPC image",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start-nccl.html",
    check=check,
)
