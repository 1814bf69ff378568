"""A pack as the engine meets it, without the engine, over a state that a test writes."""

import pytest

from gpuinfra.crossguard import existing_resources, pack, policies
from gpuinfra.errors import EngineError
from tests.crossguard.wire import Engine


@pytest.fixture
def standing(monkeypatch):
    """What the state says; calls are counted in `reads`."""

    class Known(list):
        reads = 0

    known = Known()

    def read(_):
        known.reads += 1
        if EngineError in known:
            raise EngineError("no backend")
        return tuple(known)

    monkeypatch.setattr(existing_resources, "existing_resources", read)
    return known


@pytest.fixture
def engine(monkeypatch, standing):
    def start(*rules, dry_run=False, **config):
        served = []
        monkeypatch.setattr(policies, "serve", served.append)
        pack("tried", rules)
        return Engine(*served, config, dry_run=dry_run)

    return start
