"""Files that somebody made to hurt: wrong kinds of values anywhere, too much of everything."""

import contextlib
import copy
import json
import subprocess
import sys
from datetime import date
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import pulumi_files
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.errors import InputError
from gpuinfra.pulumi_files import file_stack, preview_steps
from tests.pulumi_files.files import (
    SECRET,
    SIGNATURE,
    UNKNOWN_TEXT,
    digest,
    entry,
    put,
    state,
    step,
)
from tests.pulumi_files.recording import recorded

DAY = date(2026, 11, 21)
WEIRD = (
    *(
        None,
        True,
        -1,
        0,
        1e308,
        10**400,
        3.7,
        "",
        "x",
        "-3",
        "NaN",
        "1e999999",
        "\x1b",
        "9" * 5000,
    ),
    *([], {}, [[]], [None], [{}], {"": {}}, {"a": None}, UNKNOWN_TEXT),
    {SIGNATURE: SECRET, "ciphertext": "x"},
    {SIGNATURE: SECRET, "plaintext": "[1]"},
)
DOCUMENTS = [
    (name, file)
    for name in ("scaled_site", "gpu_box", "azure_gpu_machine")
    for file in ("preview.json", "sames.json", "state.json")
]


def judge(path):
    return check_file(path, CheckSettings(), DAY).report


@cache
def places(name, file):
    """Every place of a recording where something may be put instead."""

    def below(value, at):
        if at:
            yield at
        listed = enumerate(value) if isinstance(value, list) else ()
        for key, item in value.items() if isinstance(value, dict) else listed:
            yield from below(item, (*at, key))

    return tuple(below(json.loads(recorded(name, file)), ()))


def replaced(document, place, value):
    for key in place[:-1]:
        document = document[key]
    document[place[-1]] = copy.deepcopy(value)


@given(st.data())
def test_anything_anywhere_is_judged_or_refused_in_words(tmp_path_factory, data):
    name, file = data.draw(st.sampled_from(DOCUMENTS))
    place = data.draw(st.sampled_from(places(name, file)))
    document = json.loads(recorded(name, file))
    replaced(document, place, data.draw(st.sampled_from(WEIRD)))
    path = put(tmp_path_factory.getbasetemp(), document, "weird.json")
    with contextlib.suppress(InputError):
        assert judge(path).verdict.findings


@pytest.mark.parametrize("value", [*WEIRD, 10**18, "999999999999999999999"])
@pytest.mark.parametrize(
    ("name", "kind", "place"),
    [
        ("scaled_site", "SecurityGroup", ("ingress", 0, "protocol")),
        ("scaled_site", "SecurityGroup", ("ingress", 0, "fromPort")),
        ("scaled_site", "Group", ("maxSize",)),
        ("scaled_site", "LoadBalancer", ("loadBalancerType",)),
        ("gpu_box", "Instance", ("guestAccelerators", 0, "count")),
        ("gpu_box", "Disk", ("size",)),
        ("azure_gpu_machine", "NetworkSecurityGroup", ("securityRules", 0)),
        ("azure_gpu_machine", "VirtualMachine", ("hardwareProfile", "vmSize")),
    ],
)
def test_a_property_of_another_kind_is_judged_all_the_same(tmp_path, name, kind, place, value):
    document = json.loads(recorded(name, "preview.json"))
    (inputs, *_) = (
        step["newState"]["inputs"]
        for step in document["steps"]
        if step["urn"].split("::")[2].endswith(f":{kind}")
        and place[0] in step["newState"].get("inputs", {})
    )
    replaced(inputs, place, value)
    assert judge(put(tmp_path, document)).verdict.findings


@pytest.mark.parametrize("name", ["scaled_site", "gpu_box", "azure_gpu_machine"])
def test_a_list_in_place_of_a_text_is_judged_all_the_same(tmp_path, name):
    """Sets and dictionaries refuse to look for a list."""
    document = json.loads(recorded(name, "preview.json"))
    for place in places(name, "preview.json"):
        if place[-1] not in {"urn", "type"} and "inputs" in place[:-1]:
            changed = copy.deepcopy(document)
            replaced(changed, place, [])
            assert judge(put(tmp_path, changed)).verdict.findings, place


@pytest.mark.parametrize("kind", ["digest", "state"])
def test_more_resources_than_any_stack_has_are_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(file_stack, "MAX_RESOURCES", 50)
    monkeypatch.setattr(preview_steps, "MAX_RESOURCES", 50)
    names = [f"n{number}" for number in range(51)]
    many = (
        digest(*(step(name, newState=entry(name)) for name in names))
        if kind == "digest"
        else state(*map(entry, names))
    )
    with pytest.raises(InputError) as caught:
        pulumi_files.read(put(tmp_path, many))
    assert "resources, the maximum" in caught.value.problems[0].message


def test_a_long_chain_of_parents_is_no_circle(tmp_path):
    names = [f"n{number}" for number in range(5000)]
    chain = [step(names[0], newState=entry(names[0]))]
    for above, name in pairwise(names):
        parent = chain[-1]["newState"]["urn"]
        assert parent.endswith(above)
        chain.append(step(name, newState=entry(name, parent=parent)))
    assert len(pulumi_files.read(put(tmp_path, digest(*chain))).resources) == 5000


HUNDRED = """
import json, resource, sys
from pathlib import Path
from gpuinfra import pulumi_files
path = Path(sys.argv[1])
entry = {"custom": True, "type": "aws:ec2/instance:Instance", "inputs": {"userData": "x" * 5000}}
with path.open("w") as file:
    file.write('{"config": {}, "steps": [')
    for number in range(20_000):
        urn = f"urn:pulumi:dev::shop::aws:ec2/instance:Instance::n{number}"
        one = {"op": "delete", "urn": urn, "oldState": {**entry, "urn": urn, "provider": urn}}
        file.write(("," if number else "") + json.dumps(one))
    file.write('], "changeSummary": {"delete": 20000}}')
assert path.stat().st_size > 100_000_000
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(pulumi_files.read(path).leaving) == 20_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.soak
def test_a_hundred_megabytes_are_read_in_pieces(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", HUNDRED, str(tmp_path / "big.json")],
        check=True,
        capture_output=True,
        text=True,
    )
    assert int(done.stdout) < 100
