"""A spot machine of a pool leaves its load balancer before AWS takes the machine away."""

import subprocess

import pytest

ARN = "arn:aws-cn:elasticloadbalancing:cn-north-1:123456789012:targetgroup/chat/6d0ecf831eec9f09"
NOTICE = '{"action": "terminate", "time": "2026-11-22T12:00:00Z"}'
METADATA = """\
if [[ $* == *PUT* ]]; then {token}; exit; fi
if [[ $* != *'X-aws-ec2-metadata-token: a-token'* ]]; then exit 22; fi
case $* in
  *spot/instance-action)
    echo >>looks
    if (($(wc -l <looks) < {after})); then exit 22; fi
    echo '{notice}' ;;
  *instance-id) echo i-0abc ;;
esac
"""


def leaving(
    machine, *, after: int = 1, session: str = "echo a-token", aws: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run it on a machine that hears of its end at the look of that number."""
    machine.install("leave.sh")
    machine.file("etc/gpuinfra/leave", f"TARGETS={ARN}\n")
    machine.stand_in("curl", METADATA.format(token=session, after=after, notice=NOTICE))
    machine.stand_in("aws", aws)
    return machine.program("gpuinfra-leave")


def called(machine, name: str) -> list[str]:
    return [call for call in machine.calls if call.startswith(f"{name} ")]


@pytest.mark.parametrize("after", [1, 4])
def test_it_leaves_at_the_notice_and_not_before(machine, after: int) -> None:
    done = leaving(machine, after=after)

    assert done.returncode == 0, done.stderr
    (call,) = called(machine, "aws")
    assert call.startswith("aws elbv2 deregister-targets --region cn-north-1 ")
    assert call.endswith(f" --target-group-arn {ARN} --targets Id=i-0abc")
    assert called(machine, "sleep") == ["sleep 5"] * (after - 1)


def test_it_waits_on_while_the_metadata_service_gives_no_token(machine) -> None:
    session = "echo >>tokens; (($(wc -l <tokens) > 2)) || exit 7; echo a-token"
    done = leaving(machine, session=session)

    assert done.returncode == 0, done.stderr
    assert called(machine, "sleep") == ["sleep 5"] * 2
    assert len(called(machine, "aws")) == 1


def test_a_call_that_fails_ends_it_so_that_systemd_starts_it_again(machine) -> None:
    assert leaving(machine, aws="exit 254").returncode == 254
