import gc
from contextlib import suppress

import pytest

from gpuinfra.planning.garbage_collection import pause_collection


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_left_as_it_was(was_on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        with pause_collection():
            assert not gc.isenabled()
        assert gc.isenabled() is was_on
        with suppress(KeyError), pause_collection():
            raise KeyError
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
