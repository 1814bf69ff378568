"""What a YAML program says of JSON texts that are unknown in its preview."""

from typing import Any

import pytest

from gpuinfra.engine.program_preview import yaml_json_texts
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT

TOKEN = "aws:s3/bucketPolicy:BucketPolicy"


def completed(
    inputs: dict[str, Any], properties: Any, variables: Any = None, **resource: Any
) -> dict[str, Any]:
    urn = f"urn:pulumi:dev::shop::{TOKEN}::only-tls"
    preview = {"steps": [{"newState": {"urn": urn, "type": TOKEN, "inputs": inputs}}]}
    declared = {"type": "aws:s3:BucketPolicy", "properties": properties, **resource}
    program = {"resources": {"only-tls": declared}, "variables": variables}
    yaml_json_texts.with_known_parts(preview, program)
    result = preview["steps"][0]["newState"]["inputs"]
    assert isinstance(result, dict)
    return result


POLICY = {"fn::toJSON": {"Statement": [{"Action": "s3:*", "Resource": ["${data.arn}", "a/*"]}]}}
KNOWN = {"Statement": [{"Action": "s3:*", "Resource": [UNKNOWN_TEXT, "a/*"]}]}


def test_an_unknown_json_text_has_the_parts_that_the_program_says():
    assert completed({"policy": UNKNOWN_TEXT}, {"policy": POLICY}) == {"policy": KNOWN}


def test_the_text_may_be_a_variable_or_stand_inside_lists():
    assert completed({"policy": UNKNOWN_TEXT}, {"policy": "${own}"}, {"own": POLICY}) == {
        "policy": KNOWN
    }
    listed = [{"name": "own", "policy": UNKNOWN_TEXT}]
    assert completed(
        {"inlinePolicies": listed}, {"inlinePolicies": [{"name": "own", "policy": POLICY}]}
    ) == {"inlinePolicies": [{"name": "own", "policy": KNOWN}]}


def test_the_name_of_a_resource_may_be_stated():
    stated = completed({"policy": UNKNOWN_TEXT}, {"policy": POLICY}, name="other")

    assert stated == {"policy": UNKNOWN_TEXT}


@pytest.mark.parametrize(
    ("declared", "known"),
    [
        ("a ${data.arn}", UNKNOWN_TEXT),
        ("$${aws:username}", "${aws:username}"),
        ("$${aws:username} of ${data.arn}", UNKNOWN_TEXT),
        ({"fn::join": ["", ["a", "b"]]}, UNKNOWN_TEXT),
        ({"Fn::ToJSON": {}}, UNKNOWN_TEXT),
        ("${again}", UNKNOWN_TEXT),
        (True, True),
        (None, None),
    ],
)
def test_references_and_calls_are_unknown(declared, known):
    document = {"fn::toJSON": {"value": declared}}
    result = completed({"policy": UNKNOWN_TEXT}, {"policy": document}, {"again": "${again}"})

    assert result == {"policy": {"value": known}}


@pytest.mark.parametrize(
    ("inputs", "properties"),
    [
        ({"policy": "{}"}, {"policy": POLICY}),
        ({"policy": "[secret]"}, {"policy": POLICY}),
        ({"policy": UNKNOWN_TEXT}, {"policy": "${data.policy}"}),
        ({"policy": UNKNOWN_TEXT}, {"policy": {"fn::toBase64": "${data.arn}"}}),
        ({"policy": UNKNOWN_TEXT}, "${all}"),
        ({"policy": [UNKNOWN_TEXT]}, {"policy": [POLICY, POLICY]}),
    ],
)
def test_everything_else_stays_as_it_is(inputs, properties):
    assert completed(dict(inputs), properties) == inputs
