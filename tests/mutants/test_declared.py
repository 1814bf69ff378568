"""The mutants of declared graphs: what is broken, what stays, and who notices."""

from fnmatch import fnmatchcase

import pytest

from gpuinfra.graph import Options, Ref, Resource, ResourceGraph, concat
from tests.components.stack_documents import documents
from tests.mutants.declared.accepted import ACCEPTED, reason
from tests.mutants.declared.changes import Mutant, mutants_of
from tests.mutants.declared.judges import OTHERS, Judges

BUCKET = "aws:s3/bucket:Bucket"
POLICY = "aws:s3/bucketPolicy:BucketPolicy"


def graph() -> ResourceGraph:
    made = ResourceGraph()
    made.add(Resource("one", "gpuinfra:index:DataBucket", "one", {}))
    made.add(
        Resource("one/bucket", BUCKET, "b", {"count": 2, "rules": [{"on": True}], "kind": "gp3"})
    )
    made.add(
        Resource(
            "one/policy",
            POLICY,
            "p",
            {
                "bucket": Ref("one/bucket"),
                "policy": '{"Effect": "Allow"}',
                "text": concat("arn:", Ref("one/bucket", "arn")),
                "ids": [Ref("one/bucket")],
            },
            options=Options(depends_on=("one/bucket",)),
        )
    )
    return made


def of(key: str, kind: str, field: str = "", change: str = "") -> Mutant:
    (mutant,) = (
        candidate
        for candidate in mutants_of(graph())
        if (candidate.key, candidate.kind, candidate.field, candidate.change)
        == (key, kind, field, change)
    )
    return mutant


@pytest.mark.parametrize(
    ("kind", "field", "change", "expected"),
    [
        ("dropped", "count", "", {"rules": [{"on": True}], "kind": "gp3"}),
        ("dropped", "rules.on", "", {"count": 2, "rules": [{}], "kind": "gp3"}),
        ("flipped", "rules.on", "False", {"count": 2, "rules": [{"on": False}], "kind": "gp3"}),
        ("number", "count", "x2", {"count": 4, "rules": [{"on": True}], "kind": "gp3"}),
        ("misspelt", "kind", "", {"count": 2, "rules": [{"on": True}], "kind": "gpq"}),
    ],
)
def test_one_input_is_broken(kind: str, field: str, change: str, expected: object) -> None:
    mutant = of("one/bucket", kind, field, change)

    assert mutant.graph().resources["one/bucket"].inputs == expected
    assert graph().resources["one/bucket"].inputs["count"] == 2


def test_a_document_written_as_text_is_broken_inside() -> None:
    mutant = of("one/policy", "dropped", "policy.{}.Effect")

    assert mutant.graph().resources["one/policy"].inputs["policy"] == "{}"


def test_a_removed_resource_is_referred_to_by_none() -> None:
    left = of("one/bucket", "removed").graph().resources
    policy = left["one/policy"]

    assert set(left) == {"one", "one/policy"}
    assert "bucket" not in policy.inputs
    assert policy.inputs["ids"] == []
    assert policy.inputs["text"].arguments == ("arn:", "gone")
    assert policy.options.depends_on == ()


def test_components_and_implied_dependencies_are_left_alone() -> None:
    kinds = {(mutant.key, mutant.kind) for mutant in mutants_of(graph())}

    assert not any(key == "one" for key, _ in kinds)
    assert ("one/policy", "undepended") not in kinds


def test_every_accepted_survivor_has_a_reason_and_is_looked_up_by_it() -> None:
    rows = [row for each in ACCEPTED.values() for row in each]
    assert all(why for *_, why in rows)
    assert reason(of("one/bucket", "dropped", "count")) == ""
    assert any(fnmatchcase("tags.Name", field) for _, field, _, _ in rows)


def test_the_judges_notice_what_a_rule_judges_and_nothing_else() -> None:
    judges = Judges(documents()["startup-gcp"].stack)
    mutants = {
        (mutant.child, mutant.kind, mutant.field): mutant
        for mutant in mutants_of(judges.graph)
        if mutant.key.startswith("training.trainer/")
    }

    assert judges.notices(judges.graph) == ""
    broken = mutants["template", "misspelt", "scheduling.onHostMaintenance"]
    assert judges.notices(broken.graph()) == "rules"
    assert judges.notices(mutants["nat", "removed", ""].graph()) in {"rules", "quote"}


@pytest.mark.parametrize("name", ["schema", "order", "fit"])
def test_a_judge_that_breaks_ends_the_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = Judges(documents()["startup-gcp"].stack)
    earlier = next(m for m in mutants_of(judges.graph) if m.kind == "undepended")

    def broken(_: ResourceGraph) -> list[str]:
        raise ValueError(name)

    for other in OTHERS:
        monkeypatch.setitem(OTHERS, other, broken if other == name else lambda _: [])
    with pytest.raises(ValueError, match=name):
        judges.notices(earlier.graph())
