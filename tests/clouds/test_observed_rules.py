"""What observers report is for a rule that there is, and listed for their cloud."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuinfra.clouds import CLOUDS, observed_rules
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.rules import RULES

CODE = Path(observed_rules.__file__).parent
SHARED = "observing"
MAKERS = {"rule_faults", "reach_from", "Fault"}
TABLED = {"aws/observe/resource_faults.py": {row["rule"] for row in TABLES.rows("switches")}}
"""The rules that a module takes from the rows of a table of its cloud."""


def reported(folder: Path) -> Iterator[str]:
    """The ids of rules that the modules of a folder report to."""
    for file in sorted(folder.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = {
            node.target.id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in MAKERS:
                arguments = {keyword.arg: keyword.value for keyword in call.keywords}
                rule = arguments.get("rule") or call.args[0]
                rule = named.get(rule.id, rule) if isinstance(rule, ast.Name) else rule
                if isinstance(rule, ast.Constant):
                    yield rule.value
                elif ast.unparse(rule) == "row['rule']":
                    yield from TABLED[file.relative_to(CODE).as_posix()]
                else:
                    assert file.name == "fault_texts.py", f"{file}: a rule that is not written out"


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_table_lists_what_the_observers_of_a_cloud_report(cloud: str) -> None:
    shared = {*reported(CODE / SHARED)}
    ids = {*reported(CODE / cloud / "observe")}

    judged = observed_rules.JUDGED_RULES[cloud]
    partly = observed_rules.PARTLY_JUDGED_RULES.get(cloud, frozenset())
    assert judged | partly == ids | shared, (
        "list in gpuinfra/clouds/observed_rules.py the rules that the cloud's observers report to"
    )
    assert not judged & partly


def test_every_fault_is_for_a_rule() -> None:
    assert {*observed_rules.JUDGED_RULES} == {*CLOUDS}
    assert {rule for each in observed_rules.JUDGED_RULES.values() for rule in each} <= {
        rule.id for rule in RULES
    }


def test_an_unlisted_cloud_reports_nothing() -> None:
    assert observed_rules.judges("aws", "fabric-cards")
    assert not observed_rules.judges("gcp", "fabric-cards")
    assert not observed_rules.judges("lambda", "valid-names")
