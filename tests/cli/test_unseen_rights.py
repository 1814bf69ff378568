"""`gpuinfra check` of code that runs with permissions declared elsewhere, as a user meets it."""

import json

import pytest

from tests.pulumi_files.files import digest, entry, put, state, step

DAY = ("--as-of", "2026-11-21")
FUNCTION = "aws:lambda/function:Function"
ROLE = "arn:aws:iam::123456789012:role/platform/etl"
TRUST = "trust: [{input: role, value: '*:role/platform/*', limited: true, why: reviewed}]\n"


def function(name, role=ROLE):
    return entry(
        name,
        FUNCTION,
        id=name,
        inputs={"name": name, "role": role, "runtime": "python3.12", "handler": "h.h"},
    )


CODE = [function("load"), function("clean"), function("send", ROLE.replace("etl", "send"))]


@pytest.fixture(params=["preview", "state"])
def source(request, tmp_path):
    if request.param == "state":
        return put(tmp_path, state(*CODE), "state.json")
    return put(tmp_path, digest(*(step(urn=each["urn"], newState=each) for each in CODE)))


def test_one_line_tells_whose_permissions_are_not_seen(gpuinfra, source):
    ran = gpuinfra("check", source, *DAY)
    assert ran.code == 0
    told = [line.strip() for line in ran.out.splitlines() if "not judged" in line]
    assert told == ["not judged: the permissions of etl, send, declared elsewhere (-v says more)"]
    ran = gpuinfra("check", source, "-v", *DAY)
    assert f"not judged: 3 × {FUNCTION}: its code runs as an identity outside" in ran.out


def test_the_json_has_each_with_the_names(gpuinfra, source):
    rows = json.loads(gpuinfra("check", source, "--json", *DAY).out)["not_judged"]
    assert [row["unseen_rights"] for row in rows] == [[ROLE], [ROLE], [f"{ROLE[:-3]}send"]]
    assert not any(row["may_start_machines"] for row in rows)


def test_trust_settles_it(gpuinfra, source, tmp_path):
    settings = put(tmp_path, TRUST, "trusting.yaml")
    ran = gpuinfra("check", source, "--settings", settings, *DAY)
    assert ran.code == 0
    assert "not judged" not in ran.out
    ran = gpuinfra("check", source, "--settings", settings, "-v", *DAY)
    assert "trusted as limited, not checked: role *:role/platform/*" in " ".join(ran.out.split())


@pytest.mark.parametrize("form", ["markdown", "github", "sarif", "junit"])
def test_every_format_tells_it(gpuinfra, source, form):
    ran = gpuinfra("check", source, "--format", form, *DAY)
    assert FUNCTION in ran.out
