"""Pools of Google Cloud and a machine of Azure: what lets them grow comes in several resources."""

from tests.crossguard.resources import BUDGET, capped, stands
from tests.crossguard.wire import LATER, urn

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
    refusals = show(run, pool(most=2))
    assert (refusals["group"], set(refusals["scaler"])) == ({}, {"cap-per-hour"})


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
    for cap, expected in ((110, set()), (90, {"cap-per-hour"})):
        run = engine(*BUDGET, **capped(cap))
        assert run.show(around, "all", {"location": "East US"}) == {}
        assert run.show(kind, "a", machine, sources={"resourceGroupName": "all"}) == {}
        assert set(run.end()) == expected
