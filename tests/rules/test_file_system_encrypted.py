"""Encryption of file systems at rest."""

import pytest

from gpuinfra.model import UNKNOWN, FileSystem
from tests.rules.cases.judging import outcomes, plan
from tests.rules.cases.verdicts import verdicts


class TestFileSystems:
    RULE = "file-system-encrypted"

    @pytest.mark.parametrize(
        ("encrypted", "outcome", "words"),
        [
            (True, "fine", "encrypted at rest"),
            (False, "violated", "it is not declared as encrypted, and can't be encrypted later"),
            (UNKNOWN, "not-knowable", "its encryption at rest is unknown"),
        ],
    )
    def test_each_is_encrypted(self, encrypted, outcome, words):
        files = FileSystem(
            name="home", subject="urn", cloud="aws", kind="efs", region=None, encrypted=encrypted
        )
        assert verdicts(plan(file_systems=(files,)), self.RULE) == [(outcome, words)]

    def test_without_one_nothing_is_asked(self):
        assert outcomes(plan(), self.RULE) == ["not-applicable"]
