"""A serverless endpoint of SageMaker has no machine that it pays for; any other has."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

CONFIG = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
ENDPOINT = "aws:sagemaker/endpoint:Endpoint"
SMALL = {"maxConcurrency": 1, "memorySizeInMb": 2048}
BY_USE = {"variantName": "a", "modelName": "m", "serverlessConfig": SMALL}
KEPT = {**BY_USE, "serverlessConfig": {**SMALL, "provisionedConcurrency": 5}}
MACHINES = {"variantName": "b", "modelName": "m", "instanceType": "ml.p5.48xlarge"}


def refused(program, moment="created"):
    rows = observe(program.resources(moment)).not_judged
    return [row.type for row in rows if row.may_start_machines]


@both
@pytest.mark.parametrize(
    ("variants", "by_use"),
    [
        ({"productionVariants": [BY_USE]}, True),
        ({"productionVariants": [KEPT]}, False),
        ({"productionVariants": [MACHINES]}, False),
        ({"productionVariants": [BY_USE, MACHINES]}, False),
        ({"productionVariants": [BY_USE], "shadowProductionVariants": [MACHINES]}, False),
        ({"productionVariants": [{**BY_USE, "serverlessConfig": UNKNOWN}]}, False),
        ({"productionVariants": UNKNOWN}, False),
        ({}, False),
    ],
)
def test_an_endpoint_is_as_its_configuration_is(variants, by_use, moment):
    program = Program()
    config = program.add(CONFIG, "c", **variants)
    program.add(ENDPOINT, "e", endpointConfigName=config.out("name"))

    assert refused(program, moment) == ([] if by_use else [CONFIG, ENDPOINT])


def test_an_endpoint_of_another_stack_s_configuration_may_have_machines():
    program = Program()
    program.add(CONFIG, "c", name="own", productionVariants=[BY_USE])
    program.add(ENDPOINT, "e", endpointConfigName="of-another")

    assert refused(program) == [ENDPOINT]
