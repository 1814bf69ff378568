"""Whatever is wrong with a stack: with its fix the real check passes, and no comment is lost."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuinfra import stackfile
from gpuinfra.fixes.stack_file_edits import write
from gpuinfra.source import Source
from tests.fixes.conftest import SMALL, judge, proposed


def comments(text):
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


@st.composite
def stacks(draw):
    """A stack file that may be over its caps, on spot without checkpoints, slow or far away."""
    hour = draw(st.sampled_from([3, 30, 60, 100, 120]))
    run = draw(st.sampled_from([500, 4000, 9000]))
    machine = draw(st.sampled_from(["p5.48xlarge", "g6.8xlarge", "g6.xlarge", "p4d.24xlarge"]))
    capacity = draw(
        st.sampled_from(
            [
                "on-demand # at any time",
                "spot",
                "[spot, on-demand] # a ladder\n    max_price: 40 # an hour",
                "\n      - {spot: {max_price: 45}}\n      - on-demand",
            ]
        )
    )
    region = draw(st.sampled_from(["us-east-1", "us-east-2", "us-west-1"]))
    text = (
        SMALL.replace("per_hour: 120", f"per_hour: {hour}")
        .replace("per_run: 9000", f"per_run: {run}")
        .replace("p5.48xlarge ", f"{machine} ")
        .replace("capacity: on-demand", f"capacity: {capacity}")
        .replace("us-east-2", region)
    )
    if draw(st.booleans()):
        text = text.replace("    checkpoints: {bucket: data}\n", "")
    if draw(st.booleans()):
        text += "rules: {time-limit: {level: mandatory}} # an end\n"
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(text=stacks())
def test_every_fix_passes_the_real_check(text):
    proposal = proposed(text, thorough=False)

    for fix in proposal.fixes:
        after = write(text, fix.edits)
        verdict = judge(Source(document=stackfile.loads(after, "stack.yaml"))).verdict
        assert verdict.ok is fix.passes_check
        bad = {
            (finding.rule, finding.subject)
            for finding in verdict.findings
            if finding.outcome == "violated"
        }
        assert not bad & set(fix.settled_findings)
        assert comments(after) == comments(text)
        changed = {edit.path[0] for edit in fix.edits}
        assert not changed & {"budget", "rules", "waivers", "prices"}
