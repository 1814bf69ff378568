"""What a workflow makes of a text in it is judged as what it makes, not as a pod."""

from typing import Any

import pytest

from gpuinfra.clouds import machineless_types
from gpuinfra.model import UNKNOWN

WORKFLOW = "kubernetes:argoproj.io/v1alpha1:Workflow"
RELEASE = "kubernetes:helm.sh/v3:Release"
JOB = "apiVersion: batch/v1\nkind: Job\nspec:\n  template: {spec: {containers: [{image: i}]}}\n"
CLASS = "apiVersion: cloud.google.com/v1\nkind: ComputeClass\nspec: {nodePoolAutoCreation: {}}\n"


def is_of_pods(**template: Any) -> bool:
    inputs = {"spec": {"templates": [{"name": "m", **template}]}}
    return bool(machineless_types.no_machine_reason(WORKFLOW, inputs))


def makes(manifest: Any) -> bool:
    return is_of_pods(resource={"action": "create", "manifest": manifest})


def test_a_workflow_of_containers_and_of_pods_runs_on_nodes():
    assert is_of_pods(container={"image": "i"})
    assert makes(JOB)
    assert makes('{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 2}}')


@pytest.mark.parametrize(
    "manifest",
    [
        CLASS,
        f"{JOB}---\n{CLASS}",
        JOB.replace("Job", '"\\x4aob"'),
        JOB.replace("Job", "{{inputs.parameters.kind}}"),
        JOB.replace("kind: Job", "kind: &k Job"),
        JOB.replace("kind", "Kind"),
        f"{JOB}metadata: {{labels: {{cloud.google.com/compute-class: gpu}}}}\n",
        JOB.replace("kind: Job\n", ""),
        "",
        UNKNOWN,
        {"kind": "Job"},
    ],
)
def test_a_workflow_that_makes_anything_else_may_start_machines(manifest):
    assert not makes(manifest)


@pytest.mark.parametrize(
    "template",
    [
        {"resource": {"action": "create", "manifestFrom": {"artifact": {"name": "a"}}}},
        {"steps": [[{"name": "s", "templateRef": {"name": "of-elsewhere"}}]]},
    ],
)
def test_what_comes_from_elsewhere_is_not_known(template):
    assert not is_of_pods(**template)
    assert not machineless_types.no_machine_reason(
        WORKFLOW, {"spec": {"workflowTemplateRef": {"name": "of-elsewhere"}}}
    )


@pytest.mark.parametrize(
    "more",
    [
        {"postrender": "./add-more.sh"},
        {"values": {"extraResources": [CLASS]}},
        {"values": {"extraDeploy": [CLASS]}},
    ],
)
def test_a_chart_that_holds_more_than_its_values_show_is_not_known(more):
    assert machineless_types.no_machine_reason(RELEASE, {"chart": "keda"})
    assert not machineless_types.no_machine_reason(RELEASE, {"chart": "keda", **more})
