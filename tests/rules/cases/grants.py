"""A policy of AWS that allows, and the moments at which a program is judged."""

import json
from typing import Any

import pytest

both = pytest.mark.parametrize("moment", ["preview", "created"])


def document(**statement: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})
