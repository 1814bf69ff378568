"""Users log in with their own identity, not with keys that a project stores."""

from typing import Final

from gpuinfra.clouds.observed_rules import judges
from gpuinfra.model import Group
from gpuinfra.rules.fault_findings import judge_rule_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, each_group, not_applicable, row_check

WORDS: Final = FactMessages(
    good="people log in with their own identity",
    unknown="it is unknown whether people log in with their own identity: the project's metadata "
    "decides",
)


def _group(group: Group) -> Finding:
    if not judges(group.cloud, RULE.id):
        return not_applicable(group.subject, "its cloud has no such setting")
    return judge_rule_faults(group.subject, group.faults, RULE.id, WORDS)


RULE = Rule(
    id="login-identity",
    family="security",
    title="People log in with their own identity",
    why="SSH keys in project metadata open every machine of the project, and stay valid "
    "after a person leaves; a serial console accepts logins past every firewall.",
    fix="set metadata enable-oslogin: TRUE and serial-port-enable: FALSE",
    source="https://docs.cloud.google.com/compute/docs/oslogin",
    check=row_check(each_group, _group),
    level="advisory",
    alone=True,
)
