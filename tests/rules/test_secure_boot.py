"""Secure boot, on machines of each cloud."""

from dataclasses import replace
from typing import ClassVar

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.changed import aws, azure, gcp
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.verdicts import verdicts


class TestBoot:
    RULE = "secure-boot"

    def test_nothing_turns_it_on_at_aws(self):
        assert verdicts(aws({}), self.RULE) == [
            ("not-applicable", "its machine type has no secure boot setting")
        ]

    @pytest.mark.parametrize(
        ("config", "outcome"),
        [
            (None, "violated"),
            ({"enableVtpm": True}, "violated"),
            ({"enableSecureBoot": False}, "violated"),
            ({"enableSecureBoot": True}, "fine"),
            ({"enableSecureBoot": UNKNOWN}, "not-knowable"),
        ],
    )
    def test_google_leaves_it_off_by_default(self, config, outcome):
        (finding,) = findings(gcp({"shieldedInstanceConfig": config}), self.RULE)
        assert finding.outcome == outcome
        assert not finding.refuses

    @pytest.mark.parametrize(
        ("config", "outcome"),
        [
            ({"enableSecureBoot": False}, "noted"),
            ({"enableSecureBoot": True, "enableVtpm": False}, "violated"),
        ],
    )
    def test_of_a_stack_file_only_secure_boot_itself_is_noted(self, config, outcome):
        judged = replace(gcp({"shieldedInstanceConfig": config}), from_file=True)
        assert outcomes(judged, self.RULE) == [outcome]

    TRUSTED: ClassVar = {
        "securityType": "TrustedLaunch",
        "uefiSettings": {"secureBootEnabled": True},
    }

    @pytest.mark.parametrize(
        ("machine", "security", "outcome"),
        [
            ("Standard_ND96isr_H100_v5", TRUSTED, "fine"),
            ("Standard_ND96isr_H100_v5", None, "violated"),
            ("Standard_ND96isr_H100_v5", {"securityType": "TrustedLaunch"}, "violated"),
            (
                "Standard_ND96isr_H100_v5",
                {"uefiSettings": {"secureBootEnabled": True}},
                "violated",
            ),
            ("Standard_ND96isr_H100_v5", UNKNOWN, "not-knowable"),
            ("Standard_ND96asr_v4", None, "not-applicable"),
            ("Standard_ND96isr_MI300X_v5", None, "not-knowable"),
            ("Standard_ND96isr_MI300X_v5", TRUSTED, "fine"),
        ],
    )
    def test_azure_has_it_where_the_size_has_trusted_launch(self, machine, security, outcome):
        judged = azure({"securityProfile": security}, machine)
        assert outcomes(judged, self.RULE) == [outcome]

    def test_nodes_of_aks_have_a_flag_of_their_own(self):
        for flag, outcome in ((True, "fine"), (None, "violated")):
            program = AzureProgram()
            made = program.add(
                "azure-native:containerservice:ManagedCluster",
                "k8s",
                agentPoolProfiles=[
                    {
                        "name": "gpu",
                        "count": 1,
                        "vmSize": "Standard_NC24ads_A100_v4",
                        **({"securityProfile": {"enableSecureBoot": flag}} if flag else {}),
                    }
                ],
            )
            assert made.urn
            assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]
