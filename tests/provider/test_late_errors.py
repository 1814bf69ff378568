"""Errors during a component's build are told without the SDK's stack frames and class names."""

import asyncio

import pytest
from pulumi import InputPropertiesError
from pulumi.provider.server import ProviderServicer

from gpuinfra.components.messages import ProgramError
from gpuinfra.errors import Problem
from gpuinfra.provider.components import Components
from gpuinfra.provider.late_errors import Servicer

FAILED = Exception("invoke of aws:ec2/getVpc:getVpc failed: the context was cancelled")

WRONG = ProgramError([Problem(message="chat: notify does not accept the value of its output")])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FAILED, InputPropertiesError),
        (WRONG, InputPropertiesError),
        (Exception("of another kind"), Exception),
        (ValueError("invoke of a wrong value"), ValueError),
    ],
)
def test_only_errors_of_the_program_become_plain(monkeypatch, error, told):
    async def fails(*_):
        raise error

    monkeypatch.setattr(ProviderServicer, "_construct", fails)

    with pytest.raises(Exception, match=str(error)[:9]) as caught:
        asyncio.run(Servicer(Components(), [], "")._construct(None, None))

    assert type(caught.value) is told
