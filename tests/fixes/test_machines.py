"""Other machines for a workload: none of another architecture under an image."""

import pytest

from gpuinfra import planning, stackfile
from gpuinfra.catalog import CATALOG
from gpuinfra.fixes.machines import dimensions
from gpuinfra.fixes.options import OptionContext

HEAD = "version: 1\nname: small\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
POOL = "inference: {w: {gpu: L4:1, replicas: 1, image: a:1, port: 80}}\n"
RUN = "training: {w: {gpu: L4:1}}\n"


@pytest.mark.parametrize(("text", "arm"), [(POOL, False), (RUN, True)])
def test_a_container_keeps_its_architecture(text: str, arm: bool) -> None:
    stack = stackfile.loads(HEAD + text).stack
    plan = planning.from_stack(stack, rungs={})
    section = "inference" if stack.inference else "training"
    work = stack.workloads["w"]
    value = {section: {"w": {"gpu": "L4:1"}}}
    context = OptionContext(value=value, stack=stack, prices=CATALOG, plan=plan)

    gpus = [
        option.edits[0].after
        for dimension in dimensions(context, (section, "w"), "w", work)
        if dimension.what == "gpu"
        for option in dimension.options
    ]

    assert "T4:1" in gpus
    assert ("T4G:1" in gpus) is arm
