from datetime import UTC, datetime, timedelta

import pytest

from gpuinfra.clouds.aws.account import place_checks
from tests.clouds.aws.account.conftest import need

OFFERINGS = ("ec2", "describe_instance_type_offerings")
RESERVATIONS = ("ec2", "describe_capacity_reservations")
MACHINES = ("ec2", "describe_instances")
END = datetime(2099, 12, 1, 11, 30, tzinfo=UTC)
ID = "cr-0123456789abcdef0"


def offered(caller, zones=("us-east-1a",), **changed):
    (check,) = place_checks.zone_offer_checks(caller, need(**changed), zones)
    return check


def having(*zones):
    rows = [{"InstanceType": "p5.48xlarge", "Location": zone} for zone in zones]
    return (*OFFERINGS, {"InstanceTypeOfferings": rows})


def test_a_zone_that_has_the_machine_is_fine(stubbed):
    assert offered(stubbed(having("us-east-1a", "us-east-1b"))).state == "ok"


def test_a_zone_without_it_names_those_that_have_it(stubbed):
    check = offered(stubbed(having("us-east-1d", "us-east-1b")))

    assert (check.state, check.result) == ("problem", "offered in us-east-1b, us-east-1d")
    assert check.fix.startswith("set zones: [us-east-1b, us-east-1d] under where")


def test_a_region_without_it_is_a_problem_whatever_the_zone(stubbed):
    check = offered(stubbed(having()), zones=())

    assert (check.state, check.result) == ("problem", "offered in no zone")
    assert "another region" in check.fix


def test_offerings_that_nobody_may_see_are_unknown(stubbed):
    check = offered(stubbed((*OFFERINGS, "UnauthorizedOperation")))

    assert (check.state, check.fix) == (
        "unknown",
        "allow ec2:DescribeInstanceTypeOfferings to the caller",
    )


def reservation(**changed):
    return {
        "CapacityReservationId": ID,
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-1a",
        "Tenancy": "default",
        "State": "active",
        "TotalInstanceCount": 4,
        "AvailableInstanceCount": 4,
        **changed,
    }


def checked(caller, zones=("us-east-1a",), **changed):
    rung = {"capacity": "reserved", "reservation": ID, **changed.pop("rung", {})}
    checks = place_checks.reservation(caller, need(rung=rung, **changed), zones, "demo")
    return {check.item.partition(" of cr-")[0]: check for check in checks}


def answer(*reservations):
    return (*RESERVATIONS, {"CapacityReservations": list(reservations)})


def test_a_reservation_that_fits_is_fine_in_every_respect(stubbed):
    by_what = checked(stubbed(answer(reservation())))

    assert {check.state for check in by_what.values()} == {"ok"}
    assert list(by_what) == [
        *("state", "machine", "platform", "tenancy", "kind", "zone", "free machines"),
    ]


@pytest.mark.parametrize(
    ("changed", "which", "says"),
    [
        ({"State": "expired"}, "state", "expired"),
        (
            {"State": "scheduled", "StartDate": END},
            "state",
            "scheduled, from 2099-12-01T11:30Z",
        ),
        ({"InstanceType": "p5e.48xlarge"}, "machine", "p5e.48xlarge"),
        ({"InstancePlatform": "Windows"}, "platform", "Windows"),
        ({"Tenancy": "dedicated"}, "tenancy", "dedicated"),
        ({"ReservationType": "capacity-block"}, "kind", "capacity-block"),
        ({"AvailabilityZone": "us-east-1f"}, "zone", "us-east-1f"),
        ({"EndDate": datetime(2020, 1, 1, tzinfo=UTC)}, "end", "2020-01-01T00:00Z"),
    ],
)
def test_each_respect_in_which_it_does_not_fit(stubbed, changed, which, says):
    by_what = checked(stubbed(answer(reservation(**changed))))

    assert {name for name, check in by_what.items() if check.state != "ok"} == {which}
    assert (by_what[which].state, by_what[which].result) == ("problem", says)


def test_a_capacity_block_ends_when_the_stack_says(stubbed):
    block = reservation(ReservationType="capacity-block", EndDate=END)
    rung = {"capacity": "capacity-block", "ends": "2099-12-01T11:30:00+00:00"}

    assert {check.state for check in checked(stubbed(answer(block)), rung=rung).values()} == {"ok"}


@pytest.mark.parametrize(
    ("end", "fix"), [(END + timedelta(days=1), "set ends:"), (None, "use a capacity block")]
)
def test_another_end_than_the_stack_s_is_a_problem(stubbed, end, fix):
    block = reservation(ReservationType="capacity-block", **({"EndDate": end} if end else {}))
    rung = {"capacity": "capacity-block", "ends": "2099-12-01T11:30:00+00:00"}
    by_what = checked(stubbed(answer(block)), rung=rung)

    assert (by_what["end"].state, by_what["end"].fix.startswith(fix)) == ("problem", True)


def test_too_few_free_machines_are_a_problem_unless_the_stack_has_them(stubbed):
    own = {
        "InstanceType": "p5.48xlarge",
        "CapacityReservationId": ID,
        "Tags": [{"Key": "gpuinfra:stack", "Value": "demo"}],
    }
    nobody = (*MACHINES, {"Reservations": []})
    ours = (*MACHINES, {"Reservations": [{"Instances": [own]}]})
    few = answer(reservation(AvailableInstanceCount=1))

    assert checked(stubbed(few, nobody))["free machines"].state == "problem"
    fine = checked(stubbed(few, ours))["free machines"]
    assert (fine.state, fine.result) == ("ok", "1 of 4, 1 used by this stack")
    unknown = checked(stubbed(few), count=None)["free machines"]
    assert (unknown.state, unknown.result) == (
        "unknown",
        "1 are free; the number of machines is unknown",
    )


def test_a_reservation_that_is_not_there_is_a_problem(stubbed):
    for gone in ((*RESERVATIONS, "InvalidCapacityReservationId.NotFound"), answer()):
        (check,) = checked(stubbed(gone)).values()

        assert (check.state, check.result) == ("problem", "no such reservation in us-east-1")


def test_a_reservation_that_nobody_may_see_is_unknown(stubbed):
    (check,) = checked(stubbed((*RESERVATIONS, "UnauthorizedOperation"))).values()

    assert check.state == "unknown"


def test_a_zone_that_nobody_knows_is_unknown(stubbed):
    assert checked(stubbed(answer(reservation())), zones=())["zone"].state == "unknown"


def test_a_rung_without_a_reservation_asks_nothing(stubbed):
    assert list(place_checks.reservation(stubbed(), need(), (), "demo")) == []
