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
    by_source = verdicts(table.stack(name, tmp_path), plain_pulumi, printed_environment())
    outcomes = {source: verdict.outcomes for source, verdict in by_source.items()}
    off = table.disabled(name)
    related = {
        source: {key: said for key, said in seen.items() if key[0] not in off}
        for source, seen in outcomes.items()
        if source != "stream"
    }

    for source, seen in related.items():
        assert table.FAULTS.get(name, set()) <= rules_with(seen, "violated"), source
    assert at_odds(outcomes) == set()
    assert missed(related, table.UNSHOWN) == set()
    later = table.LATER.get(name, set())
    for source in related:
        left = later if source in table.PREVIEWS else set()
        assert undecided(related, source) - set(table.UNSEEN) == left, source
    assert len({verdict.ok for source, verdict in by_source.items() if source != "stream"}) == 1
    # The stream has no relations: what it can't decide is not knowable, and a group whose template
    # it can't find is not judged, hence unpriced. It never passes what another refuses.
    assert not by_source["stream"].ok or by_source["state"].ok
    assert any("fine" in seen for seen in outcomes["state"].values())
