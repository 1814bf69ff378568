"""Over many stacks, no source says fine where another says violated."""

import pytest

from tests.e2e.conftest import printed_environment
from tests.sources import table
from tests.sources.sources import at_odds, missed, rules_with, undecided, verdicts

pytestmark = pytest.mark.e2e

NAMES = (*table.STRANGERS, *table.SHIPPED, *table.CHANGED)


def test_the_table_is_large_enough():
    assert len(NAMES) >= 12
    assert len(table.STRANGERS) >= 4


@pytest.mark.parametrize("name", NAMES)
def test_sources_agree(name, tmp_path, sandbox_home, plain_pulumi):
    said = verdicts(table.stack(name, tmp_path), plain_pulumi, printed_environment())
    found = {source: one.outcomes for source, one in said.items()}
    related = {source: one for source, one in found.items() if source != "stream"}

    for source, one in related.items():
        assert table.FAULTS.get(name, set()) <= rules_with(one, "violated"), source
    assert at_odds(found) == set()
    assert missed(related, table.UNSHOWN) == set()
    later = table.LATER.get(name, set())
    for source in related:
        left = later if source in table.PREVIEWS else set()
        assert undecided(related, source) - set(table.UNSEEN) == left, source
    assert len({one.ok for source, one in said.items() if source != "stream"}) == 1
    # The stream has no relations: what it can't decide is not knowable, and a group whose template
    # it can't find is not judged, hence unpriced. It never passes what another refuses.
    assert not said["stream"].ok or said["state"].ok
    assert any("fine" in one for one in found["state"].values())
