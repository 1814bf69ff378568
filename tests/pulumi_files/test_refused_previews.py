"""Previews that are no whole stack, contradict themselves or have an unexpected form."""

import json

import pytest

from gpuinfra import pulumi_files
from gpuinfra.errors import InputError
from tests.pulumi_files.files import (
    digest,
    entry,
    pre,
    put,
    state,
    step,
    stream,
    summary,
    urn,
)


def problem(path):
    with pytest.raises(InputError) as caught:
        pulumi_files.read(path)
    (only,) = caught.value.problems
    return only


ROOT = {
    "op": "create",
    "urn": urn("shop-dev", "pulumi:pulumi:Stack"),
    "newState": {"urn": urn("shop-dev", "pulumi:pulumi:Stack"), "type": "pulumi:pulumi:Stack"},
}


@pytest.mark.parametrize(
    "content",
    [
        digest(),
        digest(ROOT),
        digest(step("read", "read", newState=entry("read", external=True))),
        stream({"preludeEvent": {}}, summary()),
    ],
)
def test_a_preview_that_shows_nothing_failed(tmp_path, content):
    assert "the preview has no resources, so there is" in problem(put(tmp_path, content)).message


@pytest.mark.parametrize(
    "content",
    [
        digest(step(op="update"), step()),
        digest(step(op="same"), step(op="import")),
        digest(step(urn=urn("two"))),
        digest(step(op="delete", newState=entry())),
        digest(step(newState=entry(external=True))),
        digest(step(op="replace", newState=entry(external=True))),
        digest(step(op="read")),
        digest(step(), changeSummary={}),
        digest(step(), step("two"), changeSummary={"create": 1}),
        stream(pre(), pre(op="update"), summary(create=1, update=1)),
        stream(pre(op="delete", new=entry()), summary(delete=1)),
        stream(pre(), summary()),
    ],
)
def test_a_preview_that_contradicts_itself_is_refused(tmp_path, content):
    assert "the preview contradicts itself" in problem(put(tmp_path, content)).message


def test_a_digest_that_leaves_out_what_does_not_change_names_show_sames(tmp_path):
    path = put(tmp_path, digest(step(), changeSummary={"create": 1, "same": 4}))
    refusal = problem(path)
    assert "4 unchanged resources" in refusal.message
    assert "--show-sames" in refusal.fix


@pytest.mark.parametrize("op", ["create", "update", "import"])
def test_a_digest_that_counts_more_than_it_lists_is_refused(tmp_path, op):
    given = digest(step(), changeSummary={"create": 1, op: 3})
    refusal = problem(put(tmp_path, given))
    listed = 1 if op == "create" else 0
    assert f"counts 3 resources to {op} and omits {3 - listed} of them" in refusal.message


@pytest.mark.parametrize("behind", ["}", "{}", " null", '\n{"steps": []}'])
def test_nothing_stands_behind_the_one_document(tmp_path, behind):
    for name, given in (("preview.json", digest()), ("state.json", state())):
        path = tmp_path / name
        path.write_text(json.dumps(given) + behind)
        refusal = problem(path)
        assert refusal.message == "unexpected text after the end of the document", name


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (digest(step(), changeSummary=None), "changeSummary is missing"),
        ({"config": {}, "steps": []}, "has no summary"),
        (digest(step(), maybeCorrupt=True), "corrupt"),
        (
            digest(diagnostics=[{"severity": "error", "message": "boom"}]),
            "the preview failed",
        ),
        (digest(step(op="melt")), "unknown operation"),
        (digest(step(), step()), "two steps create"),
        (digest({"op": "create", "urn": 7}), "steps[0].urn is a whole number"),
        ({"steps": ["create"]}, "steps[0] is text, but must be a mapping"),
        (digest(step(newState=[])), "steps[0].newState is a list"),
        (digest(step(newState=entry(inputs=[1]))), "steps[0].newState.inputs is a list"),
        (digest(step(newState=entry(type=None))), "steps[0].newState.type is missing"),
        (digest(step(newState=entry(urn="urn:pulumi:a::b"))), "is not a URN"),
        (digest(step(newState=entry(parent="me"))), "parent is not a URN"),
        (digest(step(newState=entry(propertyDependencies={"a": "b"}))), "must be a list"),
        (
            digest(step(newState=entry(parent=urn("one")))),
            "depends on itself, through parents or property dependencies",
        ),
        (digest(changeSummary={"create": "1"}), "changeSummary.create is text"),
    ],
)
def test_a_digest_that_can_not_be_judged(tmp_path, content, message):
    assert message in problem(put(tmp_path, content)).message


@pytest.mark.parametrize(
    "type_", ["aws:ec2/vpc:Vpc", "pulumi:pulumi:Stack", "pulumi:providers:aws", "a:b:C"]
)
def test_a_type_that_contradicts_its_urn_is_refused(tmp_path, type_):
    changed = entry() | {"type": type_}
    for content in (digest(step(newState=changed)), state(changed)):
        assert "type contradicts" in problem(put(tmp_path, content)).message


def test_a_circle_of_dependencies_is_refused(tmp_path):
    first = step("one", newState=entry("one", propertyDependencies={"a": [urn("two")]}))
    two = step("two", newState=entry("two", propertyDependencies={"b": [urn("one")]}))
    assert (
        "depends on itself, through parents or property dependencies"
        in problem(put(tmp_path, digest(first, two))).message
    )


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([pre()], "has no summary"),
        ([pre(), pre(), summary(create=2)], "two steps create"),
        ([pre(), summary(create=1, same=2)], "omits 2 of them"),
        ([{"diagnosticEvent": {"severity": "error", "message": "x"}}], "the preview failed"),
        ([{"resOpFailedEvent": {}}], "the preview failed"),
        ([{"errorEvent": {"error": "no"}}], "the preview failed"),
        ([{"strangeEvent": {}}], "an event of a kind that is not supported"),
        (
            [{"summaryEvent": {"isPreview": False, "resourceChanges": {}}}],
            "of an update, not of a preview",
        ),
        (
            [{"summaryEvent": {"isPreview": True, "resourceChanges": {}, "result": "failed"}}],
            "the preview failed",
        ),
        ([{"summaryEvent": {"maybeCorrupt": True}}], "corrupt"),
    ],
)
def test_a_stream_that_can_not_be_judged(tmp_path, events, message):
    assert message in problem(put(tmp_path, stream(*events))).message


def test_an_event_of_a_stream_that_is_wrong_has_its_line(tmp_path):
    text = stream({"preludeEvent": {}}, pre(op="melt"))
    assert problem(put(tmp_path, text)).position.line == 2
