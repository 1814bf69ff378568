"""A pack as the engine meets it, without the engine: resource by resource, then the whole."""

from decimal import Decimal

import pytest

from gpuinfra.crossguard import pack, policies, state
from gpuinfra.crossguard.state import StandingResource
from gpuinfra.errors import EngineError
from gpuinfra.model import Resource
from gpuinfra.rules import RULES
from tests.crossguard.wire import ACCEPTED, LATER, LEVELS, Engine, secret, urn

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
BUDGET = ("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run", "price-unknown")
MACHINE = {"instanceType": "p5.48xlarge", "associatePublicIpAddress": False}
FIRST = {"latestVersion": 1, "defaultVersion": 1}


@pytest.fixture
def standing(monkeypatch):
    """What the state says; calls are counted in `asked`."""

    class Known(list):
        asked = 0

    known = Known()

    def read(_):
        known.asked += 1
        if EngineError in known:
            raise EngineError("no backend")
        return tuple(known)

    monkeypatch.setattr(state, "standing", read)
    return known


@pytest.fixture
def engine(monkeypatch, standing):
    def start(*rules, dry_run=False, **config):
        served = []
        monkeypatch.setattr(policies, "serve", served.append)
        pack("tried", rules)
        return Engine(*served, config, dry_run=dry_run)

    return start


def capped(per_hour):
    return {"settings": {**ACCEPTED, "budget": {"per_hour": per_hour}}}


def stands(kind, name, inputs, relations=None, **outputs):
    return StandingResource(
        resource=Resource(
            urn=urn(kind, name),
            type=kind,
            name=name,
            inputs=inputs,
            outputs=outputs,
            relations=relations or {},
            region="us-east-1" if kind.startswith("aws") else None,
        )
    )


def test_every_rule_can_be_a_policy_of_its_own_level(engine):
    run = engine(*(rule.id for rule in RULES))
    made = {one.name: one for one in run.analyzer.GetAnalyzerInfo(None, None).policies}
    for rule in RULES:
        assert LEVELS[made[rule.id].enforcementLevel] == rule.level
        assert made[rule.id].description.startswith(f"Rule: {rule.title}")


def test_the_resource_that_crosses_the_cap_is_refused_and_the_state_is_read_once(engine, standing):
    standing.append(stands(INSTANCE, "old", MACHINE, id="i-0"))
    run = engine(*BUDGET, **capped(115))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    (text,) = run.show(INSTANCE, "b", MACHINE)["cap-per-hour"]
    assert text.startswith("b adds $55.04 an hour to $110.08")
    assert standing.asked == 1


def test_a_new_update_in_the_same_process_begins_anew(engine, standing):
    run = engine(*BUDGET, **capped(60))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    run.start()
    assert run.show(INSTANCE, "b", MACHINE) == {}
    assert standing.asked == 2


def test_a_group_on_a_template_of_this_update_is_priced_by_its_id(engine, standing):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    group = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-1"}}
    assert run.show(GROUP, "small", group) == {}
    assert "cap-per-hour" in run.show(GROUP, "large", {**group, "maxSize": 2})


@pytest.mark.parametrize(
    ("version", "changed", "fits"),
    [
        ("$Latest", True, True),
        ("2", True, True),
        ("1", True, True),
        (None, True, True),
        ("$Default", True, True),
        ("3", True, False),
        ("1", False, True),
        ("2", False, False),
        (None, False, True),
    ],
)
def test_a_group_is_priced_at_the_version_of_its_template_that_it_starts(
    engine, standing, version, changed, fits
):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **FIRST))
    run = engine(*BUDGET, **capped(10))
    run.show(TEMPLATE, "lt", {**small, "ebsOptimized": "true"} if changed else small)
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": "lt-1", "version": version}}

    refused = run.show(GROUP, "workers", group)

    assert set(refused) == (set() if fits else {"cap-per-hour", "price-unknown"})


def test_a_changed_template_leaves_a_group_on_its_default_version_as_it_was(engine, standing):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    group = {"minSize": 0, "maxSize": 10, "launchTemplate": {"id": "lt-1"}}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **FIRST))
    standing.append(stands(GROUP, "workers", group, {"launchTemplate": [urn(TEMPLATE, "lt")]}))
    run = engine(*BUDGET, **capped(60))
    assert run.show(TEMPLATE, "lt", MACHINE) == {}
    assert "cap-per-hour" in run.show(TEMPLATE, "lt", {**MACHINE, "updateDefaultVersion": True})


def test_a_group_stays_as_it_was_where_its_template_may_be_made_anew(engine, standing):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    spec = {"id": "lt-1", "version": "3"}
    group = {"minSize": 0, "maxSize": 10, "launchTemplate": spec}
    third = {"latestVersion": 3, "defaultVersion": 1}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **third))
    standing.append(stands(GROUP, "workers", group, {"launchTemplate": [urn(TEMPLATE, "lt")]}))
    run = engine(*BUDGET, **capped(60))
    unverified = {"networkPerformanceOptions": {"bandwidthWeighting": "vpc-1"}}
    assert run.show(TEMPLATE, "lt", {**small, **unverified}) == {}


def test_a_group_on_the_version_before_an_update_is_priced_as_it_was(engine, standing):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    run = engine(*BUDGET, **capped(10))
    run.show(TEMPLATE, "lt", small)
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": "lt-1", "version": "1"}}

    assert set(run.show(GROUP, "workers", group)) == {"cap-per-hour"}


def test_a_reservation_that_a_machine_leaves_is_paid_until_it_is_deleted(engine, standing):
    kept = {"instanceType": "p5.48xlarge", "instanceCount": 1, "instancePlatform": "Linux/UNIX"}
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inside = {**MACHINE, "capacityReservationSpecification": target}
    kind = "aws:ec2/capacityReservation:CapacityReservation"
    standing.append(stands(kind, "kept", kept, id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside, id="i-1"))
    assert engine(*BUDGET, **capped(60)).show(INSTANCE, "a", inside) == {}
    assert "cap-per-hour" in engine(*BUDGET, **capped(60)).show(INSTANCE, "a", MACHINE)


def test_a_group_on_a_template_that_nobody_knows_is_refused(engine):
    run = engine(*BUDGET, **capped(60))
    group = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-elsewhere"}}
    assert set(run.show(GROUP, "a", group)) == {"cap-per-hour", "price-unknown"}


def test_a_preview_leaves_what_is_not_known_yet_to_the_whole_which_knows_dependencies(engine):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    group = {"minSize": 1, "launchTemplate": {"id": LATER}}
    known = {"sources": {"launchTemplate": "lt"}}
    assert run.show(GROUP, "a", {**group, "maxSize": 1}, **known) == {}
    assert run.end() == {}
    run.show(GROUP, "b", {**group, "maxSize": 1}, **known)
    assert "cap-per-hour" in run.end()


UNPRICED = {**MACHINE, "instanceType": "p9.huge"}


def test_what_has_no_price_is_no_reason_to_read_the_state_again(engine, standing):
    run = engine(*BUDGET, **capped(60))
    for number in range(20):
        assert "price-unknown" in run.show(INSTANCE, f"odd-{number}", UNPRICED)
    assert standing.asked == 1


def test_the_state_is_read_again_once_for_what_this_update_made(engine, standing):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    for number in range(20):
        assert "price-unknown" in run.show(INSTANCE, f"odd-{number}", UNPRICED)
    assert standing.asked == 2
    group = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-1"}}
    assert "price-unknown" not in run.show(GROUP, "group", group)


def test_a_state_that_cannot_be_read_is_not_asked_for_again(engine, standing):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    standing.append(EngineError)
    for number in range(20):
        assert "cap-per-hour" in run.show(INSTANCE, f"odd-{number}", UNPRICED)
    assert standing.asked == 2


POOL = {
    "template": "gcp:compute/instanceTemplate:InstanceTemplate",
    "group": "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "scaler": "gcp:compute/autoscaler:Autoscaler",
}
SOURCES = {"group": {"versions": "template"}, "scaler": {"target": "group"}}


def pool(template="t-1", group="g-1", most=1, machine="a3-highgpu-8g"):
    """The inputs of a pool's resources, in their order: its scaler comes last."""
    return {
        "template": {"machineType": machine, "disks": [{"diskType": "pd-ssd", "diskSizeGb": 9}]},
        "group": {"zone": "us-central1-a", "versions": [{"instanceTemplate": template}]},
        "scaler": {
            "zone": "us-central1-a",
            "target": group,
            "autoscalingPolicy": {"minReplicas": 1, "maxReplicas": most},
        },
    }


def show(run, inputs):
    return {
        name: run.show(POOL[name], name, given, sources=SOURCES.get(name, {}))
        for name, given in inputs.items()
    }


def pool_stands(standing, inputs):
    for (name, given), link in zip(inputs.items(), ("t-1", "g-1", "s-1"), strict=True):
        relations = {
            key: (urn(POOL[source], source),) for key, source in SOURCES.get(name, {}).items()
        }
        standing.append(stands(POOL[name], name, given, relations, id=link, selfLink=link))


def test_what_lets_a_pool_grow_is_refused_before_it_is_made(engine, standing):
    run = engine(*BUDGET, **capped(100))
    standing.append(stands(POOL["template"], "template", pool()["template"], selfLink="t-1"))
    standing.append(stands(POOL["group"], "group", pool()["group"], selfLink="g-1"))
    assert show(run, pool()) == {"template": {}, "group": {}, "scaler": {}}
    assert run.end() == {}
    run.start()
    found = show(run, pool(most=2))
    assert (found["group"], set(found["scaler"])) == ({}, {"cap-per-hour"})


def test_a_preview_of_a_new_pool_is_judged_at_its_end(engine):
    later = pool(template=LATER, group=LATER)
    run = engine(*BUDGET, **capped(100))
    assert not any(show(run, later).values())
    assert run.end() == {}
    run.start()
    assert not any(show(run, pool(template=LATER, group=LATER, most=2)).values())
    assert "cap-per-hour" in run.end()


def test_a_preview_of_a_pool_s_new_template_leaves_what_rests_on_it_to_the_end(engine, standing):
    """The scaler itself has no value that is not known; what it scales has."""
    pool_stands(standing, pool(machine="a2-highgpu-8g"))
    run = engine(*BUDGET, **capped(100))
    assert not any(show(run, pool(template=LATER)).values())
    assert run.end() == {}
    run.start()
    assert not any(show(run, pool(template=LATER, most=2)).values())
    assert "cap-per-hour" in run.end()


def test_an_update_of_a_pool_s_template_learns_its_new_name(engine, standing):
    pool_stands(standing, pool(machine="a2-highgpu-8g"))
    run = engine(*BUDGET, **capped(100))
    new = pool(template="t-2", most=2)
    assert run.show(POOL["template"], "template", new["template"]) == {}
    standing.append(stands(POOL["template"], "template", new["template"], selfLink="t-2"))
    assert run.show(POOL["group"], "group", new["group"]) == {}
    assert set(run.show(POOL["scaler"], "scaler", new["scaler"])) == {"cap-per-hour"}


def test_a_machine_in_a_new_resource_group_of_azure_stands_where_the_group_does(engine):
    """The provider fills the location in, and at a preview it does not know it yet."""
    around = "azure-native:resources:ResourceGroup"
    kind = "azure-native:compute:VirtualMachine"
    machine = {
        "resourceGroupName": LATER,
        "location": LATER,
        "hardwareProfile": {"vmSize": "Standard_ND96isr_H100_v5"},
        "storageProfile": {"osDisk": {"createOption": "FromImage", "diskSizeGB": 128}},
        "networkProfile": {"networkInterfaces": [{"id": "by-hand"}]},
    }
    for cap, found in ((110, set()), (90, {"cap-per-hour"})):
        run = engine(*BUDGET, **capped(cap))
        assert run.show(around, "all", {"location": "East US"}) == {}
        assert run.show(kind, "a", machine, sources={"resourceGroupName": "all"}) == {}
        assert set(run.end()) == found


def test_what_stays_unknown_at_the_end_of_a_preview_is_refused(engine):
    run = engine(*BUDGET, **capped(60))
    assert run.show(INSTANCE, "a", {"instanceType": LATER}) == {}
    assert set(run.end()) == {"cap-per-hour", "price-unknown"}


def test_a_state_that_cannot_be_read_refuses_what_costs_and_nothing_else(engine, standing):
    standing.append(EngineError)
    run = engine(*BUDGET, **capped(999))
    assert run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) == {}
    (text,) = run.show(INSTANCE, "a", MACHINE)["cap-per-hour"]
    assert "can't be checked: no backend" in text


def test_without_any_cap_only_what_costs_is_refused(engine):
    run = engine(*BUDGET)
    assert run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) == {}
    assert set(run.show(INSTANCE, "a", MACHINE)) == {"no-cap"}


def test_a_run_above_its_cap_is_refused_before_it_starts(engine):
    usage = {"hours": {"trainer": 100}, "purpose": {"trainer": "training"}}
    settings = {**ACCEPTED, "usage": usage, "budget": {"per_run": 5000, "per_hour": 900}}
    run = engine(*BUDGET, settings=settings)
    assert set(run.show(INSTANCE, "trainer", MACHINE)) == {"cap-per-run"}


def used(per_hour, **data):
    return {"settings": {**capped(per_hour)["settings"], "usage": {"data": data}}}


def test_what_the_stack_uses_up_in_a_month_counts_from_the_first_place_on(engine):
    assert engine(*BUDGET, **capped(56)).show(INSTANCE, "a", MACHINE) == {}
    run = engine(*BUDGET, **used(56, data_out=20_000))
    assert run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) == {}
    (text,) = run.show(INSTANCE, "a", MACHINE)["cap-per-hour"]
    assert text.startswith("a adds $55.04 an hour to $2.24")


def test_it_counts_once_for_all_machines_and_in_the_whole_alike(engine):
    run = engine(*BUDGET, **used(113, data_out=20_000))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert run.show(INSTANCE, "b", MACHINE) == {}
    assert run.end() == {}
    run = engine(*BUDGET, **used(112, data_out=20_000))
    run.show(INSTANCE, "a", MACHINE)
    assert "112.32" in run.show(INSTANCE, "b", MACHINE)["cap-per-hour"][0]
    assert "112.32" in run.end()["cap-per-hour"][0]


def test_data_without_a_price_is_refused_in_words(engine):
    run = engine(*BUDGET, **used(1000, between_regions=5))
    inputs = {**MACHINE, "region": "cn-north-1"}
    assert "usage: between_regions" in run.show(INSTANCE, "a", inputs)["cap-per-hour"][0]


def root(run, **inputs):
    return run.show("gpuinfra:index:Stack", "root", inputs)


def test_a_programs_cap_holds_beside_the_packs(engine):
    run = engine(*BUDGET, **capped(1000))
    assert root(run, budget={"perHour": "60"}) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "b", MACHINE)


def test_a_programs_cap_that_is_not_known_yet_is_refused(engine):
    run = engine(*BUDGET)
    assert "budget" in root(run, budget={"perHour": LATER})["settings"][0]


OWN = {
    "cloud": "aws",
    "item": "p5.48xlarge",
    "region": "us-east-1",
    "mode": "on-demand",
    "unit": "hour",
    "price": "31.5",
    "source": "yours: prices.yaml:2",
    "origin": "user",
}


def test_a_programs_own_price_does_not_loosen_a_cap_of_the_packs_own(engine):
    run = engine(*BUDGET, **capped(40))
    assert root(run, ownPrices=[OWN]) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


def test_a_programs_own_price_tightens_a_cap_of_the_packs_own(engine):
    run = engine(*BUDGET, **capped(60))
    assert root(run, ownPrices=[{**OWN, "price": "70"}]) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


def test_a_programs_own_price_counts_under_its_own_cap(engine):
    run = engine(*BUDGET)
    assert root(run, ownPrices=[OWN], budget={"perHour": "40"}) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}


def test_a_programs_own_price_counts_where_the_pack_accepts_it(engine):
    run = engine(*BUDGET, settings={**capped(40)["settings"], "own_prices": "accepted"})
    assert root(run, ownPrices=[OWN]) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}
    (text,) = run.show(INSTANCE, "b", MACHINE)["cap-per-hour"]
    assert text.startswith("b adds $31.50 an hour to $31.50")


def test_a_pack_may_refuse_own_prices(engine):
    run = engine(*BUDGET, settings={**capped(40)["settings"], "own_prices": "refused"})
    assert root(run, ownPrices=[OWN]) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


@pytest.mark.parametrize(
    "own", ["cheap", [{**OWN, "price": "0"}], [{**OWN, "price": LATER}], [{**OWN, "origin": "me"}]]
)
def test_own_prices_that_make_no_sense_are_refused_and_none_counts(engine, own):
    run = engine(*BUDGET, **capped(40))
    assert "ownPrices" in root(run, ownPrices=own)["settings"][0]
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


def test_configuration_that_makes_no_sense_is_refused_in_words(engine):
    run = engine("nvlink", settings={"budget": {"per_hour": -3}})
    (text,) = run.mistakes["settings"]
    assert "budget.per_hour is negative" in text
    run = engine("spot-share", **{"spot-share": {"minimum": "lots"}})
    assert "minimum" in run.mistakes["spot-share"][0]


def test_a_misspelt_setting_is_refused_in_the_words_of_a_stack_file(engine):
    run = engine("nvlink", settings={"budget": {"per_huor": 3}})
    (text,) = run.mistakes["settings"]
    assert text.startswith(
        "the policy configuration under 'settings': unknown key 'per_huor' in budget."
        " Did you mean 'per_hour'? Allowed: per_hour, per_run, per_month"
    )
    assert text.endswith("To fix it: correct the spelling, or remove the key.")
    run = engine("spot-share", **{"spot-share": {"minimun": "60%"}})
    (text,) = run.mistakes["spot-share"]
    assert text.startswith("the rule spot-share has no such setting ('minimun'). Did you mean")


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
    assert text.startswith("gate: metadata answers without a token. To fix it: require tokens")
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


def test_a_bucket_is_waived_by_the_name_of_its_component(engine):
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


def test_the_stricter_setting_of_pack_and_program_holds(engine):
    usage = {"purpose": {"a": "inference"}}
    run = engine("spot-share", **{"spot-share": {"minimum": "0%"}})
    root(run, rules={"spot-share": {"minimum": "60%", "level": "disabled"}}, usage=usage)
    run.show(INSTANCE, "a", MACHINE)
    assert "below the minimum of 60%" in run.end()["spot-share"][0]


def test_an_unknown_rule_is_an_error_of_the_pack():
    with pytest.raises(KeyError, match="cap-per-century"):
        pack("tried", ["cap-per-century"])


def test_money_is_exact(engine, standing):
    run = engine(*BUDGET, **capped(float(2 * Decimal("55.04"))))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert run.show(INSTANCE, "b", MACHINE) == {}


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


SPOT = {**MACHINE, "instanceMarketOptions": {"marketType": "spot"}}


def levels_of(run):
    """Two machines on spot, of which a rule says that one loses its work."""
    usage = {"purpose": dict.fromkeys(("chat", "trainer"), "training")}
    usage["checkpoints"] = dict.fromkeys(("chat", "trainer"), False)
    root(run, usage=usage, rules=run.program)
    for name in ("chat", "trainer"):
        run.show(INSTANCE, name, SPOT)
    run.levels.clear()
    found = run.end().get("spot-checkpoints", [])
    return {text.partition(":")[0] for text in found}, run.levels.get("spot-checkpoints", set())


CHECKPOINTS = "spot-checkpoints"
LEFT_OUT = {"workloads": {"chat": {"level": "disabled"}}}


@pytest.mark.parametrize(
    ("pack_says", "program_says", "about", "levels"),
    [
        ({}, {}, {"chat", "trainer"}, {"mandatory"}),
        (LEFT_OUT, {}, {"trainer"}, {"mandatory"}),
        ({"enforcementLevel": "advisory"}, {}, {"chat", "trainer"}, {"advisory"}),
        ({"enforcementLevel": "disabled"}, {}, set(), set()),
        (
            {"workloads": {"ch*": {"level": "advisory"}}},
            {},
            {"chat", "trainer"},
            {"advisory", "mandatory"},
        ),
        (
            {"enforcementLevel": "disabled", "workloads": {"chat": {"level": "mandatory"}}},
            {},
            {"chat"},
            {"mandatory"},
        ),
        (
            {"enforcementLevel": "disabled"},
            {"level": "mandatory"},
            {"chat", "trainer"},
            {"mandatory"},
        ),
        ({}, {"level": "disabled"}, {"chat", "trainer"}, {"mandatory"}),
        ({}, LEFT_OUT, {"chat", "trainer"}, {"mandatory"}),
        (
            {"enforcementLevel": "advisory"},
            {"level": "mandatory"},
            {"chat", "trainer"},
            {"mandatory"},
        ),
        (LEFT_OUT, {"level": "advisory"}, {"chat", "trainer"}, {"advisory", "mandatory"}),
        (LEFT_OUT, {"level": "mandatory"}, {"chat", "trainer"}, {"mandatory"}),
    ],
)
def test_the_level_of_a_rule_for_a_workload_is_the_packs_and_a_program_only_raises_it(
    engine, pack_says, program_says, about, levels
):
    run = engine(CHECKPOINTS, **({CHECKPOINTS: pack_says} if pack_says else {}))
    run.program = {CHECKPOINTS: program_says} if program_says else {}
    assert levels_of(run) == (about, levels)


def test_an_advisory_cap_tells_and_refuses_nothing(engine):
    advisory = {"cap-per-hour": "advisory"}
    run = engine("cap-per-hour", **capped(60), **advisory)
    run.show(INSTANCE, "a", MACHINE)
    assert set(run.show(INSTANCE, "b", MACHINE)) == {"cap-per-hour"}
    assert run.levels == {"cap-per-hour": {"advisory"}}


def test_what_the_pack_does_not_have_is_named_in_its_configuration(engine):
    run = engine("spot-share", **{"spot-shar": {"minimum": "60%"}, "metadata-v2": "advisory"})
    missing, elsewhere = run.mistakes["settings"]
    assert missing.startswith("unknown rule: 'spot-shar'. Did you mean 'spot-share'?")
    assert elsewhere.startswith("the rule metadata-v2 is not in this pack")


def test_settings_of_workloads_are_read_as_a_stack_file_s(engine):
    run = engine("spot-share", **{"spot-share": {"workloads": {"chat": {"minimun": "60%"}}}})
    (text,) = run.mistakes["spot-share"]
    assert "no such setting ('minimun'). Did you mean 'minimum'?" in text
    run = engine("spot-share", **{"spot-share": {"workloads": "chat"}})
    assert "workloads of the rule spot-share" in run.mistakes["spot-share"][0]
    run = engine("spot-share", **{"spot-share": {"level": "advisory"}})
    assert "use enforcementLevel" in run.mistakes["spot-share"][0]


KEY = "AKIAIOSFODNN7EXAMPLE"


@pytest.mark.parametrize(("output", "refused"), [(KEY, True), (secret(KEY), False)])
def test_a_key_in_a_plain_output_of_the_stack_is_refused_and_a_secret_is_not(
    engine, output, refused
):
    run = engine("secret-in-output")
    run.show("pulumi:pulumi:Stack", "proj-dev", {}, outputs={"key": output})
    assert ("secret-in-output" in run.end()) is refused


BUCKET, POLICY = "aws:s3/bucket:Bucket", "aws:s3/bucketPolicy:BucketPolicy"


def bucket_with_policy(run, name, sources):
    """A bucket whose policy nobody knows yet, written from resources or from nothing."""
    run.show(BUCKET, name, {"bucket": name})
    sources = {"bucket": name, **sources}
    run.show(POLICY, f"{name}-policy", {"bucket": name, "policy": LATER}, sources=sources)


@pytest.mark.parametrize(
    ("dry_run", "sources", "refused"),
    [(True, {"policy": "data"}, False), (True, {}, True), (False, {"policy": "data"}, True)],
    ids=["written from the bucket", "hidden", "at an update"],
)
def test_a_preview_leaves_a_text_that_waits_for_other_resources_to_the_update(
    engine, dry_run, sources, refused
):
    run = engine("bucket-tls", dry_run=dry_run)
    bucket_with_policy(run, "data", sources)
    assert ("bucket-tls" in run.end()) is refused


def test_a_hidden_text_is_refused_beside_one_that_waits(engine):
    run = engine("bucket-tls", dry_run=True)
    bucket_with_policy(run, "waits", {"policy": "waits"})
    bucket_with_policy(run, "hides", {})
    (text,) = run.end()["bucket-tls"]
    assert text.startswith("hides:")


def test_what_is_hidden_in_a_script_that_a_group_starts_with_is_found_through_its_template(engine):
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": LATER}}
    for sources, refused in (({"userData": "files"}, False), ({}, True)):
        run = engine("secret-in-script", dry_run=True)
        run.show("aws:ec2/vpc:Vpc", "files", {"cidrBlock": "10.0.0.0/16"})
        run.show(TEMPLATE, "lt", {**MACHINE, "userData": LATER}, sources=sources)
        run.show(GROUP, "a", group, sources={"launchTemplate": "lt"})
        assert ("secret-in-script" in run.end()) is refused


def test_a_function_s_plain_environment_is_refused_before_it_is_made(engine):
    run = engine("secret-in-output")
    environment = {"variables": {"GH": "ghp_" + "a1B2" * 9}}
    function = {"role": "arn:aws:iam::123456789012:role/r", "environment": environment}
    assert "secret-in-output" in run.show("aws:lambda/function:Function", "gate", function)


@pytest.mark.parametrize(("level", "levels"), [("advisory", {"advisory"}), ("disabled", set())])
def test_what_is_wrong_with_waivers_has_the_level_that_the_pack_gives_it(engine, level, levels):
    run = engine("metadata-v2", waiver=level)
    root(run, waivers=[{**WAIVER, "until": "2026-07-31"}])
    run.show(INSTANCE, "gate", OPEN)
    run.levels.clear()
    run.end()
    assert run.levels.get("waiver", set()) == levels


SPOT = {**MACHINE, "instanceMarketOptions": {"marketType": "spot"}}


def trains(saves):
    return {"purpose": {"trainer": "training"}, "checkpoints": {"trainer": saves}}


@pytest.mark.parametrize("saves", [True, False])
def test_a_component_in_any_program_says_what_no_resource_shows(saves, engine):
    run = engine("spot-checkpoints")
    run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"})
    assert run.show("gpuinfra:index:TrainingNode", "trainer", {"usage": trains(saves)}) == {}
    run.show(INSTANCE, "trainer", SPOT)
    assert ("spot-checkpoints" in run.end()) is not saves


def test_a_component_is_heard_after_another_resource_was_counted(engine):
    run = engine(*BUDGET, settings={**ACCEPTED, "budget": {"per_month": 1000}})
    run.show(INSTANCE, "other", {"instanceType": "t3.micro"})
    usage = {"gigabytes": {"data": "1000000"}}
    run.show("gpuinfra:index:DataBucket", "data", {"usage": usage})

    shown = {"bucket": "data-1", "region": "us-east-1"}
    assert "cap-per-month" in run.show("aws:s3/bucket:Bucket", "data", shown)


def test_a_component_says_nothing_of_caps_and_rules(engine):
    run = engine("spot-checkpoints", *BUDGET)
    said = run.show(
        "gpuinfra:index:TrainingNode",
        "trainer",
        {
            "usage": trains(saves=False),
            "rules": {"spot-checkpoints": {"level": "disabled"}},
            "budget": {"perHour": "1000"},
        },
    )
    run.show(INSTANCE, "trainer", SPOT)

    assert said == {}
    assert {"spot-checkpoints", "no-cap"} <= {*run.end()}


def test_what_a_component_says_has_to_make_sense(engine):
    run = engine("spot-checkpoints")
    said = run.show("gpuinfra:index:TrainingNode", "trainer", {"usage": {"hors": {"a": "4"}}})

    assert "hors" in said["settings"][0]


def test_what_ends_the_machines_is_made_after_them_and_the_whole_sees_whether_it_is(engine):
    usage = {"usage": {"endsAfter": {"a": "10"}, "hours": {"a": "10"}}}
    run = engine(*BUDGET, settings={**ACCEPTED, "budget": {"per_month": 600}})
    assert root(run, **usage) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}, "ten hours are 550 dollars"

    assert "cap-per-month" in run.end(), "nothing was made that ends it, so a month has 730 hours"
