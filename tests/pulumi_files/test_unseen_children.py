"""Components that a preview shows without what they make."""

import pytest

from gpuinfra import pulumi_files
from tests.pulumi_files.files import STACK, digest, entry, put, state, step, stream, summary, urn

CHART = "kubernetes:helm.sh/v4:Chart"
ROOT = f"{STACK}::pulumi:pulumi:Stack::shop-dev"
SERVICE = "kubernetes:core/v1:Service"
WARNING = "warning: Input properties have unknown values. Preview is incomplete."
COMPONENTS = (
    CHART,
    "kubernetes:helm.sh/v3:Chart",
    "kubernetes:yaml:ConfigFile",
    "kubernetes:yaml:ConfigGroup",
    "kubernetes:yaml/v2:ConfigFile",
    "kubernetes:yaml/v2:ConfigGroup",
    "kubernetes:kustomize:Directory",
    "kubernetes:kustomize/v2:Directory",
    "eks:index:Cluster",
    "awsx:ecs:FargateService",
)


def component(type_=CHART, name="karpenter"):
    return entry(name, type_, type=type_, custom=False, provider=None)


def not_read(tmp_path, *entries, **more):
    steps = [step(newState=each) for each in (entry(), *entries)]
    shown = pulumi_files.read(put(tmp_path, digest(*steps, **more)))
    return [(row.subject, row.type) for row in shown.not_read]


@pytest.mark.parametrize("type_", COMPONENTS)
def test_a_component_without_objects_is_not_judged(tmp_path, type_):
    assert not_read(tmp_path, component(type_)) == [(urn("karpenter", type_), type_)]


def test_a_component_with_objects_is_judged_by_them(tmp_path):
    service = entry("web", SERVICE, type=SERVICE, parent=urn("karpenter", CHART))
    assert not_read(tmp_path, component(), service) == []


def test_a_resource_of_a_component_s_type_is_judged_by_that(tmp_path):
    stand_in = entry("c", "eks:index:Cluster", type="eks:index:Cluster")
    assert not_read(tmp_path, stand_in) == []


def test_a_component_of_the_program_s_own_needs_no_children(tmp_path):
    assert not_read(tmp_path, component("shop:index:Network")) == []


def test_a_state_shows_all_objects(tmp_path):
    path = put(tmp_path, state(entry(id="i-1"), component()))
    assert pulumi_files.read(path).not_read == ()


@pytest.mark.parametrize("type_", [CHART, "shop:index:Network"])
def test_a_warning_of_an_incomplete_preview_is_told_once(tmp_path, type_):
    about = urn("karpenter", type_)
    told = [{"message": WARNING, "severity": "warning", "urn": about}]
    service = entry("web", SERVICE, type=SERVICE, parent=urn("karpenter", CHART))
    rows = not_read(tmp_path, component(), service, diagnostics=told)
    assert rows == [(about, type_)]


@pytest.mark.parametrize("about", [{}, {"urn": ROOT}])
def test_a_warning_at_the_stack_counts_where_no_component_is_empty(tmp_path, about):
    told = [{"message": WARNING, "severity": "warning", **about}]
    assert len(not_read(tmp_path, diagnostics=told)) == 1
    assert not_read(tmp_path, component(), diagnostics=told) == [(urn("karpenter", CHART), CHART)]


def test_a_stream_warns_too(tmp_path):
    warning = {"message": WARNING, "severity": "warning", "urn": urn("karpenter", CHART)}
    events = stream({"diagnosticEvent": warning}, summary())
    (row,) = pulumi_files.read(put(tmp_path, events)).not_read
    assert (row.subject, row.type) == (urn("karpenter", CHART), CHART)


def test_another_warning_is_no_fault(tmp_path):
    told = [{"message": "a key is deprecated", "severity": "warning", "urn": ROOT}]
    assert not_read(tmp_path, diagnostics=told) == []
