"""A trigger or a hook starts what it names, which has to be of the same stack."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.observe.observers import CALLERS
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

TRIGGER = "aws:glue/trigger:Trigger"
NAMED = [
    (TRIGGER, "aws:glue/job:Job", lambda name: {"actions": [{"jobName": name}]}),
    (TRIGGER, "aws:glue/crawler:Crawler", lambda name: {"actions": [{"crawlerName": name}]}),
    (
        "aws:codebuild/webhook:Webhook",
        "aws:codebuild/project:Project",
        lambda name: {"projectName": name},
    ),
    (
        "aws:codepipeline/webhook:Webhook",
        "aws:codepipeline/pipeline:Pipeline",
        lambda name: {"targetPipeline": name},
    ),
]


def reasons(program, moment="created"):
    rows = observe(program.resources(moment)).not_judged
    return [row.reason for row in rows if row.subject.endswith("::it") and row.may_start_machines]


@pytest.mark.parametrize(("token", "kind", "naming"), NAMED)
def test_what_another_stack_has_may_not_be_started(token, kind, naming):
    program = Program()
    program.add(kind, "own", name="own")
    program.add(token, "it", **naming("of-another"))

    assert reasons(program) == ["it starts of-another, which is not declared here"]


@both
@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize(("token", "kind", "naming"), NAMED)
def test_what_the_stack_has_is_judged_where_it_is_declared(token, kind, naming, written, moment):
    program = Program()
    own = program.add(kind, "own", name="own") if written else program.add(kind, "own")
    program.add(token, "it", **naming("own" if written else own.out("name")))

    assert reasons(program, moment) == []


def test_one_of_another_stack_beside_one_s_own_is_told():
    program = Program()
    program.add("aws:glue/job:Job", "own", name="own")
    program.add(TRIGGER, "it", actions=[{"jobName": "own"}, {"jobName": "other"}])

    assert reasons(program) == ["it starts other, which is not declared here"]


@pytest.mark.parametrize("actions", [UNKNOWN, [{"jobName": UNKNOWN}]])
def test_a_name_that_is_not_known_may_be_of_another_stack(actions):
    program = Program()
    program.add(TRIGGER, "it", actions=actions)

    assert len(reasons(program)) == 1


def test_a_trigger_that_is_off_starts_nothing():
    program = Program()
    program.add(TRIGGER, "it", enabled=False, actions=[{"jobName": "other"}])

    assert reasons(program) == []


def test_each_type_of_the_table_is_read():
    assert set(TABLES.table("may_start")["starts"]) <= set(CALLERS)


@pytest.mark.parametrize(
    ("launch", "starts"),
    [
        ([{"accountId": "123456789012", "enabled": True, "maxParallelLaunches": 60}], True),
        ([{"accountId": "123456789012", "enabled": False}], False),
        ([], False),
    ],
)
def test_fast_launch_of_an_image_starts_machines(launch, starts):
    kind = "aws:imagebuilder/distributionConfiguration:DistributionConfiguration"
    program = Program()
    regions = [{"region": "us-east-1", "fastLaunchConfigurations": launch}]
    program.add(kind, "d", distributions=regions)
    (row,) = observe(program.resources()).not_judged

    assert row.may_start_machines is starts
