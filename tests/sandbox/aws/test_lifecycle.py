"""Every type: made, read without drift, imported, changed behind its back, changed, removed."""

import re
from typing import Any

import pytest

from gpuinfra.sandbox.aws import HANDLERS
from gpuinfra.sandbox.aws.spelling import is_same_value
from tests.sandbox.aws.buckets import STORAGE
from tests.sandbox.aws.cases import Case, Inputs
from tests.sandbox.aws.guards import GUARDS
from tests.sandbox.aws.identities import IDENTITY
from tests.sandbox.aws.machines import COMPUTE
from tests.sandbox.aws.networks import NETWORK
from tests.sandbox.aws.notices import WATCHING
from tests.sandbox.aws.stores import STORES

CASES = [*NETWORK, *COMPUTE, *IDENTITY, *STORAGE, *WATCHING, *STORES, *GUARDS]
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.token + case.label)


def test_every_type_has_its_case():
    assert {case.token for case in CASES} == HANDLERS.keys()


def import_id(case: Case, resource_id: str, outputs: Inputs) -> str:
    """What `pulumi import` is given where the id does not say enough."""
    if case.token == "aws:iam/rolePolicyAttachment:RolePolicyAttachment":
        return f"{outputs['role']}/{outputs['policyArn']}"
    if "autoscalingGroupName" in outputs:
        return f"{outputs['autoscalingGroupName']}/{resource_id}"
    if case.within:
        return f"{outputs[case.within[0]]}{case.within[1]}{outputs[case.within[2]]}"
    return resource_id


@cases
def test_life(case, stage):
    handler = HANDLERS[case.token]
    inputs = case.inputs(stage)

    resource_id, outputs = handler.create(stage.call(case.token, inputs))
    known = stage.call(case.token, outputs)

    assert re.fullmatch(case.id, resource_id), resource_id
    assert {key: outputs[key] for key in inputs} == inputs
    assert handler.read(known, resource_id) == outputs

    imported = handler.read(stage.call(case.token, {}), import_id(case, resource_id, outputs))
    told = {key: value for key, value in inputs.items() if key not in case.forgotten}
    assert {key for key, value in told.items() if not alike(imported.get(key), value)} == set()

    changes = case.update(stage)
    if changes:
        wanted_inputs = {k: v for k, v in (inputs | changes).items() if v is not None}
        updated = handler.update(stage.call(case.token, wanted_inputs), resource_id, outputs)
        assert {key: updated[key] for key in wanted_inputs} == wanted_inputs
        known = stage.call(case.token, updated)
        assert handler.read(known, resource_id) == updated

    handler.delete(known, resource_id, known.inputs)
    after = handler.read(known, resource_id)
    if case.remains:
        assert after != known.inputs
    else:
        assert after is None
    handler.delete(known, resource_id, known.inputs)


@cases
def test_a_change_behind_the_back_is_seen_and_mended(case, stage):
    handler = HANDLERS[case.token]
    inputs = case.inputs(stage)
    resource_id, outputs = handler.create(stage.call(case.token, inputs))
    known = stage.call(case.token, outputs)

    case.drift(stage.client, resource_id, outputs)
    drifted = handler.read(known, resource_id)

    if not case.seen:
        assert drifted is None
        return
    assert drifted.get(case.seen) != outputs[case.seen]
    handler.update(stage.call(case.token, inputs), resource_id, drifted)
    mended = handler.read(known, resource_id)
    assert mended[case.seen] == outputs[case.seen]
    handler.delete(known, resource_id, outputs)


def alike(imported: Any, given: Any) -> bool:
    """Equal in meaning; lists that AWS keeps as sets may come in another order."""
    if isinstance(given, list) and isinstance(imported, list) and len(given) == len(imported):
        return all(any(covers(mine, theirs) for mine in imported) for theirs in given)
    return covers(imported, given)


def covers(imported: Any, given: Any) -> bool:
    """An import may tell more than the program wrote, never less."""
    if isinstance(imported, dict) and isinstance(given, dict):
        return all(covers(imported.get(key), value) for key, value in given.items())
    return is_same_value(imported, given)
