"""Waivers under a pack: what they name, when they end, who forbids them."""

import pytest

from tests.crossguard.resources import INSTANCE, MACHINE, root, stands
from tests.crossguard.wire import ACCEPTED, urn

OPEN = {**MACHINE, "metadataOptions": {"httpTokens": "optional"}}
WAIVER = {
    "rule": "metadata-v2",
    "resource": "gate",
    "reason": "an old agent",
    "owner": "net",
    "until": "2026-12-31",
}


def test_one_resource_shows_what_is_wrong_before_it_is_made_and_the_whole_does_not_repeat_it(
    engine,
):
    run = engine("metadata-v2", "open-login")
    (text,) = run.show(INSTANCE, "gate", OPEN)["metadata-v2"]
    assert text.startswith(
        "gate: no visible option, image or default requires a metadata token. To fix it: "
    )
    assert set(run.end()) == {"open-login"}
    run.start()
    assert "metadata-v2" in run.show(INSTANCE, "gate", OPEN)


@pytest.mark.parametrize(("waivers", "refused"), [("allowed", False), ("forbidden", True)])
def test_a_waiver_holds_unless_the_pack_forbids_it(engine, waivers, refused):
    run = engine("metadata-v2", settings={**ACCEPTED, "waivers": waivers})
    root(run, waivers=[WAIVER])
    assert ("metadata-v2" in run.show(INSTANCE, "gate", OPEN)) is refused
    assert run.end() == {}


def component(run, kind, name, parent):
    run.show(f"gpuinfra:index:{kind}", name, {}, parent=parent)
    return urn(f"gpuinfra:index:{kind}", name)


@pytest.mark.parametrize(
    ("resource", "waived"),
    [
        ("trainer", True),
        ("training.trainer", True),
        ("trainer*", False),
        ("*TrainingCluster::trainer", False),
        ("trainer-group", True),
        ("team", True),
        ("shop", False),
        ("inference.trainer", False),
        ("other", False),
    ],
)
def test_a_waiver_may_name_the_component_of_a_stack_file(engine, resource, waived):
    """A rule of the whole alone finds this: without the waiver it comes after all stands."""
    run = engine("spot-checkpoints")
    usage = {"purpose": {"trainer-group": "training"}, "checkpoints": {"trainer-group": False}}
    waiver = {**WAIVER, "rule": "spot-checkpoints", "resource": resource}
    run.show("gpuinfra:index:Stack", "shop", {"usage": usage, "waivers": [waiver]})
    team = component(run, "Team", "team", urn("gpuinfra:index:Stack", "shop"))
    trainer = component(run, "TrainingCluster", "trainer", team)
    spot = {**MACHINE, "instanceMarketOptions": {"marketType": "spot"}}
    run.show(INSTANCE, "trainer-group", spot, parent=trainer)
    assert (run.end() == {}) is waived


def test_a_bucket_is_waived_by_the_name_of_its_component(engine, standing):
    for name in ("data-bucket", "other-bucket"):
        standing.append(stands("aws:s3/bucket:Bucket", name, {}, id=name))
    run = engine("bucket-private")
    root(run, waivers=[{**WAIVER, "rule": "bucket-private", "resource": "buckets.data"}])
    shown = {"bucketName": "data-1"}
    data = component(run, "DataBucket", "data", urn("gpuinfra:index:Stack", "root"))
    run.show("aws:s3/bucket:Bucket", "data-bucket", shown, parent=data)
    assert run.end() == {}
    other = component(run, "DataBucket", "other", urn("gpuinfra:index:Stack", "root"))
    run.show("aws:s3/bucket:Bucket", "other-bucket", shown, parent=other)
    assert len(run.end()["bucket-private"]) == 1


def test_the_whole_is_waived_by_the_name_of_the_stack_file(engine):
    waiver = {**WAIVER, "rule": "spot-share", "resource": "shop"}
    run = engine("spot-share", **{"spot-share": {"minimum": "60%"}})
    run.show("gpuinfra:index:Stack", "shop", {"waivers": [waiver]})
    run.show(INSTANCE, "a", MACHINE)
    assert run.end() == {}


def test_a_waiver_is_wrong_only_where_no_reading_needs_it(engine):
    waiver = {**WAIVER, "rule": "spot-share", "resource": "shop"}
    run = engine("spot-share", **{"spot-share": {"minimum": "0%"}})
    rules = {"spot-share": {"minimum": "60%"}}
    run.show("gpuinfra:index:Stack", "shop", {"rules": rules, "waivers": [waiver]})
    run.show(INSTANCE, "a", MACHINE)
    assert run.end() == {}


def test_a_waiver_of_another_packs_rule_is_left_to_that_pack(engine):
    run = engine("disk-encrypted", "spot-checkpoints")
    root(run, waivers=[WAIVER])
    run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"})
    assert run.end() == {}


def test_a_waiver_that_has_ended_waives_nothing(engine):
    run = engine("metadata-v2")
    root(run, waivers=[{**WAIVER, "until": "2026-07-31"}])
    assert "metadata-v2" in run.show(INSTANCE, "gate", OPEN)
    (text,) = run.end()["waiver"]
    assert "ended on 2026-07-31" in text


def test_a_waiver_may_end_no_later_than_the_least_that_pack_and_program_say(engine):
    for pack_says, program_says, refused in (
        (200, 100, True),
        (100, 200, True),
        (200, 200, False),
    ):
        run = engine("metadata-v2", waiver={"most_days": pack_says})
        root(run, waivers=[WAIVER], rules={"waiver": {"most_days": program_says}})
        assert ("metadata-v2" in run.show(INSTANCE, "gate", OPEN)) is refused
        assert ("waiver" in run.end()) is refused


@pytest.mark.parametrize(("level", "levels"), [("advisory", {"advisory"}), ("disabled", set())])
def test_what_is_wrong_with_waivers_has_the_level_that_the_pack_gives_it(engine, level, levels):
    run = engine("metadata-v2", waiver=level)
    root(run, waivers=[{**WAIVER, "until": "2026-07-31"}])
    run.show(INSTANCE, "gate", OPEN)
    run.levels.clear()
    run.end()
    assert run.levels.get("waiver", set()) == levels
