import json

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview import event_digest
from gpuinfra.engine.program_preview.event_digest import DigestCrashError
from gpuinfra.errors import EngineError

URN = "urn:pulumi:dev::t::aws:s3/bucket:Bucket::b"
BUCKET = {"type": "aws:s3/bucket:Bucket", "urn": URN, "inputs": {"acl": "private"}}


def digest_of(tmp_path, *events, plan=None):
    path, planned = tmp_path / "preview.json", tmp_path / "plan.json"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    if plan is not None:
        planned.write_text(json.dumps(plan))
    event_digest.write(path, planned)
    return json.loads(path.read_text())


def step(operation, state):
    return {"resourcePreEvent": {"metadata": {"op": operation, "urn": URN, "new": state}}}


def crash(message):
    return event_digest.crash_error([Diagnostic(severity="error", message=message, urn="")])


def test_events_become_a_digest(tmp_path):
    digest = digest_of(
        tmp_path,
        {"preludeEvent": {"config": {"aws:region": "us-east-1"}}},
        {"diagnosticEvent": {"prefix": "debug: ", "message": "x", "severity": "debug"}},
        {"diagnosticEvent": {"prefix": "error: ", "message": "broken", "severity": "error"}},
        step("create", BUCKET),
        {"resOutputsEvent": {"metadata": {"op": "create", "urn": URN, "new": BUCKET}}},
        {"summaryEvent": {"resourceChanges": {"create": 1}, "isPreview": True}},
    )

    assert digest["config"] == {"aws:region": "us-east-1"}
    assert [said["message"] for said in digest["diagnostics"]] == ["error: broken"]
    assert digest["steps"] == [
        {"op": "create", "urn": URN, "newState": {**BUCKET, "external": False}}
    ]
    assert digest["changeSummary"] == {"create": 1}


def test_what_is_read_is_external(tmp_path):
    digest = digest_of(tmp_path, step("read", BUCKET), step("delete", None))

    assert [
        (shown["newState"] or {"external": None})["external"] for shown in digest["steps"]
    ] == [True, None]


def test_dependencies_are_those_of_the_plan(tmp_path):
    relations = {"dependencies": ["urn:a"], "propertyDependencies": {"acl": ["urn:a"]}}
    plan = {"resourcePlans": {URN: {"goal": {"name": "b", **relations}}}}

    for whole in (plan, {"version": 1, "plan": plan}):
        [shown] = digest_of(tmp_path, step("create", BUCKET), plan=whole)["steps"]
        assert shown["newState"].items() >= relations.items()


def test_events_of_an_engine_that_was_cut_off_are_read_to_the_last_whole_one(tmp_path):
    path = tmp_path / "preview.json"
    path.write_text(json.dumps(step("create", BUCKET)) + '\n{"resourcePreEv')
    event_digest.write(path, tmp_path / "none.json")

    assert len(json.loads(path.read_text())["steps"]) == 1


def test_only_the_crash_at_a_secret_has_a_way_round():
    assert crash("something else") is None
    assert isinstance(crash("it crashed: attempt to encrypt value"), DigestCrashError)
    other = crash("it crashed: out of memory")
    assert isinstance(other, EngineError)
    assert not isinstance(other, DigestCrashError)
