"""`gpuinfra plan --resources`: the declared graph, offline and without Pulumi."""

import json
import subprocess
import sys
from pathlib import Path

from gpuinfra.cli import run
from gpuinfra.cli.views.type_names import short_type
from gpuinfra.planning import choices, stack_graph
from gpuinfra.stackfile import read_stack_file

STACK = Path(__file__).parents[2] / "stacks" / "quickstart"


def test_the_tree_has_every_resource_under_its_component(capsys) -> None:
    assert run(["plan", str(STACK), "--resources"]) == 0
    lines = capsys.readouterr().out.splitlines()
    stack = read_stack_file(STACK).stack
    graph = stack_graph(stack, choices(stack))

    assert lines[0] == f"quickstart: {len(graph.resources)} resources, in order of creation"
    for resource in graph.resources.values():
        assert any(
            line.endswith(f" {resource.name}  {short_type(resource.type)}")
            for line in ("x " + x for x in lines)
        )
    after = lines.index("├─ trainer  gpuinfra:index:TrainingCluster")
    assert any("trainer-group" in line for line in lines[after:])
    assert any("needs data-bucket" in line for line in lines)


def test_as_json_it_has_inputs_options_and_symbols(capsys) -> None:
    assert run(["plan", str(STACK), "--resources", "--json"]) == 0
    rows = {
        resource["key"]: resource for resource in json.loads(capsys.readouterr().out)["resources"]
    }
    group = rows["training.trainer/group"]

    assert group["parent"] == "training.trainer"
    assert group["inputs"]["maxSize"] == 2
    assert rows["bucket.data/policy"]["inputs"]["bucket"] == "${bucket.data.bucket.bucket}"
    assert "training.trainer/self_ingress" in group["options"]["depends_on"]


def test_it_loads_no_pulumi() -> None:
    code = (
        "import sys; from gpuinfra.cli import run\n"
        f"run(['plan', {str(STACK)!r}, '--resources', '--json'])\n"
        "print([one for one in sys.modules if one.startswith('pulumi')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip().splitlines()[-1] == "[]"
