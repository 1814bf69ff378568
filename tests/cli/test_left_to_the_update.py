"""What a preview can't know since the update writes it: said, and left to the update."""

import json

import pytest

from gpuinfra.rules.deferred import DEFERRED_REASON
from tests.pulumi_files.files import (
    SECRET,
    SIGNATURE,
    UNKNOWN_TEXT,
    digest,
    entry,
    put,
    state,
    stream,
    summary,
    urn,
)

DAY = ("--as-of", "2026-11-21")
BUCKET, POLICY = "aws:s3/bucket:Bucket", "aws:s3/bucketPolicy:BucketPolicy"
SETTINGS = "budget: {per_hour: 10}\nprices: {accept_outdated: true}\n"
RULE = "bucket-tls"


def bucket():
    return entry("data", BUCKET, inputs={"bucket": "data-of-the-shop"})


def encryption():
    kind = "ServerSideEncryptionConfiguration"
    rule = {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
    return entry(
        "enc",
        f"aws:s3/bucket{kind}:Bucket{kind}",
        inputs={"bucket": "data-of-the-shop", "rules": [rule]},
    )


def policy(text=UNKNOWN_TEXT, relations=("data",), **more):
    related = [urn(name, BUCKET) for name in relations]
    return entry(
        "tls",
        POLICY,
        inputs={"bucket": "data-of-the-shop", "policy": text},
        propertyDependencies={"policy": related},
        **more,
    )


def other_policy(relations):
    inputs = {"bucket": "data-of-the-shop", "policy": "[secret]"}
    return entry("other", POLICY, inputs=inputs, propertyDependencies=relations)


def preview(*entries, ops=()):
    every = dict(zip([entry["urn"] for entry in entries], ops, strict=False))
    return digest(
        *(
            {
                "op": every.get(entry["urn"], "create"),
                "urn": entry["urn"],
                "newState": entry,
                "oldState": entry,
            }
            for entry in entries
        )
    )


@pytest.fixture
def judged(gpuinfra, tmp_path):
    """Judges a file: the findings of the rule on the bucket, and all that was answered."""

    def judge(content):
        settings = put(tmp_path, SETTINGS, "settings.yaml")
        path = put(tmp_path, content)
        answer = json.loads(gpuinfra("check", path, "--settings", settings, "--json", *DAY).out)
        (finding,) = (finding for finding in answer["findings"] if finding["rule"] == RULE)
        return finding, answer

    return judge


def test_a_policy_written_from_what_is_made_is_decided_by_the_update(judged):
    finding, answer = judged(preview(bucket(), policy()))
    assert finding["outcome"] == "not-knowable"
    assert finding["later"] is True
    assert finding["level"] == "advisory"
    assert finding["message"].endswith(DEFERRED_REASON)
    assert "policy pack" in finding["fix"]
    assert not any([RULE, urn("data", BUCKET)] in fix["settles"] for fix in answer["fixes"])


def test_it_is_made_anew_where_it_is_replaced(judged):
    ops = ("create-replacement", "update")
    assert judged(preview(bucket(), policy(), ops=ops))[0]["later"]


@pytest.mark.parametrize(
    ("why", "content"),
    [
        ("it comes from nothing", preview(bucket(), policy(relations=()))),
        ("it comes from elsewhere", preview(bucket(), policy(relations=("other",)))),
        ("it is a secret", preview(bucket(), policy("[secret]"))),
        ("it is an encrypted secret", preview(bucket(), policy({SIGNATURE: SECRET}))),
        ("what it comes from stands", preview(bucket(), policy(), ops=("same", "create"))),
        ("another policy is hidden", preview(bucket(), policy(), other_policy({}))),
        (
            "another policy of it is a secret",
            preview(bucket(), policy(), other_policy({"bucket": [urn("data", BUCKET)]})),
        ),
        ("it is a state", state({**bucket(), "id": "x"}, {**policy(), "id": "x"})),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_what_is_hidden_for_another_reason_refuses(judged, why, content):
    finding, answer = judged(content)
    assert finding["outcome"] == "not-knowable", why
    assert finding["later"] is False
    assert finding["level"] == "mandatory"
    assert finding["message"] == "the TLS requirement is unknown"
    assert answer["ok"] is False


def test_a_stream_has_no_relations_and_refuses(judged):
    def pre(resource):
        metadata = {
            "op": "create",
            "urn": resource["urn"],
            "type": resource["type"],
            "new": resource,
        }
        return {"resourcePreEvent": {"metadata": {**metadata, "old": None}}}

    def plain(resource):
        return {key: value for key, value in resource.items() if key != "propertyDependencies"}

    events = [pre(plain(resource)) for resource in (bucket(), policy())]
    finding, _ = judged(stream(*events, summary(create=2)))
    assert (finding["outcome"], finding["later"]) == ("not-knowable", False)


def test_what_is_knowable_is_judged_now(judged):
    document = json.dumps({"Version": "2012-10-17", "Statement": []})
    finding, _ = judged(preview(bucket(), policy(document)))
    assert (finding["outcome"], finding["later"]) == ("violated", False)


def test_the_summary_counts_it_apart(gpuinfra, tmp_path):
    lowered = "rules: {bucket-private: {level: advisory}}\n"
    settings = put(tmp_path, SETTINGS + lowered, "settings.yaml")
    path = put(tmp_path, preview(bucket(), encryption(), policy()))
    ran = gpuinfra("check", path, "-v", "--settings", settings, *DAY)
    assert f"? {RULE} (later): aws:s3/bucket:Bucket data: " in ran.out
    assert "2 decided by the update" in ran.out  # what the policy allows is decided then, too
    assert ran.code == 0, ran.out
    assert "fixed by" not in ran.out
