"""A pull request played through: base and head, comment, code scanning, exit code; then mended."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from tests.cli.conftest import Run
from tests.pulumi_files.files import digest, entry, put, step
from tests.report.schemas import JUNIT, SARIF

DAY = ("--as-of", "2026-11-21")
WHO = ("-c", "user.name=a", "-c", "user.email=a@example.com")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, *WHO, "commit", "--quiet", "-m", message)


@dataclass
class Judged:
    """What CI gets of one push: the exit code, the comment, the results and the test cases."""

    code: int
    comment: str
    results: list[dict[str, Any]]
    cases: ET.Element
    annotations: str
    err: str

    @property
    def marker(self) -> str:
        return self.comment.splitlines()[0]

    def prints(self) -> dict[str, dict[str, str]]:
        """What tells a result from others, by rule."""
        return {result["ruleId"]: result["partialFingerprints"] for result in self.results}

    def refusing(self) -> dict[str, dict[str, Any]]:
        """The results that refuse, by rule."""
        counted = [result for result in self.results if "suppressions" not in result]
        return {result["ruleId"]: result for result in counted if result["level"] == "error"}


Push = Callable[..., Judged]


@pytest.fixture
def push(
    gpuinfra: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch
) -> Push:
    """Judges what is in the checkout against its base, as the workflow does."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    out = tmp_path_factory.mktemp("out")

    def run(source: Path, base: object, *options: object) -> Judged:
        names = ("sarif", "junit", "markdown")
        outputs = [
            part
            for format_name in names
            for part in ("--output", f"{format_name}={out / format_name}")
        ]
        ran = gpuinfra(
            "check", source, "--base", base, "--format", "github", *outputs, *options, *DAY
        )
        log = json.loads((out / "sarif").read_text())
        SARIF.validate(log)
        cases = ET.fromstring((out / "junit").read_text())  # noqa: S314 - our own
        JUNIT.validate(cases)
        comment = (out / "markdown").read_text()
        assert len(comment) <= 65_536
        (result,) = log["runs"]
        assert result["invocations"][0]["exitCode"] == ran.code
        return Judged(ran.code, comment, result["results"], cases, ran.out, ran.err)

    return run


def headings(comment: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(comment)
    return [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]


def test_a_stack_file_in_a_pull_request(
    push: Push, tmp_path: Path, quickstart: Path, gpuinfra: Run
) -> None:
    folder = tmp_path / "infra"
    folder.mkdir()
    path = folder / "stack.yaml"
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    path.write_text((quickstart / "stack.yaml").read_text())
    commit(tmp_path, "base")
    git(tmp_path, "switch", "--quiet", "--create", "more")
    text = path.read_text().replace("replicas: 1..3", "replicas: 1..9")
    path.write_text(text.replace("minimum: 40%", "minimum: 100%"))
    commit(tmp_path, "more machines")

    head = push(folder, "main")
    dearer(head)

    path.write_text(f"# moved by a line\n{path.read_text()}")
    until = ("--until", "2027-01-31")
    waived = push(folder, "main", "--write-waivers", "--reason", "a demonstration", *until)
    assert waived.code == 1
    assert "spot-share" not in waived.refusing()
    assert "cap-per-hour" in waived.refusing()
    assert "cap-per-hour: can't be waived" in waived.err
    assert waived.prints() == head.prints()

    path.write_text(path.read_text().replace("replicas: 1..9", "replicas: 1..2"))
    last = push(folder, "main")
    mended(last)
    assert last.marker == waived.marker == head.marker
    assert last.prints()["spot-share"] == head.prints()["spot-share"]
    assert gpuinfra("check", folder, *DAY).code == 0


def dearer(head: Judged) -> None:
    """What CI says of a push that goes over a cap and asks for a share that it does not have."""
    assert head.code == 1
    assert head.marker == "<!-- gpuinfra:check:infra -->"
    assert head.comment.splitlines()[2].startswith("### ❌ gpuinfra check: `quickstart`: ")
    title = next(heading for heading in headings(head.comment) if heading.startswith("Since"))
    assert title.startswith("Since `main`: maximum cost changes by +")
    assert "| ~ | `chat` | " in head.comment
    assert "❌ **cap-per-hour** `quickstart` at `infra/stack.yaml:8:20`: " in head.comment
    refusing = head.refusing()
    assert {"cap-per-hour", "spot-share"} <= set(refusing)
    place = refusing["cap-per-hour"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "infra/stack.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 8, "startColumn": 20}
    assert "::error file=infra/stack.yaml,line=8,col=20,title=gpuinfra cap-per-hour::" in (
        head.annotations
    )


def mended(last: Judged) -> None:
    """What CI says once one finding is waived and the other is mended."""
    assert last.code == 0
    assert last.refusing() == {}
    assert last.comment.splitlines()[2].startswith("### ✅ gpuinfra check: `quickstart`: ")
    assert "1 waived" in last.comment
    assert "waived until 2027-01-31 by ml-platform: a demonstration" in last.comment
    title = next(heading for heading in headings(last.comment) if heading.startswith("Since"))
    assert "changes by -&#36;" in title
    (suppressed,) = [result for result in last.results if "suppressions" in result]
    assert suppressed["ruleId"] == "spot-share"
    (skipped,) = [
        case.find("skipped")
        for case in last.cases.iter("testcase")
        if case.get("name") == "spot-share: quickstart"
    ]
    assert "waived until 2027-01-31" in skipped.get("message")


@pytest.mark.parametrize(
    ("edit", "ending"),
    [
        (("replicas: 1..3", "replicas: 1..9"), "FAIL, 1 error"),
        (("replicas:", "replica:"), "not checked"),
        (("inference:", "inference: ["), "not checked"),
    ],
    ids=["lock", "typo", "syntax"],
)
def test_a_source_that_is_not_judged_has_the_marker_of_its_verdict(
    push: Push, tmp_path: Path, quickstart: Path, gpuinfra: Run, edit: tuple[str, str], ending: str
) -> None:
    """So that the comment about the mended file takes the place of the one about the error."""
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    folder = tmp_path / "live" / "two"
    folder.mkdir(parents=True)
    path = folder / "stack.yaml"
    path.write_text((quickstart / "stack.yaml").read_text())
    assert gpuinfra("lock", folder).code == 0
    commit(tmp_path, "base")
    judged = push(folder, "main")
    assert edit[0] in path.read_text()
    path.write_text(path.read_text().replace(*edit, 1))

    failed = push(path, "main")

    assert failed.marker == judged.marker
    assert failed.marker.startswith("<!-- gpuinfra:check:live-two-")
    title = failed.comment.splitlines()[2]
    assert title.startswith("### ❌ gpuinfra check: `")
    assert title.endswith(f": {ending}")


def machines(count: int, **inputs: Any) -> dict[str, Any]:
    given = {"instanceType": "g6.xlarge", **inputs}
    made = [entry(f"gpu-{n}", inputs=given) for n in range(count)]
    return digest(*(step(newState=resource, urn=resource["urn"]) for resource in made))


def test_previews_in_a_pull_request(push: Push, tmp_path: Path) -> None:
    """Of a stack without a stack file: the previews of both branches, and what they may cost."""
    (tmp_path / ".git").mkdir()
    base = put(tmp_path, machines(1), "base.json")
    path = put(tmp_path, machines(3, associatePublicIpAddress=True), "preview.json")
    caps = "prices: {accept_outdated: true}\nbudget: {per_hour: 2}\n"
    settings = put(tmp_path, caps, "settings.yaml")
    options = ("--settings", settings)

    head = push(path, base, *options)

    assert head.code == 1
    assert head.marker.startswith("<!-- gpuinfra:check:preview-json-")
    assert f"#### Since `{base}`: maximum cost changes by +&#36;1.6" in head.comment
    assert "| + | `gpu-2` | " in head.comment
    assert {"cap-per-hour", "public-address"} <= set(head.refusing())
    place = head.refusing()["public-address"]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "preview.json"
    (logical,) = place["logicalLocations"]
    assert logical["fullyQualifiedName"].startswith("urn:pulumi:dev::shop::aws:ec2/instance:")
    assert logical["kind"] == "resource"

    put(tmp_path, machines(2, associatePublicIpAddress=True), "preview.json")
    waiving = ("--write-waivers", "--reason", "a bastion", "--owner", "ml")
    waived = push(path, base, *options, *waiving)

    assert waived.code == 0
    assert waived.marker == head.marker
    assert waived.refusing() == {}
    assert "waived until 2027-02-19 by ml: a bastion" in waived.comment
    places = [
        result["suppressions"][0]["location"]["physicalLocation"]["artifactLocation"]["uri"]
        for result in waived.results
        if "suppressions" in result
    ]
    assert set(places) == {"gpuinfra.waivers.yaml"}
    assert push(path, base, *options).code == 0


PROGRAM = """\
import pulumi_aws as aws

for number in range({count}):
    aws.s3.Bucket(f"data-{{number}}")
    aws.ec2.Instance(
        f"gpu-{{number}}",
        instance_type="g6.xlarge",
        ami="ami-0123456789abcdef0",
        associate_public_ip_address={public},
    )
"""
PROJECT = "name: shop\nruntime: python\nconfig: {aws:region: us-east-1}\n"


def write_program(folder: Path, count: int, *, public: bool) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "Pulumi.yaml").write_text(PROJECT)
    (folder / "__main__.py").write_text(PROGRAM.format(count=count, public=public))


@pytest.mark.e2e
def test_a_program_in_a_pull_request(push: Push, tmp_path: Path) -> None:
    folder = tmp_path / "program"
    settings = "prices: {accept_outdated: true}\nbudget: {per_hour: 2}\nregion: us-east-1\n"
    options = ("--settings", put(tmp_path, settings, "settings.yaml"))
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    write_program(folder, 1, public=False)
    commit(tmp_path, "base")
    write_program(folder, 3, public=True)

    head = push(folder, "main", *options)

    assert head.code == 1
    assert "#### Since `main`: maximum cost changes by +&#36;1.6" in head.comment
    assert {"cap-per-hour", "public-address"} <= set(head.refusing())
    place = head.refusing()["public-address"]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "program/Pulumi.yaml"
    assert (
        "::aws:ec2/instance:Instance::gpu-" in place["logicalLocations"][0]["fullyQualifiedName"]
    )

    write_program(folder, 2, public=True)
    waiving = ("--write-waivers", "--reason", "a bastion", "--owner", "ml")
    waived = push(folder, "main", *options, *waiving)

    assert (folder / "gpuinfra.waivers.yaml").is_file()
    assert (waived.code, waived.refusing()) == (0, {})
    assert waived.marker == head.marker
