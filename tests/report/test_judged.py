from tests.report.cases import Accepted, finding, report


def test_a_waived_finding_whose_name_was_hidden_since_stays_waived() -> None:
    hidden = report(waived=[finding(subject="[secret]")], waivers=[Accepted("open-login", "db")])
    (entry,) = hidden.waived

    assert hidden.bad == ()
    assert entry.waiver is None
    assert entry.accepted == "waived"


def test_a_waiver_is_found_by_any_name_of_the_subject() -> None:
    told = report(
        waived=[finding()],
        waivers=[Accepted("open-login", "training.trainer")],
        names=lambda _: ("training.trainer",),
    )

    assert told.waived[0].waiver is not None


def test_errors_come_before_warnings_and_what_is_fine_is_not_bad() -> None:
    told = report(
        finding(level="advisory"),
        finding(outcome="fine"),
        finding(outcome="not-knowable"),
        finding(),
    )

    assert [one.weight for one in told.bad] == ["error", "error", "warning"]
    assert told.counts == {"violated": 2, "fine": 1, "not-knowable": 1}
