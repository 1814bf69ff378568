"""The form of answers whose keys are in camel case."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class CamelCaseModel(BaseModel):
    """A part of an answer, whose fields are the keys in snake case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
