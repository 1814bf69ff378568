"""Machines of a group start from one pinned image."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, of_groups

WORDS: Final = Words(
    good="its image stays the same",
    bad="its image moves on by itself, so that machines of one group may differ",
    unknown="whether its image stays the same is not known",
)


RULE = Rule(
    id="image-pinned",
    family="hygiene",
    title="The image stays the same",
    why="A newer driver arrives with the next machine and breaks the run, or an unrelated update "
    "replaces every node.",
    fix="name the image itself: an ami- id or a parameter with its version (AWS), an image and no "
    "family (Google Cloud), a version that is not latest (Azure)",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/using-systems-manager-parameters.html",
    check=lambda judged, _: of_groups(judged, lambda group: group.kept.image_pinned, WORDS),
    level="advisory",
    alone=True,
)
