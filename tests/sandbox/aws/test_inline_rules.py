"""Inline rules come back as written, however AWS merges them, and what was added is seen."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.sandbox.aws import inline_rules

GROUP = "sg-0000000000000000a"
cidrs = st.integers(0, 40).map(lambda number: f"10.{number}.0.0/16")
groups = st.integers(0, 9).map(lambda number: f"sg-{number:017x}")
ports = st.integers(1, 9)


@st.composite
def rules(draw):
    """Rules whose peers never repeat, as AWS demands."""
    flows = draw(st.lists(st.tuples(st.sampled_from(["tcp", "udp", "-1"]), ports), unique=True))
    written = []
    for protocol, port in flows:
        number = 0 if protocol == "-1" else port
        rule = {"protocol": protocol, "fromPort": number, "toPort": number}
        rule["cidrBlocks"] = draw(st.lists(cidrs, unique=True, min_size=1, max_size=3))
        if draw(st.booleans()):
            rule["securityGroups"] = draw(st.lists(groups, unique=True, min_size=1, max_size=2))
        if draw(st.booleans()):
            rule["self"] = True
        if draw(st.booleans()):
            rule["description"] = draw(st.sampled_from(["web", "nodes"]))
        written.append(rule)
    seen = set()
    return [
        rule
        for rule in written
        if (key := (rule["protocol"], rule["fromPort"])) not in seen and not seen.add(key)
    ]


def merged(permissions):
    """As AWS answers: one permission per protocol and ports, in any order."""
    answer = {}
    for permission in permissions:
        key = (permission["IpProtocol"], permission.get("FromPort"))
        into = answer.setdefault(key, {k: v for k, v in permission.items() if k != "IpRanges"})
        into["IpRanges"] = [*into.get("IpRanges", []), *permission["IpRanges"]][::-1]
    return list(answer.values())[::-1]


@settings(deadline=None)
@given(rules())
def test_unchanged_rules_come_back_as_written(written):
    standing = merged([inline_rules.permission(rule, GROUP) for rule in written])

    assert inline_rules.read_back(standing, written, GROUP) == written


@settings(deadline=None)
@given(rules())
def test_an_import_makes_the_same_permissions_again(written):
    standing = [inline_rules.permission(rule, GROUP) for rule in written]

    imported = inline_rules.read_back(standing, [], GROUP)
    again = [inline_rules.permission(rule, GROUP) for rule in imported]
    assert inline_rules.read_back(again, written, GROUP) == written


def test_an_added_and_a_removed_range_are_seen():
    web = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["10.0.0.0/8", "::"]}
    standing = inline_rules.permission(web | {"cidrBlocks": ["10.0.0.0/8", "0.0.0.0/0"]}, GROUP)

    assert inline_rules.read_back([standing], [web], GROUP) == [
        web | {"cidrBlocks": ["10.0.0.0/8"]},
        web | {"cidrBlocks": ["0.0.0.0/0"]},
    ]


def test_all_protocols_in_words_stay_in_words():
    rule = {"protocol": "all", "fromPort": 0, "toPort": 0, "self": True}

    assert inline_rules.permission(rule, GROUP)["IpProtocol"] == "-1"
    assert inline_rules.read_back([inline_rules.permission(rule, GROUP)], [rule], GROUP) == [rule]
