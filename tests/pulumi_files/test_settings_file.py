"""Settings beside a preview or a state: what they tell, in the words of a stack file."""

from decimal import Decimal

import pytest

from gpuinfra.crossguard.settings import UsageForm
from gpuinfra.errors import InputError
from gpuinfra.model import Trust
from gpuinfra.pulumi_files import settings_file
from tests.pulumi_files.files import put

TEXT = """
budget: {per_hour: 260}
region: us-west-2
usage: {data_out: 2TB}
resources:
  workers:
    {purpose: training, duration: 72h, checkpoints: true, nvlink: true,
     checkpoint_writes: {size: 140GB, write: 2GB/s, every: 30m}}
  chat-fleet: {purpose: inference, expected: 3}
  data: {size: 500GB, reads: 10M, writes: 1M}
"""


def nothing(_):
    return ()


def test_what_resources_do_not_show_is_told_by_their_names(tmp_path):
    form = settings_file.read(put(tmp_path, TEXT, "s.yaml"), nothing).form
    usage = settings_file.to_usage(form)
    assert form.region == "us-west-2"
    assert usage.hours == {"workers": Decimal(72)}
    assert usage.expected == {"chat-fleet": Decimal(3)}
    assert usage.checkpoints == {"workers": True}
    assert usage.checkpoint_writes == {
        "workers": {
            "size": Decimal(140 * 10**9),
            "rate": Decimal(2 * 10**9),
            "every": Decimal("0.5"),
        }
    }
    assert usage.nvlink == {"workers": True}
    assert usage.purpose == {"workers": "training", "chat-fleet": "inference"}
    assert usage.gigabytes == {"data": Decimal(500)}
    assert usage.reads == {"data": Decimal(10_000_000)}
    assert usage.writes == {"data": Decimal(1_000_000)}
    assert usage.data == {"data_out": Decimal(2000)}


def test_what_other_stacks_made_is_trusted_by_input_and_pattern(tmp_path):
    text = (
        "trust:\n"
        "  - {input: subnetId, value: acme/net/*, private: true, why: ours}\n"
        "  - {input: nodeRoleArn, limited: true, why: reviewed}\n"
    )
    form = settings_file.read(put(tmp_path, text, "s.yaml"), nothing).form
    assert settings_file.to_usage(form).trust == (
        Trust(input="subnetId", value="acme/net/*", private=True, why="ours"),
        Trust(input="nodeRoleArn", limited=True, why="reviewed"),
    )


OF_RESOURCES = sorted(UsageForm.model_fields.keys() - {"data", "versions"})
"""`data` is the stack's, and a settings file has no versions of a bucket."""


@pytest.mark.parametrize("key", OF_RESOURCES)
def test_what_a_pack_has_under_usage_is_written_under_its_resource(tmp_path, key):
    with pytest.raises(InputError) as caught:
        settings_file.read(put(tmp_path, f"usage: {{{key}: {{workers: 1}}}}", "s.yaml"), nothing)
    (problem,) = caught.value.problems
    assert problem.message == f"unknown key '{key}' in usage"

    text = problem.fix.removeprefix("write ")
    usage = settings_file.to_usage(settings_file.read(put(tmp_path, text, "s.yaml"), nothing).form)
    assert [*getattr(usage, key)] == ["trainer-group"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty"),
        ("budget: {per_hour: lots}", 1, "per_hour"),
        ("\nresources: {a: {hours: 3}}", 2, "hours"),
        ("\nwhere: {cloud: aws}", 2, "where"),
        ("a: &a [*a]", 1, "a"),
        ("\ntrust: [{input: subnetId, why: ours}]", 2, "private, limited"),
        ("\ntrust: [{input: subnetId, private: true}]", 2, "why"),
    ],
)
def test_faults_have_their_places(tmp_path, text, line, message):
    with pytest.raises(InputError) as caught:
        settings_file.read(put(tmp_path, text, "s.yaml"), nothing)
    first = caught.value.problems[0]
    assert message in first.message
    assert first.position.line == line
