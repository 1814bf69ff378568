"""`gpuinfra check` of a program or a preview that failed half-way: judged as far as it got."""

import json
import re

import pytest

from tests.cli.conftest import BUCKET
from tests.cli.documents import documented
from tests.cli.test_check_program import DAY
from tests.pulumi_files.files import digest, pre, put, step, stream, summary

REGION = ("--config", "aws:region=us-east-1")
FAILED = {"severity": "error", "message": "error: boom\n"}
REFUSED = """
first = Raw("aws:s3/bucket:Bucket", "first")
after = pulumi.ResourceOptions(depends_on=[first])
pulumi.CustomResource("aws:s3/bucket:Bucket", "bad", {"bucket": "A!"}, after)
"""
WAIVER = ("--write-waivers", "--owner", "me", "--reason", "x", "--until", "2026-12-01")


@pytest.fixture
def program(tmp_path):
    """Writes a program with a bucket and more code; gives its folder."""

    def write(code):
        (tmp_path / "Pulumi.yaml").write_text("name: town\nruntime: python\n")
        (tmp_path / "__main__.py").write_text(BUCKET + code)
        return tmp_path

    return write


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("code", "exit_code", "reason", "told"),
    [
        ("{}['seven']\n", 2, "KeyError: 'seven'", "KeyError"),
        ("import torchx\n", 2, "ModuleNotFoundError: No module named 'torchx'", "torchx"),
        (
            "pulumi.Config().require('size')\n",
            2,
            "Missing required configuration variable",
            "Missing required configuration variable",
        ),
        (REFUSED, 3, "bad was refused", "refused: "),
    ],
)
def test_a_program_that_fails_is_judged_as_far_as_it_got(
    code, exit_code, reason, told, gpuinfra, program
):
    ran = gpuinfra("check", program(code), *REGION, *DAY)

    assert ran.code == exit_code
    assert "✗ bucket-tls: aws:s3/bucket:Bucket " in ran.out
    assert "totals are a lower bound" in ran.out
    assert ": at least $" in ran.out
    last = ran.out.splitlines()[-1]
    assert last.startswith("FAIL, ")
    assert re.search("[123] resources? judged before the program stopped: ", last)
    assert reason in last
    assert told in ran.err
    assert "--fix" not in ran.out + ran.err


@pytest.mark.e2e
def test_nothing_is_changed_and_each_format_says_it(gpuinfra, program, tmp_path):
    folder = program("{}['seven']\n")
    markdown = tmp_path / "part.md"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    ran = gpuinfra(
        *("check", folder, *REGION, *DAY, "--json", "--output", f"markdown={markdown}"),
        *("--fix", "--yes", "--base", "HEAD", *WAIVER),
    )

    answer = json.loads(ran.out)
    assert ran.code == 2
    assert set(answer) == documented()["check"] | documented()["check FILE.json"] | {"error"}
    assert (answer["ok"], answer["resources"], answer["comparison"]) == (False, 2, None)
    assert answer["error"]["exit_code"] == 2
    assert "--fix: no edit was searched for, and nothing was changed" in ran.err
    assert "--write-waivers: no waiver was written" in ran.err
    assert "--base: the cost was not compared" in ran.err
    assert "judged before the program stopped" in markdown.read_text()
    markdown.unlink()
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.e2e
def test_a_program_that_registered_nothing_is_bad_input(gpuinfra, tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: town\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("{}['seven']\n")
    ran = gpuinfra("check", tmp_path, *DAY)

    assert (ran.code, ran.out) == (2, "")
    assert "the program failed: KeyError: 'seven'" in ran.err


@pytest.mark.parametrize(
    "content",
    [
        digest(step(), diagnostics=[FAILED], changeSummary={"create": 5}),
        digest(step(), diagnostics=[FAILED, FAILED], changeSummary=None),
        stream(pre(), {"diagnosticEvent": FAILED}),
        stream(pre(), {"errorEvent": {"error": "boom"}}, summary(create=5)),
    ],
)
def test_a_preview_that_failed_is_judged_as_far_as_it_got(content, gpuinfra, tmp_path):
    if isinstance(content, dict) and content["changeSummary"] is None:
        del content["changeSummary"]
    ran = gpuinfra("check", put(tmp_path, content), *DAY, "-q")

    assert ran.code == 2
    assert "✗ no-cap" in ran.out
    assert ran.out.splitlines()[-1].endswith("1 resource judged before the preview failed: boom")
    assert "the preview failed, so the file shows only some of the stack's resources" in ran.err


def test_a_preview_that_failed_at_once_is_bad_input(gpuinfra, tmp_path):
    ran = gpuinfra("check", put(tmp_path, digest(diagnostics=[FAILED])), *DAY)

    assert (ran.code, ran.out) == (2, "")
    assert "the preview failed" in ran.err


@pytest.mark.parametrize("verb", ["cost", "plan"])
def test_a_part_is_not_priced_as_if_it_were_whole(verb, gpuinfra, tmp_path):
    ran = gpuinfra(verb, put(tmp_path, digest(step(), diagnostics=[FAILED])), *DAY)

    assert (ran.code, ran.out) == (2, "")
    assert "the preview failed" in ran.err
