"""Something of a bucket expires, or moves to a cheaper class."""

from gpuinfra.rules.rule import Rule, of_buckets

RULE = Rule(
    id="bucket-lifecycle",
    family="hygiene",
    title="Buckets have a lifecycle rule",
    why="Without one, checkpoints of finished runs are billed every month.",
    fix="add a lifecycle rule that expires old objects, for example checkpoints of past "
    "runs, or moves them to a cheaper class",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html",
    check=of_buckets(
        lambda bucket: bucket.expires,
        good="a lifecycle rule expires objects or moves them to a cheaper class",
        bad="no lifecycle rule expires objects or moves them to a cheaper class",
        unknown="its lifecycle rules are not known yet",
    ),
    level="advisory",
)
