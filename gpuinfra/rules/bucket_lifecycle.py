"""Something of a bucket expires, or moves to a cheaper class."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, of_buckets

WORDS: Final = Words(
    good="some of it expires, or moves to a cheaper class",
    bad="nothing of it ever expires or moves to a cheaper class",
    unknown="its lifecycle rules are not known yet",
)


RULE = Rule(
    id="bucket-lifecycle",
    family="hygiene",
    title="A bucket has a lifecycle",
    why="Checkpoints of runs that ended last year are paid for each month.",
    fix="add a lifecycle rule that expires or tiers what is old, such as checkpoints of past runs",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html",
    check=lambda judged, _: of_buckets(judged, lambda bucket: bucket.expires, WORDS),
    level="advisory",
)
