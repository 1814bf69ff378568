"""What a preview without an account does not find is unknown, where the cloud would refuse."""

from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.sandbox.plugin.aws.lookups import INVOKES
from gpuinfra.sandbox.plugin.contract import CloudRefusalError

CASES = [
    ("aws:ec2/getAmi:getAmi", {"owners": ["679593333241"]}, "imageId"),
    ("aws:iam/getRole:getRole", {"name": "absent"}, "arn"),
    ("aws:iam/getInstanceProfile:getInstanceProfile", {"name": "absent"}, "roleName"),
]


class Empty:
    """A client of a service in which nothing is."""

    def describe_images(self, **_):
        return {"Images": []}

    def get_role(self, **_):
        problem = {"Error": {"Code": "NoSuchEntity", "Message": "not found"}}
        raise ClientError(problem, "Get")

    get_instance_profile = get_role


def answer(token, arguments, monkeypatch, *, temporary):
    monkeypatch.setattr("gpuinfra.sandbox.plugin.settings.temporary", lambda: temporary)
    place = SimpleNamespace(place="us-east-1")
    context = SimpleNamespace(settings=place, client=lambda *_: Empty())
    return INVOKES[token](context, arguments)


@pytest.mark.parametrize(("token", "arguments", "unknown"), CASES)
def test_a_preview_takes_it_as_unknown(token, arguments, unknown, monkeypatch):
    found = answer(token, arguments, monkeypatch, temporary=True)

    assert UNKNOWN_TEXT in found[unknown]
    assert found[unknown] != UNKNOWN_TEXT, "the SDK would take it as None"
    assert found.items() >= arguments.items()


@pytest.mark.parametrize(("token", "arguments", "unknown"), CASES)
def test_a_deployment_is_refused(token, arguments, unknown, monkeypatch):
    with pytest.raises(CloudRefusalError):
        answer(token, arguments, monkeypatch, temporary=False)
