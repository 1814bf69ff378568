"""The schemas of the files that a report is written to: JUnit's and SARIF's."""

import json
from pathlib import Path

import jsonschema
import xmlschema

FIXTURES = Path(__file__).parent / "fixtures"
JUNIT = xmlschema.XMLSchema(str(FIXTURES / "junit-10.xsd"))
SARIF = jsonschema.Draft7Validator(
    json.loads((FIXTURES / "sarif-schema-2.1.0.json").read_text()),
    format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER,
)
