"""Commands that a stack runs: those that call no cloud start no machine."""

import pytest

from gpuinfra.clouds.observing import commands
from gpuinfra.clouds.observing.rows import rows_without_machines
from gpuinfra.model import UNKNOWN, Resource


@pytest.mark.parametrize(
    ("inputs", "harmless"),
    [
        ({"create": "echo done && sleep 30"}, True),
        ({"create": "mkdir -p out; touch out/a", "delete": "rm -r out"}, True),
        ({"create": "sudo chmod 600 key"}, True),
        ({"create": "sudo apt-get install -y jq"}, False),
        ({"create": "cp fleet.sh /usr/local/bin/ls; ls"}, False),
        ({"create": "mkdir a # don't\naws ec2 run-instances\necho ok # it's up"}, False),
        ({"create": "echo C:\\\\\naws ec2 run-instances"}, False),
        ({"create": "ls () ( aws ec2 run-instances )\nls"}, False),
        ({"create": "tar -cf a --checkpoint-action=exec='aws ec2 run-instances' b"}, False),
        ({"create": "echo '* * * * * root aws ec2 run-instances' > /etc/cron.d/x"}, False),
        ({"create": "PATH=./bin ls"}, False),
        ({"create": "ls", "environment": {"PATH": "./bin"}}, False),
        ({"create": "echo a | tee b"}, False),
        ({"create": "aws ec2 run-instances --image-id ami-1"}, False),
        ({"create": "echo a\naws ec2 run-instances"}, False),
        ({"create": "echo a&aws ec2 run-instances"}, False),
        ({"create": "echo $(aws ec2 run-instances)"}, False),
        ({"create": "echo `aws ec2 run-instances`"}, False),
        ({"create": "REGION=a aws ec2 run-instances"}, False),
        ({"create": "cat launch | bash"}, False),
        ({"create": "./launch.sh"}, False),
        ({"create": "echo 'a"}, False),
        ({"create": "echo a", "update": "gcloud compute instances create a"}, False),
        ({"create": "echo a", "interpreter": ["python", "-c"]}, False),
        ({"create": "cat", "stdin": "a"}, False),
        ({"create": UNKNOWN}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("kind", sorted(commands.KINDS))
def test_a_command_is_left_out_of_caps_where_it_calls_no_cloud(kind, inputs, harmless):
    resource = Resource(urn="u", type=kind, name="it", inputs=inputs)
    (row,) = rows_without_machines(resource, kind, is_known=False).not_judged
    assert row.may_start_machines is not harmless
