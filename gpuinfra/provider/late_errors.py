"""The handling of errors during a build, without what Pulumi's SDK would print around them."""

from typing import Any, Final

from pulumi import InputPropertiesError
from pulumi.provider.server import ProviderServicer

from gpuinfra.components.messages import ProgramError

_LOOKUP_ERROR_PREFIX: Final = "invoke of "
"""The prefix of the SDK's message on a failed lookup: pulumi.runtime.invoke."""


class Servicer(ProviderServicer):
    """The SDK's server, with two errors reported like a wrong input.

    An output turns out to be wrong once it is known. And where another resource of the program is
    wrong, the engine breaks off the look-ups that other components wait for.
    """

    async def _construct(self, request: Any, context: Any) -> Any:
        try:
            return await super()._construct(request, context)
        except ProgramError as error:
            raise InputPropertiesError(str(error), []) from None
        except Exception as error:
            # The SDK has no class of its own for it.
            if type(error) is not Exception or not str(error).startswith(_LOOKUP_ERROR_PREFIX):
                raise
            raise InputPropertiesError(str(error), []) from None
