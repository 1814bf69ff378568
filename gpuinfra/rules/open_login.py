"""Login, and other ports that give control of a machine, are not open to the internet."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from gpuinfra.clouds.observing.values import opposite
from gpuinfra.model import Group
from gpuinfra.rules.rule import (
    FactMessages,
    Finding,
    Rule,
    RuleInput,
    each_group,
    fact,
    not_applicable,
)

WORDS: Final = FactMessages(
    good="no login port is open to the internet",
    bad="a port for login, control or data is open to the whole internet",
    unknown="it is unknown whether a login port is open to the internet",
)
_NOTHING: Final = (
    "no machines, and no firewall, load balancer or service is known to open such a port"
)


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Judge the machines of every group, and each open port that belongs to no group."""
    if rule_input.plan.groups:
        yield from each_group(rule_input, _judge)
    elif not rule_input.plan.open_ports:
        yield not_applicable(rule_input.plan.name, _NOTHING)
    for open_port in rule_input.plan.open_ports:
        yield fact(open_port.subject, opposite(open_port.open), _messages(open_port.ports))


@lru_cache(maxsize=256)
def _messages(ports: tuple[str, ...]) -> FactMessages:
    """Return the rule's messages, with the ports that are or may be open where they are known."""
    if not ports:
        return WORDS
    unknown = f"it is unknown whether {' and whether '.join(ports)}"
    return replace(WORDS, bad="; ".join(ports), unknown=unknown)


def _judge(group: Group) -> Finding:
    """Judge one group; inbound rules outside this stack are reported as unknown."""
    messages = _messages(group.safety.open_ports)
    finding = fact(group.subject, opposite(group.safety.open_login), messages)
    if finding.outcome != "not-knowable":
        return finding
    private = ", though it has no public address" if group.safety.public_ip is False else ""
    return replace(
        finding,
        message=f"{finding.message}{private}: some inbound rules are outside this stack, or their "
        "source is unknown",
        fix="check the stack that declares its security groups or firewall rules; then "
        "list the input that refers to them as trusted, in the settings file (--settings) or the "
        "pack's configuration: trust: [{input: …, private: true, why: …}]; in a stack file, "
        "write rules: {open-login: {level: advisory}}",
    )


RULE = Rule(
    id="open-login",
    family="security",
    title="Login and data ports are closed to the internet",
    why="Open SSH and RDP ports are found and attacked within minutes. Docker, Ray, "
    "Jupyter, Kubelet and most databases have no password by default: anyone who "
    "reaches them can run code or read data.",
    fix="allow 0.0.0.0/0 and ::/0 only on the ports that you serve, and on no port for "
    "login, control or data",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html",
    check=check,
)
