"""The document and the schema that are derived from a type, compared with ones that are written here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from bounds.documents import (
    INLINE,
    INTERNAL,
    OPTIONAL,
    Document,
    Probability,
    Text,
    key,
    limits,
    named,
    one_of,
    schema_of,
    to_data,
)


class Wheel(TypedDict):
    """A wheel.

    Parameters
    ----------
    size : int
        In centimetres.
    """

    size: int
    brand: NotRequired[Annotated[str, limits(description="Who made it.")]]


class Prices(TypedDict):
    """What it costs."""

    new: float


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What drives it."""

    fuel: Literal["petrol", "none"] | None


@dataclass(frozen=True, kw_only=True)
class Car(Document):
    """A car.

    Parameters
    ----------
    owner : str or None
        None if nobody owns it.
    engine : Engine
        What drives it.
    wheels : tuple of Wheel
    doors : int
    """

    owner: Text | None
    engine: Engine = field(metadata=INLINE)
    wheels: Annotated[tuple[Wheel, ...], limits(minItems=1)]
    doors: int = field(default=5, metadata=OPTIONAL)
    notes: Mapping[Literal["a", "b"], Any] = field(default_factory=dict, metadata=INTERNAL)
    worn: Probability = field(default=0.0, metadata=named("wear"))
    towed: Car | None = None
    colour: Annotated[str, one_of(("red", "blue"))] | None = None
    prices: Annotated[dict[str, float], Prices] = field(default_factory=dict, metadata=OPTIONAL)
    span: tuple[float, float] = (0.0, 1.0)

    @key
    def wheel_count(self) -> int:
        """How many wheels it has.

        Not counting the spare wheel.
        """
        return len(self.wheels)


@dataclass(frozen=True, kw_only=True)
class Parked:
    """A car at a place."""

    car: Car

    def document(self) -> Wheel:
        return self.car.wheels[0]


CAR = Car(owner=None, engine=Engine(fuel="none"), wheels=({"size": 40},), worn=np.float64(0.25))
SCHEMA = schema_of(Car, "car")


class TestDocument:
    def test_of_a_result(self) -> None:
        expected = {
            "owner": None,
            "fuel": "none",
            "wheels": [{"size": 40}],
            "wear": 0.25,
            "towed": None,
            "colour": None,
            "span": [0.0, 1.0],
            "wheel_count": 1,
        }
        assert CAR.to_data() == expected
        assert list(CAR.to_data()) == list(expected)
        assert json.loads(json.dumps(CAR.to_data())) == expected

    def test_keeps_an_optional_key_that_is_not_the_default(self) -> None:
        assert to_data(Car(owner="A", engine=Engine(fuel=None), wheels=(), doors=3))["doors"] == 3

    def test_of_what_is_another_thing_than_its_document(self) -> None:
        assert to_data([Parked(car=CAR)]) == [{"size": 40}]

    def test_of_arrays_and_numbers_of_numpy(self) -> None:
        data = to_data({"a": np.array([[1, 2]]), "b": np.int64(3), "c": np.bool_(True)})
        assert json.dumps(data) == '{"a": [[1, 2]], "b": 3, "c": true}'


class TestSchema:
    def test_states_type_range_and_meaning(self) -> None:
        properties = SCHEMA["properties"]
        assert properties["owner"] == {
            "type": ["string", "null"],
            "minLength": 1,
            "description": "null if nobody owns it.",
        }
        assert properties["fuel"] == {"enum": ["petrol", "none", None]}
        assert properties["wheels"] == {"type": "array", "items": {"$ref": "#/$defs/Wheel"}, "minItems": 1}
        assert properties["wear"] == {"type": "number", "minimum": 0, "maximum": 1}
        assert properties["wheel_count"] == {"type": "integer", "description": "How many wheels it has."}
        assert properties["span"] == {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        assert SCHEMA["$defs"]["Wheel"]["properties"]["size"]["description"] == "In centimetres."
        assert (SCHEMA["title"], SCHEMA["description"]) == ("car", "A car.")

    def test_is_a_schema_that_accepts_the_document(self) -> None:
        Draft202012Validator.check_schema(SCHEMA)
        towing = Car(
            owner="A",
            engine=Engine(fuel=None),
            wheels=({"size": 1, "brand": "B"},),
            doors=3,
            towed=CAR,
            colour="red",
            prices={"new": 1.0},
        )
        for car in (CAR, towing):
            assert Draft202012Validator(SCHEMA).is_valid(to_data(car))

    @pytest.mark.for_each(
        "changes",
        [
            {"owner": ""},
            {"fuel": "coal"},
            {"wheels": []},
            {"wheels": [{"size": 4.5}]},
            {"wheels": [{}]},
            {"wear": 1.5},
            {"towed": {"owner": None}},
            {"span": [0.0]},
            {"doors": None},
            {"notes": {}},
            {"colour": "green"},
            {"prices": {"used": 1.0}},
        ],
    )
    def test_refuses_another_document(self, changes: dict[str, Any]) -> None:
        assert not Draft202012Validator(SCHEMA).is_valid(CAR.to_data() | changes)

    def test_requires_every_key_that_is_not_optional(self) -> None:
        for name in CAR.to_data():
            rest = {other: value for other, value in CAR.to_data().items() if other != name}
            assert not Draft202012Validator(SCHEMA).is_valid(rest), name

    def test_restricts_the_keys_of_a_mapping(self) -> None:
        schema = Draft202012Validator(schema_of(Mapping[Literal["a"], int], "counts"))
        assert schema.is_valid({"a": 1})
        assert not schema.is_valid({"b": 1})
        assert not schema.is_valid({"a": "1"})
