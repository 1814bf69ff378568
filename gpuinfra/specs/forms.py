"""The base of every mapping and every list of a stack file."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import no_info_before_validator_function

from gpuinfra.records import record
from gpuinfra.similar_words import nearest
from gpuinfra.specs.fields import KIND, JsonSchema, input_error, missing_error, noun
from gpuinfra.specs.unsupported_words import Words

Made = TypeVar("Made")


@record
class RequiredKeys:
    """The requirement that a mapping has at least one of `keys`, or `exactly_one` one.

    `lacks` is what a mapping without them has not, for example "no price"; `missing_message` is
    what its problem says where that is something else.
    """

    keys: tuple[str, ...]
    fix: str
    exactly_one: bool = False
    lacks: str = ""
    missing_message: str = ""

    def refusal(self, mapping: Mapping[str, Any]) -> PydanticCustomError | None:
        """Return the error of a mapping that doesn't meet the requirement, or None."""
        present = [key for key in self.keys if mapping.get(key) is not None]
        allowed = ", ".join(self.keys)
        if not present and self.lacks:
            return missing_error(self.lacks, allowed=allowed, fix=self.fix)
        if not present:
            return input_error(
                self.missing_message or f"requires one of {', '.join(self.keys)}",
                allowed=allowed,
                fix=self.fix,
            )
        if self.exactly_one and len(present) > 1:
            return input_error(
                f"has {' and '.join(present)}; only one is allowed",
                allowed=allowed,
                fix=self.fix,
            )
        return None

    def schema(self) -> JsonSchema:
        """Return the requirement as a JSON Schema."""
        return {
            "oneOf" if self.exactly_one else "anyOf": [{"required": [key]} for key in self.keys]
        }


def validate_mapping(
    raw_value: Any, validate: Callable[[Any], Made], needs: RequiredKeys | None
) -> Made:
    """Validate a mapping; report a missing required key together with the faults inside it.

    Raises:
        ValidationError: with every fault.
        PydanticCustomError: when the missing key is the only one.
    """
    missing_key = needs.refusal(raw_value) if needs and isinstance(raw_value, Mapping) else None
    try:
        validated = validate(raw_value)
    except ValidationError as error:
        if missing_key is None:
            raise
        faults = [
            InitErrorDetails(type=missing_key, loc=(), input=raw_value),
            *map(_reraisable_fault, error.errors()),
        ]
        raise ValidationError.from_exception_data(error.title, faults) from None
    if missing_key is not None:
        raise missing_key
    return validated


def _reraisable_fault(fault: Any) -> InitErrorDetails:
    """Return a fault unchanged, ready to be raised again."""
    context = fault.get("ctx", {})
    kind = (
        PydanticCustomError(KIND, "{message}", context) if fault["type"] == KIND else fault["type"]
    )
    return InitErrorDetails(type=kind, loc=fault["loc"], input=fault["input"], ctx=context)


class Form(BaseModel):
    """The base of every mapping of the file: frozen, without undeclared keys."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, protected_namespaces=()
    )
    unsupported_keys: ClassVar[Words] = {}
    """Keys that the grammar knows and this version does not build."""
    key_hints: ClassVar[Words] = {}
    """Keys that users try and the form lacks, each with the text of what to write instead."""
    key_synonyms: ClassVar[Words] = {}
    """Keys of other tools, each with the key of this form that means the same."""
    fields_without_key: ClassVar[frozenset[str]] = frozenset()
    """Fields that a user writes in another way than as a key."""
    filled_in_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields that a user may leave out, and that the reading of the file then fills in."""
    file_title: ClassVar[str] = "the file"
    """The name of this form in messages where it is a whole file."""
    short: ClassVar[str] = ""
    """What may be written in place of the mapping, in words, where the schema has a pattern."""
    example: ClassVar[str] = "`gpuinfra schema` lists the keys"
    """The location of an example of this file."""

    @classmethod
    def nearest_key(cls, wrong_key: str) -> str:
        """Return the accepted key closest to an unknown one; empty if none is close."""
        accepted_keys = (key for key in cls.model_fields if key not in cls.fields_without_key)
        return cls.key_synonyms.get(wrong_key) or nearest(wrong_key, accepted_keys)

    @classmethod
    def spelled_out(cls, raw_value: Any) -> Any:
        """Return the mapping that a short form stands for; anything else unchanged."""
        return raw_value

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, raw_value: Any) -> Any:
        return cls.spelled_out(raw_value)

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        """Return the JSON Schema of what a user may write, from that of the mapping."""
        refused_schemas = {
            key: {"not": {}, "description": f"Not supported yet: {instead}."}
            for key, instead in cls.unsupported_keys.items()
        }
        kept_properties = {
            key: schema
            for key, schema in mapping["properties"].items()
            if key not in cls.fields_without_key
        }
        unasked = cls.fields_without_key | cls.filled_in_fields
        required = [key for key in mapping.get("required", ()) if key not in unasked]
        user_schema = {
            key: value for key, value in mapping.items() if key not in ("title", "required")
        }
        return {
            **user_schema,
            "properties": {**kept_properties, **refused_schemas},
            **({"required": required} if required else {}),
        }

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchema:
        schema = handler(core)
        mapping = handler.resolve_ref_schema(schema)
        user_schema = cls._user_schema(dict(mapping))
        mapping.clear()
        mapping.update(user_schema)
        return schema


class RequiredKeyForm(Form):
    """A mapping that needs one of a few keys; a missing one is reported with its other faults."""

    needs: ClassVar[RequiredKeys]

    @model_validator(mode="wrap")
    @classmethod
    def _validate_needed_key(
        cls, raw_value: Any, validate: ModelWrapValidatorHandler[Self]
    ) -> Self:
        return validate_mapping(
            raw_value, validate, None if cls._misspells(raw_value) else cls.needs
        )

    @classmethod
    def _misspells(cls, raw_value: Any) -> bool:
        """Return whether an unknown key is a misspelt required key, the only fault then."""
        accepted_keys = (*cls.model_fields, *cls.unsupported_keys)
        unknown = (
            [key for key in raw_value if key not in accepted_keys]
            if isinstance(raw_value, Mapping)
            else ()
        )
        return any(
            any(f"{required_key}: " in cls.key_hints[key] for required_key in cls.needs.keys)
            if key in cls.key_hints
            else cls.nearest_key(str(key)) in cls.needs.keys
            for key in unknown
        )

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        return {**super()._user_schema(mapping), **cls.needs.schema()}


@dataclass(frozen=True, slots=True, eq=False)
class ListRule:
    """An annotation of a list: an example, and whether it may be empty or repeat entries.

    `single` is the JSON Schema of one entry that may stand for the list; `most` is how many
    entries it may have.
    """

    example: str
    empty: bool = True
    repeated: bool = True
    single: JsonSchema | None = None
    most: int | None = None

    def read(self, raw_value: Any) -> Any:
        """Return a list unchanged; refuse anything else, or a list that breaks the rules."""
        fix = f"write {self.example}"
        if not isinstance(raw_value, list | tuple):
            raise input_error(f"is {noun(raw_value)}, but must be a list", fix=fix)
        if not (raw_value or self.empty):
            raise input_error("is an empty list", allowed="at least one entry", fix=fix)
        if self.most is not None and len(raw_value) > self.most:
            raise input_error(
                f"has {len(raw_value):,} entries",
                allowed=f"at most {self.most:,} entries",
                fix="write fewer entries",
            )
        if not self.repeated:
            _refuse_duplicates(raw_value)
        return raw_value

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchema:
        schema = handler(core)
        if not self.empty:
            schema["minItems"] = 1
        if self.most is not None:
            schema["maxItems"] = self.most
        if not self.repeated:
            schema["uniqueItems"] = True
        return {"anyOf": [self.single, schema]} if self.single else schema


def _refuse_duplicates(items: Sequence[Any]) -> None:
    """Refuse every entry of a list that repeats an earlier one.

    Raises:
        ValidationError: at the places of those entries.
    """
    seen_values: set[Any] = set()
    faults: list[InitErrorDetails] = []
    for index, entry in enumerate(items):
        key = _hashable(entry)
        if key in seen_values:
            name = f" {entry!r}" if isinstance(entry, str) else ""
            kind = input_error(
                f"repeats an entry{name}", allowed="each entry once", fix="remove one of them"
            )
            faults.append(InitErrorDetails(type=kind, loc=(index,), input=entry))
        seen_values.add(key)
    if faults:
        raise ValidationError.from_exception_data("list", faults)


def _hashable(value: Any) -> Any:
    """Return a value in a form that compares like JSON: key order is ignored, true is not 1."""
    if isinstance(value, Mapping):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    return (isinstance(value, bool), value if isinstance(value, Hashable) else id(value))
