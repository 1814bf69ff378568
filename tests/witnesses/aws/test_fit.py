"""Declared stacks on AWS fit themselves, and each witness complains about one that does not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.graph import Resource, ResourceGraph
from tests.mutants.declared.changes import mutants_of
from tests.witnesses import graphs
from tests.witnesses.aws import (
    code,
    companions,
    complaints,
    defaults,
    granted,
    measured,
    order,
    ports,
    rights,
)
from tests.witnesses.aws.stack import Stack

Change = Callable[[Resource], Resource | None]


@pytest.mark.parametrize("name", graphs.shared())
@pytest.mark.parametrize("rung", graphs.RUNGS)
def test_a_declared_stack_fits_itself(name: str, rung: str) -> None:
    assert complaints(graphs.graph(name, rung)) == []


def changed(name: str, key: str, change: Change) -> ResourceGraph:
    """A stack's graph with one resource changed, or gone."""
    graph = graphs.graph(name)
    new = change(graph.resources[key])
    if new is None:
        del graph.resources[key]
    else:
        graph.resources[key] = new
    return graph


def removed(name: str, key: str) -> ResourceGraph:
    """A stack's graph without a resource, and without what refers to it."""
    mutants = mutants_of(graphs.graph(name))
    return next(
        mutant.graph() for mutant in mutants if (mutant.key, mutant.kind) == (key, "removed")
    )


def without(*names: str, **more: Any) -> Change:
    def change(resource: Resource) -> Resource:
        kept = {key: value for key, value in resource.inputs.items() if key not in names}
        return replace(resource, inputs={**kept, **more})

    return change


def alone(resource: Resource) -> Resource:
    return replace(resource, options=replace(resource.options, depends_on=()))


def gone(_: Resource) -> None:
    return None


def rewritten(old: str, new: str) -> Change:
    def change(resource: Resource) -> Resource:
        policy = resource.inputs["policy"]
        return replace(resource, inputs={**resource.inputs, "policy": policy.replace(old, new)})

    return change


def misspelt(name: str) -> Change:
    """An alarm whose first query is of another queue."""

    def change(resource: Resource) -> Resource:
        first, *others = resource.inputs["metricQueries"]
        metric = {**first["metric"], "dimensions": {"QueueName": name}}
        queries = [{**first, "metric": metric}, *others]
        return replace(resource, inputs={**resource.inputs, "metricQueries": queries})

    return change


STOP = "stack/us-east-1.stop_function"
BITING = [
    (measured, "stack/us-east-1.dev_idle", without(metricName="nvidia_smi_utilization"), "sends"),
    (measured, "stack/us-east-1.dev_idle", without(dimensions={"Stack": "guarded"}), "other dim"),
    (measured, "stack/us-east-1.dev_idle", without("alarmActions"), "nobody"),
    (granted, "training.dev/metrics", rewritten("CWAgent", "CWAgenq"), "nothing sends"),
    (granted, "training.run/preflight", rewritten("aws:TagKeys", "aws:SourceVpc"), "TagKeys"),
    (rights, "training.dev/metrics", gone, "it lacks cloudwatch:PutMetricData"),
    (rights, "stack/us-east-1.clock_rights", gone, "it lacks lambda:InvokeFunction"),
    (code, STOP, without(handler="stop.handle"), "its code has no"),
    (code, STOP, without(environment={"variables": {"STACK": "guarded"}}), "differ in"),
    (companions, "stack/us-east-1.mail_08168cd80dfd", gone, "nobody hears"),
    (defaults, "stack/us-east-1.guard_key", without("enableKeyRotation"), "never rotated"),
    (ports, "training.dev/https_egress", without(toPort=886), "nothing listens on"),
    (order, STOP, alone, "made before stack/us-east-1.stop_rights"),
]


OTHER_STACKS = [
    ("quickstart", companions, "bucket.data/versioning", gone, "old versions expire, and it"),
    ("quickstart", companions, "pool.chat/group", without("targetGroupArns"), "nothing uses it"),
    ("quickstart", rights, "pool.chat/leaving", gone, "elasticloadbalancing:DeregisterTargets"),
    ("quickstart", rights, "training.trainer/agent", gone, "CompleteLifecycleAction"),
    ("quickstart", defaults, "pool.chat/listener", without("port"), "it is refused"),
    ("quickstart", defaults, "pool.chat/group", without("suspendedProcesses"), "even zones out"),
    ("storage", companions, "bucket.locked/versioning", gone, "only versions are copied"),
    ("storage", companions, "bucket.all/encryption", gone, "bucket.all/key is declared"),
    ("storage", companions, "bucket.all/bucket_logs", without("forceDestroy"), "must be empty"),
    ("quickstart", ports, "pool.chat/http_egress", gone, "the mirrors of its packages"),
    ("served", companions, "pool.work/queue_policy", gone, "takes requests without TLS"),
    ("served", measured, "pool.work/group", without("enabledMetrics"), "does not send Group"),
    ("served", defaults, "pool.work/queue", without("visibilityTimeoutSeconds"), "taken twice"),
    ("served", companions, "pool.theirs/waiting", misspelt("their-"), "scales on several queues"),
    ("quickstart", order, "training.trainer/nat_address", alone, "it is paid before stack"),
    ("storage", companions, "bucket.all/object_lock_replica", gone, "is locked"),
    ("storage", companions, "training.efa/shared", without("efaEnabled"), "every protocol"),
    ("storage", companions, "training.efa/shared", without("skipFinalBackup"), "backed up"),
    ("storage", companions, "training.fourth/shared_bucket", gone, "backed up at its end"),
    (
        "storage",
        defaults,
        "training.efa/shared",
        without("automaticBackupRetentionDays"),
        "30 days is kept",
    ),
]


@pytest.mark.parametrize(
    ("name", "witness", "key", "change", "message"),
    [*(("guarded", *row) for row in BITING), *OTHER_STACKS],
)
def test_what_does_not_fit_is_seen(
    name: str, witness: Any, key: str, change: Change, message: str
) -> None:
    complaints: Iterator[str] = witness.complaints(Stack(changed(name, key, change)))

    assert message in "\n".join(complaints)


def test_a_provider_of_identities_is_declared() -> None:
    broken = removed("guarded", "stack/deploy_provider")

    assert "no provider of identities" in "\n".join(granted.complaints(Stack(broken)))


def test_a_version_less_bucket_is_made_after_its_versions() -> None:
    broken = changed("storage", "bucket.all/replication", alone)

    assert any("made before" in complaint for complaint in order.complaints(Stack(broken)))
