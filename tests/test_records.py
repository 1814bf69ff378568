"""Records are frozen dataclasses in all that a caller sees."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from typing import Any

import pytest

from gpuinfra.records import names, record


@record
class Machine:
    type: str
    set: dict[str, int] = field(default_factory=dict)
    gpus: int = 8

    @property
    def label(self) -> str:
        return f"{self.gpus} × {self.type}"


@record
class Node(Machine):
    zone: str = ""


@record(kw_only=False)
class Point:
    x: int
    y: int = 2


@record
class Own:
    value: int

    def __repr__(self) -> str:
        return "mine"


@record
class Empty:
    pass


def test_fields_defaults_and_methods_are_as_written() -> None:
    machine, other = Machine(type="p5"), Machine(type="p5")

    assert (machine.type, machine.set, machine.gpus, machine.label) == ("p5", {}, 8, "8 × p5")
    assert machine.set is not other.set
    assert Point(1) == Point(1, 2) == Point(x=1, y=2)
    assert Empty() == Empty()
    assert Node(type="p5", zone="a").zone == "a"
    assert names(Node) == {"type", "set", "gpus", "zone"}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (Machine, "type"),
        (lambda: Machine("p5"), "positional"),  # type: ignore[misc]
        (lambda: Machine(type="p5", zone="a"), "zone"),  # type: ignore[call-arg]
        (Point, "x"),
    ],
)
def test_wrong_arguments_are_refused_by_name(made: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        made()


def test_a_record_does_not_change() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises((AttributeError, FrozenInstanceError)):
        point.z = 2  # type: ignore[attr-defined]


def test_equality_is_by_class_and_by_value() -> None:
    assert Machine(type="p5") != Node(type="p5")
    assert Machine(type="p5") != "p5"
    assert Point(1) != Point(2)
    assert hash(Point(1)) == hash(Point(1))
    assert len({Point(1), Point(1, 2), Point(2)}) == 2


def test_it_is_a_dataclass_that_can_be_copied_and_stored() -> None:
    node = Node(type="p5", set={"a": 1}, zone="b")

    assert is_dataclass(node)
    assert [part.name for part in fields(node)] == ["type", "set", "gpus", "zone"]
    assert replace(node, gpus=4) == Node(type="p5", set={"a": 1}, gpus=4, zone="b")
    assert asdict(node) == {"type": "p5", "set": {"a": 1}, "gpus": 8, "zone": "b"}
    assert pickle.loads(pickle.dumps(node)) == copy.deepcopy(node) == copy.copy(node) == node  # noqa: S301


def test_it_shows_its_fields_unless_it_says_otherwise() -> None:
    assert repr(Point(1)) == "Point(x=1, y=2)"
    assert repr(Own(value=1)) == "mine"
