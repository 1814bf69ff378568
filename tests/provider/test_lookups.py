"""A failed look-up of a component is told as an error, without the SDK's stack frames."""

import asyncio

import pytest
from pulumi import InputPropertiesError
from pulumi.provider.server import ProviderServicer

from gpuinfra.provider.components import Components
from gpuinfra.provider.lookups import Servicer

FAILED = Exception("invoke of aws:ec2/getVpc:getVpc failed: the context was cancelled")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FAILED, InputPropertiesError),
        (Exception("of another kind"), Exception),
        (ValueError("invoke of a wrong value"), ValueError),
    ],
)
def test_only_a_look_up_that_fails_becomes_a_plain_error(monkeypatch, error, told):
    async def fails(*_):
        raise error

    monkeypatch.setattr(ProviderServicer, "_construct", fails)

    with pytest.raises(Exception, match=str(error)[:9]) as caught:
        asyncio.run(Servicer(Components(), [], "")._construct(None, None))

    assert type(caught.value) is told
