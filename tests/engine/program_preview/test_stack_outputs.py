import json

from gpuinfra.engine.program_preview import stack_outputs
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT

STACK = {"type": "pulumi:pulumi:Stack", "urn": "urn:pulumi:dev::t::pulumi:pulumi:Stack::t-dev"}
BUCKET = {"type": "aws:s3/bucket:Bucket", "outputs": {"id": "b"}}


def handed_over(tmp_path, events):
    digest = {"steps": [{"op": "create", "newState": resource} for resource in (STACK, BUCKET)]}
    (tmp_path / "digest").write_text(json.dumps(digest))
    lines = (json.dumps({"sequence": 1, **event}) + "\n" for event in events)
    (tmp_path / "events").write_text("".join(lines))
    path = stack_outputs.hand_over(tmp_path / "digest", tmp_path / "events", tmp_path / "target")
    return [step["newState"] for step in json.loads(path.read_text())["steps"]]


def ended(state):
    return {"resOutputsEvent": {"metadata": {"op": "create", "new": state}}}


def test_the_stack_gets_the_outputs_of_its_last_event(tmp_path):
    stack, bucket = handed_over(
        tmp_path,
        [
            {"resourcePreEvent": {"metadata": {"new": {**STACK, "outputs": {"a": "early"}}}}},
            ended({**STACK, "outputs": {}}),
            ended({**BUCKET, "parent": STACK["urn"]}),
            ended({**STACK, "outputs": {"a": "x"}}),
            {"diagnosticEvent": {"message": "of pulumi:pulumi:Stack"}},
        ],
    )

    assert stack["outputs"] == {"a": "x"}
    assert bucket == BUCKET


def test_a_stack_without_outputs_says_so(tmp_path):
    stack, _ = handed_over(tmp_path, [ended({**STACK, "outputs": {}})])

    assert stack["outputs"] == {}


def test_a_text_that_holds_an_unknown_one_is_unknown(tmp_path):
    digest, events = tmp_path / "digest.json", tmp_path / "events.jsonl"
    urn = f"urn:pulumi:dev::town::aws:s3/bucket:Bucket::{UNKNOWN_TEXT}-logs"
    inputs = {"bucket": f"{UNKNOWN_TEXT}-logs", "acl": "private", "tags": [{UNKNOWN_TEXT: "x"}]}
    digest.write_text(json.dumps({"steps": [{"urn": urn, "newState": {"inputs": inputs}}]}))
    events.write_text("")
    [step] = json.loads(stack_outputs.hand_over(digest, events, tmp_path / "p.json").read_text())[
        "steps"
    ]

    assert step["urn"].endswith("::unknown-logs")
    assert step["newState"]["inputs"] == {
        "bucket": UNKNOWN_TEXT,
        "acl": "private",
        "tags": [{"unknown": "x"}],
    }
