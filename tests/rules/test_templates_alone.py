"""Templates of machines that nothing in the stack uses."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes, verdict
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts


class TestTemplates:
    TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
    SECRET = "export DB_PASSWORD=hunter2hunter2\n"

    def verdicts(self, program, moment="created"):
        judged = of_resources(program.resources(moment))
        assert outcomes(judged, "price-unknown") == ["fine"]
        reasons = [row.reason for row in judged.not_judged]
        return reasons, verdicts(judged, "secret-in-output")

    def test_an_unused_one_of_aws(self):
        program = Program()
        program.add(self.TEMPLATE, "lt", instanceType="g6.xlarge", userData=self.SECRET)
        reasons, secrets = self.verdicts(program)
        assert len(reasons) == 1
        assert "no machine of this stack starts from it;" in reasons[0]
        assert secrets == [("violated", "a password on line 1 of userData")]

    def test_an_unused_one_of_google(self):
        program = GcpProgram()
        program.add(
            "gcp:compute/instanceTemplate:InstanceTemplate",
            "t",
            machineType="g2-standard-4",
            metadataStartupScript=self.SECRET,
        )
        reasons, secrets = self.verdicts(program)
        assert len(reasons) == 1
        assert secrets == [("violated", "a password on line 1 of metadataStartupScript")]

    @pytest.mark.parametrize(
        ("script", "words"),
        [
            ("echo hello\n", "only its script was checked for secrets"),
            (UNKNOWN, "is not known yet"),
        ],
    )
    def test_a_clean_and_a_hidden_script(self, script, words):
        program = Program()
        program.add(self.TEMPLATE, "lt", instanceType="g6.xlarge", userData=script)
        (reason,), secrets = self.verdicts(program)
        assert words in reason
        assert [outcome for outcome, _ in secrets] == ["not-applicable"]

    @both
    def test_a_used_one_is_judged_with_its_machines(self, moment):
        program = Program()
        template = program.add(self.TEMPLATE, "lt", instanceType="g6.xlarge", userData=self.SECRET)
        program.add("aws:ec2/instance:Instance", "box", launchTemplate={"id": template.id})
        judged = of_resources(program.resources(moment))
        assert judged.not_judged == ()
        assert outcomes(judged, "secret-in-output") == ["not-applicable"]
        refused = [finding.rule for finding in verdict(judged).findings if finding.refuses]
        assert "secret-in-script" in refused
