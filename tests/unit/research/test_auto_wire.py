"""Layer 1: parameters found by their names."""

import logging
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.chain import needs

import libriscribe2.research
from libriscribe2.research.wiring import SEMANTIC_ALIASES, AutoWirer

PLACE = needs(lat="number", lon="number")


def wire(source: dict[str, Any], **parameters: str) -> tuple[dict[str, Any], list[str]]:
    return AutoWirer().auto_wire_parameters(source, needs(**parameters))


def test_pb_01_there_are_no_aliases() -> None:
    assert SEMANTIC_ALIASES == {}
    assert wire({"latitude": 48.85}, lat="number") == ({}, ["lat"])


def test_pb_01_the_resolver_knows_no_domain() -> None:
    folder = Path(libriscribe2.research.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("wiring.py"))
    code += (folder / "resolver.py").read_text(encoding="utf-8")
    assert not re.search(r"latitude|longitude|lng|currency|country|author|isbn", code)


def test_pb_02_an_exact_name_is_wired() -> None:
    found = AutoWirer().auto_wire_parameters({"lat": 48.85, "lon": 2.35}, PLACE)
    assert found == ({"lat": 48.85, "lon": 2.35}, [])


def test_pb_03_another_case_is_wired_under_the_parameters_own_spelling() -> None:
    found = AutoWirer().auto_wire_parameters({"LAT": 48.85, "LON": 2.35}, PLACE)
    assert found == ({"lat": 48.85, "lon": 2.35}, [])


def test_pb_03_the_exact_name_beats_another_case_in_any_order() -> None:
    assert wire({"LAT": 1, "lat": 2}, lat="number")[0] == {"lat": 2.0}
    assert wire({"lat": 2, "LAT": 1}, lat="number")[0] == {"lat": 2.0}


def test_pb_03_spellings_that_differ_are_ambiguous() -> None:
    assert wire({"LAT": 1, "Lat": 2}, lat="number") == ({}, ["lat"])
    assert wire({"LAT": 1, "Lat": 1}, lat="number") == ({"lat": 1.0}, [])


def test_pb_04_the_text_of_an_object_is_taken_where_a_text_is_wanted() -> None:
    source = {"currency": {"code": "EUR", "name": "Euro"}}
    assert wire(source, currency="string") == ({"currency": "EUR"}, [])
    assert wire(source, currency="object") == (source, [])
    assert wire({"currency": {"code": 978, "name": "Euro"}}, currency="string")[0] == {
        "currency": "Euro"
    }
    assert wire({"currency": {"symbol": "E"}}, currency="string") == ({}, ["currency"])


def test_pb_05_a_number_in_a_text_becomes_a_number() -> None:
    values, _ = wire({"lat": "48.85"}, lat="number")
    assert values == {"lat": 48.85}
    assert isinstance(values["lat"], float)


def test_pb_08_a_value_that_does_not_fit_leaves_its_parameter_unmapped() -> None:
    assert wire({"year": "N/A"}, year="integer") == ({}, ["year"])
    assert wire({"on": "yes"}, on="boolean") == ({}, ["on"])
    assert wire({"year": None}, year="integer") == ({}, ["year"])


def test_pb_09_another_word_for_the_same_thing_is_never_taken() -> None:
    source = {"latitude": "48.85", "longitude": "2.35"}
    assert AutoWirer().auto_wire_parameters(source, PLACE) == ({}, ["lat", "lon"])


def test_pb_10_the_names_without_a_value_come_in_the_parameters_order() -> None:
    found = wire({"b": "x"}, z="string", b="string", a="string?")
    assert found == ({"b": "x"}, ["z", "a"])


@pytest.mark.parametrize("wrapper", ["data", "response"])
def test_pb_11_a_tools_envelope_is_opened(wrapper: str) -> None:
    source = {"success": True, wrapper: {"lat": 48.85}}
    assert wire(source, lat="number") == ({"lat": 48.85}, [])


def test_pb_11_the_envelopes_own_key_comes_first_and_other_objects_stay_closed() -> None:
    assert wire({"lat": 1, "data": {"lat": 2}}, lat="number")[0] == {"lat": 1.0}
    assert wire({"place": {"lat": 2}}, lat="number") == ({}, ["lat"])


def test_pb_12_steps_that_disagree_make_a_name_ambiguous() -> None:
    sources = {"s1": {"title": "A", "year": 1912}, "s2": {"title": "B", "year": 1912}}
    wiring = AutoWirer().wire(sources, needs(title="string", year="integer"))
    assert (wiring.values, wiring.unmapped) == ({"year": 1912}, ["title"])
    assert wiring.steps == {"year": "s1"}


def test_pb_12_a_truth_value_and_a_number_disagree() -> None:
    sources: dict[str, dict[str, Any]] = {"s1": {"x": True}, "s2": {"x": 1}}
    assert AutoWirer().wire(sources, needs(x="any")).unmapped == ["x"]


def test_pb_14_the_result_is_logged_with_names_and_without_values(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        wire({"lat": 48.85, "secret": "hush"}, lat="number", lon="number")
    assert "Auto-wiring result: 1 wired (lat), unmapped ['lon']" in caplog.text
    assert "secret" in caplog.text
    assert "hush" not in caplog.text
