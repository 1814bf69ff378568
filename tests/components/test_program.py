from pathlib import Path
from typing import Any

import pulumi
import pytest

from gpuinfra.components.messages import ProgramError
from gpuinfra.components.program import deploy, program
from gpuinfra.source import Source
from gpuinfra.stackfile import read_stack_file

STACKS = Path(__file__).parents[2] / "stacks"

RULES = """\
waivers:
  - rule: spot-share
    resource: training.trainer
    reason: the run has a deadline
    owner: ml-platform
    until: 2027-01-31
"""


@pytest.fixture
def quickstart(tmp_path: Path) -> Path:
    file = tmp_path / "stack.yaml"
    file.write_text((STACKS / "quickstart" / "stack.yaml").read_text() + RULES)
    return file


def test_the_names_of_a_stack_are_the_golden_ones(record, golden) -> None:
    golden("stack-quickstart", record(lambda: deploy(STACKS / "quickstart")).names())


def test_the_root_comes_first_and_says_what_policies_need(record, quickstart: Path) -> None:
    root, *others = record(lambda: deploy(quickstart)).resources

    assert (root.type, root.name, root.parent) == ("gpuinfra:index:Stack", "quickstart", "")
    assert all(other.parent for other in others)
    assert root.inputs == {
        "budget": {"perHour": "8", "perRun": "20", "perMonth": "6000"},
        "prices": {},
        "rules": {"spot-share": {"minimum": "40%"}},
        "waivers": [
            {
                "rule": "spot-share",
                "resource": "training.trainer",
                "reason": "the run has a deadline",
                "owner": "ml-platform",
                "until": "2027-01-31",
            }
        ],
        "usage": {
            "hours": {"trainer-group": "4"},
            "ends_after": {"trainer-group": "5"},
            "gigabytes": {"data-bucket": "500"},
            "checkpoints": {"trainer-group": True},
            "purpose": {"trainer-group": "training", "chat-group": "inference"},
        },
    }


def test_the_policy_door_reads_the_root_as_it_is_written(record, quickstart: Path) -> None:
    from gpuinfra.crossguard.settings import program_settings

    root = record(lambda: deploy(quickstart)).resources[0]
    settings = program_settings(root.inputs)
    stack = read_stack_file(quickstart).stack

    assert (settings.caps.per_hour, settings.caps.per_run, settings.caps.per_month) == (
        stack.budget.per_hour,
        stack.budget.per_run,
        stack.budget.per_month,
    )
    assert settings.accept_outdated is None
    assert settings.waivers == stack.waivers
    assert settings.usage.hours == {"trainer-group": 4}


def test_the_month_is_mirrored_in_a_budget_that_mails(record, quickstart: Path) -> None:
    budget = record(lambda: deploy(quickstart)).of("quickstart-budget").inputs

    assert (budget["limitAmount"], budget["limitUnit"]) == ("6000", "USD")
    assert [
        (
            notification["notificationType"],
            notification["threshold"],
            notification["subscriberEmailAddresses"],
        )
        for notification in budget["notifications"]
    ] == [
        ("ACTUAL", 80, ["ml-platform@example.com"]),
        ("ACTUAL", 100, ["ml-platform@example.com"]),
        ("FORECASTED", 100, ["ml-platform@example.com"]),
    ]


def test_without_a_cap_for_the_month_there_is_no_budget(record, quickstart: Path) -> None:
    quickstart.write_text(quickstart.read_text().replace("per_month: 6000, ", ""))
    seen = record(lambda: deploy(quickstart))

    assert not any("budget" in resource.name for resource in seen.resources)


def capacity(seen: Any) -> str:
    template = seen.of("trainer-launch-template").inputs
    return "spot" if "instanceMarketOptions" in template else "on-demand"


def test_the_first_rung_stands_until_config_names_another(record, quickstart: Path) -> None:
    plain = record(lambda: deploy(quickstart))
    configured = record(lambda: deploy(quickstart), {"rung.trainer": "on-demand"})

    assert (capacity(plain), capacity(configured)) == ("spot", "on-demand")


def test_config_that_nothing_reads_is_warned_of(
    record, quickstart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: warnings.append(text))
    config = {"rung.trianer": "on-demand", "images": "2026-11-21", "aws:region": "us-east-1"}

    assert capacity(record(lambda: deploy(quickstart), config)) == "spot"
    (warning,) = warnings
    assert warning.startswith("quickstart: Pulumi config gpuinfra:rung.trianer has no effect")
    assert "did you mean rung.trainer?" in warning


def test_a_rung_that_is_passed_wins_over_config(record, quickstart: Path) -> None:
    run = program(Source(document=read_stack_file(quickstart)), {"trainer": "spot"})

    assert capacity(record(run, {"rung.trainer": "on-demand"})) == "spot"


def test_a_rung_over_the_cap_is_stepped_over(record, quickstart: Path) -> None:
    text = quickstart.read_text().replace("[spot, on-demand]", "[on-demand, spot]")
    quickstart.write_text(text)
    roomy = record(lambda: deploy(quickstart))
    quickstart.write_text(text.replace("per_hour: 8", "per_hour: 6"))
    tight = record(lambda: deploy(quickstart))

    assert (capacity(roomy), capacity(tight)) == ("on-demand", "spot")


@pytest.mark.parametrize(("stack", "refused"), [("cloud", True), ("sandbox", False)])
def test_a_cloud_builds_from_no_image_that_the_lock_has_not_frozen(
    record, quickstart: Path, monkeypatch: pytest.MonkeyPatch, stack: str, refused: bool
) -> None:
    from gpuinfra.cli import run

    assert run(["lock", str(quickstart)]) == 0
    monkeypatch.setattr(pulumi, "get_stack", lambda: stack)

    if refused:
        with pytest.raises(ProgramError, match=f"gpuinfra lock {quickstart} --resolve-images"):
            record(lambda: deploy(quickstart))
    else:
        assert record(lambda: deploy(quickstart)).resources


def test_a_rung_that_does_not_exist(record, quickstart: Path) -> None:
    with pytest.raises(ProgramError, match=r"reserved-block"):
        record(lambda: deploy(quickstart), {"rung.trainer": "reserved-block"})


def test_outputs_by_kind_and_name(record, quickstart: Path) -> None:
    outputs = record(lambda: deploy(quickstart)).outputs

    assert set(outputs) == {"training", "inference", "buckets", "ends"}
    assert outputs["training"]["trainer"]["groupName"] == "trainer-group-0a1b2c3"
    assert outputs["inference"]["chat"]["url"].startswith("http://chat-load-balancer")
    assert outputs["buckets"]["data"]["bucketName"].startswith("quickstart-data-")


def test_only_the_groups_that_name_a_bucket_get_to_it(record, quickstart: Path) -> None:
    quickstart.write_text(
        quickstart.read_text().replace("    data: [{bucket: data, prefix: models/}]\n", "")
    )
    seen = record(lambda: deploy(quickstart))
    bucket = seen.of("data-bucket").inputs["bucket"]

    assert bucket in seen.of("trainer-storage").inputs["policy"]
    assert not any(resource.name == "chat-storage" for resource in seen.resources)


def test_a_broken_file_is_an_error_without_a_traceback(record, quickstart: Path) -> None:
    text = quickstart.read_text().replace("g6.8xlarge #", "g6.8xlrage #")
    quickstart.write_text(text.replace("port: 8000", "port: 80000"))

    with pytest.raises(ProgramError) as failed:
        record(lambda: deploy(quickstart))

    assert isinstance(failed.value, pulumi.RunError)
    assert f"{quickstart}:13:" in str(failed.value)
    assert "did you mean g6.8xlarge?" in str(failed.value)
    assert "inference.chat.port is out of range" in str(failed.value)


def test_a_file_that_is_not_there(record, tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"does not exist"):
        record(lambda: deploy(tmp_path / "nowhere.yaml"))
