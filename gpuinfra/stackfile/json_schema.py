"""JSON Schemas (draft 2020-12) of files, generated from the grammars that read them."""

from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Stack

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TITLE: Final = "gpuinfra stack file"


def schema(root: type[Form] = Stack, title: str = TITLE) -> dict[str, Any]:
    """Return the whole schema; it accepts exactly the files that are structurally sound.

    What it can't say (a bucket that is not declared, a range that ends below its start, a size
    beyond bounds, an unknown GPU) is told by `gpuinfra check`.
    """
    generated = root.model_json_schema(schema_generator=_Generator)
    return {"$schema": DIALECT, **generated, "title": title}


class _Generator(GenerateJsonSchema):
    """A generator for what a user may write: no null, no parsed defaults, names by pattern."""

    schema_dialect = DIALECT

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Return the inner schema, since an optional key is left out and never null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Return the schema without the default, which is a parsed value."""
        return self.generate_inner(schema["schema"])

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Return the schema of a mapping of names to values."""
        return {
            "type": "object",
            "propertyNames": self.generate_inner(schema["keys_schema"]),  # pyright: ignore[reportTypedDictNotRequiredAccess]
            "additionalProperties": self.generate_inner(schema["values_schema"]),  # pyright: ignore[reportTypedDictNotRequiredAccess]
        }

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """Return False, since an editor shows the key and its description, not a title."""
        return False
