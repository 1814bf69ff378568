"""JSON Schemas (draft 2020-12) of files, made from the grammars that read them."""

from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Stack

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TITLE: Final = "gpuinfra stack file"


def schema(root: type[Form] = Stack, title: str = TITLE) -> dict[str, Any]:
    """The whole schema; what it accepts the reader calls structurally sound, and the reverse.

    What it can't say (a bucket that is not declared, a range that ends below its start, a size
    beyond bounds, an unknown GPU) is told by `gpuinfra check`.
    """
    made = root.model_json_schema(schema_generator=_Generator)
    return {"$schema": DIALECT, **made, "title": title}


class _Generator(GenerateJsonSchema):
    """Says what a user may write: no null, no defaults of parsed values, names by pattern."""

    schema_dialect = DIALECT

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """An optional key is left out; it is never null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """The value alone: its default is a parsed value, and the description tells it."""
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """A mapping of names to values."""
        return {
            "type": "object",
            "propertyNames": self.generate_inner(schema["keys_schema"]),  # pyright: ignore[reportTypedDictNotRequiredAccess]
            "additionalProperties": self.generate_inner(schema["values_schema"]),  # pyright: ignore[reportTypedDictNotRequiredAccess]
        }

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """No titles: an editor shows the key and its description."""
        return False
