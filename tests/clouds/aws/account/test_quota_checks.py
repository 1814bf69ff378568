from datetime import UTC, datetime

import pytest

from gpuinfra.clouds.aws.account import quota_checks
from tests.clouds.aws.account.conftest import need

QUOTAS = ("service-quotas", "get_service_quota")
MACHINES = ("ec2", "describe_instances")
RESERVATIONS = ("ec2", "describe_capacity_reservations")
METRIC = ("cloudwatch", "get_metric_statistics")


def quota(value, **more):
    return (*QUOTAS, {"Quota": {"Value": float(value), **more}})


def running(*machines):
    return (*MACHINES, {"Reservations": [{"Instances": list(machines)}]})


def machine(type_="p5.48xlarge", cores=96, stack="", **more):
    tags = [{"Key": "gpuinfra:stack", "Value": stack}] if stack else []
    options = {"CoreCount": cores, "ThreadsPerCore": 2}
    return {"InstanceType": type_, "CpuOptions": options, "Tags": tags, **more}


def reserved(*reservations):
    return (*RESERVATIONS, {"CapacityReservations": list(reservations)})


def checked(caller, *needs):
    (check,) = quota_checks.checks(caller, needs or (need(),), "demo")
    return check


def test_enough_is_fine(stubbed):
    check = checked(stubbed(quota(400), running(), reserved()))

    assert (check.state, check.fix) == ("ok", "")
    assert check.result == "400 vCPUs, 0 of them in use, by others"
    assert check.allowed == "384 vCPUs for this stack"
    assert check.item == "Running On-Demand P instances (L-417A185B): trainer in us-east-1"


def test_too_little_has_the_request_to_file(stubbed):
    check = checked(stubbed(quota(96)))

    assert (check.state, check.result) == ("problem", "96 vCPUs")
    assert "--quota-code L-417A185B --desired-value 384 --region us-east-1" in check.fix


def test_a_quota_of_nothing_is_a_quota(stubbed):
    assert checked(stubbed(quota(0))).state == "problem"


def test_what_others_run_counts_and_is_asked_for_too(stubbed):
    others = running(machine(), machine("g6.xlarge", 2), machine(stack="other"))
    check = checked(stubbed(quota(600), others, reserved()))

    assert (check.state, check.result) == ("problem", "600 vCPUs, 384 of them in use, by others")
    assert "--desired-value 768" in check.fix


def test_the_stack_s_own_machines_do_not_count_twice(stubbed):
    own = running(machine(stack="demo"), machine(stack="demo"))

    assert checked(stubbed(quota(384), own, reserved())).state == "ok"


def test_spot_and_capacity_blocks_draw_on_other_quotas(stubbed):
    others = running(
        machine(InstanceLifecycle="spot"), machine(InstanceLifecycle="capacity-block")
    )

    assert checked(stubbed(quota(384), others, reserved())).state == "ok"


def test_an_unused_reservation_counts_as_if_it_ran(stubbed):
    unused = {"InstanceType": "p5.48xlarge", "AvailableInstanceCount": 1}
    block = {**unused, "ReservationType": "capacity-block"}
    own = {**unused, "Tags": [{"Key": "gpuinfra:stack", "Value": "demo"}]}
    check = checked(stubbed(quota(400), running(), reserved(unused, block, own)))

    assert (check.state, check.result) == ("problem", "400 vCPUs, 192 of them in use, by others")


def test_a_named_reservation_s_own_machines_count(stubbed):
    own = running(machine(stack="demo", CapacityReservationId="cr-1"))
    with_it = need(workload="other", on_demand=0, rung={"reservation": "cr-1"})
    check = checked(stubbed(quota(400), own, reserved()), need(), with_it)

    assert (check.state, check.result) == ("problem", "400 vCPUs, 192 of them in use, by others")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("AccessDeniedException", "may not read this: servicequotas:GetServiceQuota was denied"),
        ("TooManyRequestsException", "AWS throttled servicequotas:GetServiceQuota"),
        ("NoSuchResourceException", "servicequotas:GetServiceQuota was refused: NoSuchResource"),
    ],
)
def test_no_answer_is_unknown_never_zero(stubbed, code, message):
    check = checked(stubbed((*QUOTAS, code)))

    assert check.state == "unknown"
    assert message in check.result
    assert check.fix
    assert check.allowed == "384 vCPUs for this stack"


def test_a_quota_without_a_value_is_not_understood(stubbed):
    check = checked(stubbed((*QUOTAS, {"Quota": {}})))

    assert check.state == "unknown"
    assert "sent a response that its documentation doesn't describe" in check.result


USAGE = {
    "MetricNamespace": "AWS/Usage",
    "MetricName": "ResourceCount",
    "MetricDimensions": {"Service": "EC2", "Resource": "vCPU", "Class": "P/OnDemand"},
}


def seen(*points):
    now = datetime(2026, 11, 21, tzinfo=UTC)
    rows = [{"Timestamp": now.replace(hour=at), "Maximum": float(value)} for at, value in points]
    return (*METRIC, {"Datapoints": rows})


def test_cloudwatch_says_what_runs_where_nobody_may_look(stubbed):
    denied = (*MACHINES, "UnauthorizedOperation")
    fits = checked(stubbed(quota(800, UsageMetric=USAGE), denied, seen((1, 700), (2, 192))))

    assert fits.state == "ok"
    assert fits.result == "800 vCPUs, 192 of them in use, some of them perhaps by this stack"


def test_cloudwatch_s_figure_may_be_the_stack_s_own_so_it_proves_no_problem(stubbed):
    denied = (*MACHINES, "UnauthorizedOperation")
    check = checked(stubbed(quota(400, UsageMetric=USAGE), denied, seen((1, 384))))

    assert check.state == "unknown"
    assert check.fix.startswith("if others use them: aws service-quotas request")


@pytest.mark.parametrize("more", [(), (seen(),), ((*METRIC, "AccessDenied"),)])
def test_use_that_nobody_knows_is_unknown(stubbed, more):
    usage = {"UsageMetric": USAGE} if more else {}
    check = checked(stubbed(quota(400, **usage), (*MACHINES, "UnauthorizedOperation"), *more))

    assert check.state == "unknown"
    assert "the number in use is unknown" in check.result
    assert check.fix == "allow ec2:DescribeInstances to the caller"


def test_a_machine_of_unknown_size_makes_the_use_unknown(stubbed):
    odd = running({"InstanceType": "p5.48xlarge"})

    assert checked(stubbed(quota(400), odd)).state == "unknown"


def test_a_family_without_a_known_quota_is_unknown(stubbed):
    check = checked(stubbed(), need(on_demand=0, spot=1, types=("p6-b200.48xlarge",)))

    assert (check.state, check.result) == ("unknown", "its quota code is unknown")
