"""Machines of a group start from one pinned image."""

from gpuinfra.rules.rule import Rule, of_groups

RULE = Rule(
    id="image-pinned",
    family="hygiene",
    title="Machine images are pinned",
    why="Otherwise a newer driver arrives with the next machine and breaks the run, or an "
    "unrelated update replaces every node.",
    fix="name one image",
    ways={
        "aws": "an ami- id or a parameter with its version",
        "gcp": "an image instead of a family",
        "azure": "a version other than latest",
    },
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/using-systems-manager-parameters.html",
    check=of_groups(
        lambda group: group.lifecycle.image_pinned,
        good="its machine image is pinned",
        bad="its machine image is not pinned: machines of one group may start from "
        "different images",
        unknown="it is unknown whether its machine image is pinned",
    ),
    level="advisory",
    alone=True,
)
