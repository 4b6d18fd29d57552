"""All layers of parameter binding together."""

import logging
from copy import deepcopy
from typing import Any

import pytest
from tests.support.chain import capability, provides, scripted, step, text_of

from libriscribe2.errors import BudgetError
from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.models.tooling import Binding
from libriscribe2.research.resolver import HybridResolver
from libriscribe2.research.templates import Bound, Layers

WEATHER = capability("weather", lat="number", lon="number", unit="string?")
CONVERT = capability("convert", to="string", amount="number?")
TITLED = capability("save", title="string")


def layers_of(bound: Bound) -> dict[str, tuple[str, str]]:
    return {name: (one.layer, one.step) for name, one in bound.bindings.items()}


async def test_pb_12_results_are_merged_in_the_order_of_the_dependencies() -> None:
    model, backend = scripted()
    responses = {"s2": {"lon": 2.35}, "s1": {"lat": 48.85}}
    found = await HybridResolver(model).resolve_parameters(responses, WEATHER, "s3")
    assert found == {"lat": 48.85, "lon": 2.35}
    assert backend.calls == []


async def test_pb_12_a_result_that_is_no_json_is_skipped_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, _ = scripted()
    responses: dict[str, Any] = {"s1": "<html>", "s2": '{"lat": 1, "lon": 2}', "s3": [1]}
    found = await HybridResolver(model).resolve_parameters(responses, WEATHER, "s4")
    assert found == {"lat": 1.0, "lon": 2.0}
    assert "Failed to parse step response for parameter resolution: s1" in caplog.text


async def test_pb_12_names_on_which_steps_disagree_go_to_layer_2_labelled_by_step() -> None:
    model, backend = scripted(provides(title="A Night to Remember"))
    responses = {"s1": {"title": "A Night to Remember"}, "s2": {"title": "Titanic"}}
    bound = await HybridResolver(model).bind(step("s3", "save", "s1", "s2"), TITLED, responses)
    assert layers_of(bound) == {"title": ("micro_resolution", "s1, s2")}
    prompt = text_of(backend.calls[0])
    assert '"s1": {' in prompt
    assert '"s2": {' in prompt


async def test_pb_13_pb_14_all_wired_means_no_call_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, backend = scripted()
    with caplog.at_level(logging.DEBUG):
        bound = await HybridResolver(model).bind(
            step("s2", "weather", "s1"), WEATHER, {"s1": {"lat": 48.85, "LON": "2.35"}}
        )
    assert bound.parameters == {"lat": 48.85, "lon": 2.35}
    assert layers_of(bound) == {"lat": ("auto_wire", "s1"), "lon": ("auto_wire", "s1")}
    assert backend.calls == []
    assert "All parameters auto-wired successfully" in caplog.text
    assert "Auto-wiring result" in caplog.text


async def test_pb_15_an_optional_parameter_never_costs_a_call() -> None:
    model, backend = scripted()
    found = await HybridResolver(model).resolve_parameters(
        {"s1": {"lat": 1, "lon": 2}}, WEATHER, "s2"
    )
    assert found == {"lat": 1.0, "lon": 2.0}
    assert backend.calls == []


async def test_pb_16_a_required_parameter_without_a_value_costs_one_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, backend = scripted(provides(lat=48.85))
    with caplog.at_level(logging.INFO):
        found = await HybridResolver(model).resolve_parameters(
            {"s1": {"latitude": "48.85", "lon": 2.35}}, WEATHER, "s2"
        )
    assert found == {"lat": 48.85, "lon": 2.35}
    assert len(backend.calls) == 1
    assert "Using micro-resolution for unmapped parameters" in caplog.text


async def test_pb_23_a_wired_value_wins_over_the_models() -> None:
    model, _ = scripted(provides(lat=99.99, lon=2.35))
    found = await HybridResolver(model).resolve_parameters(
        {"s1": {"lat": 48.85, "longitude": 2.35}}, WEATHER, "s2"
    )
    assert found == {"lat": 48.85, "lon": 2.35}


@pytest.mark.parametrize(
    "failure",
    [BackendError("server", "down", status=400), BackendError("auth", "bad key", status=401)],
)
async def test_pb_24_a_failure_of_layer_2_leaves_what_was_wired(
    failure: BackendError, caplog: pytest.LogCaptureFixture
) -> None:
    model, _ = scripted(*[failure] * 9)
    model.client._session.sleep = _no_wait
    bound = await HybridResolver(model).bind(
        step("s2", "weather", "s1"), WEATHER, {"s1": {"lat": 48.85}}
    )
    assert bound.parameters == {"lat": 48.85}
    assert bound.missing == ["lon"]
    assert "Micro-resolution of s2 failed" in caplog.text


async def _no_wait(seconds: float) -> None:
    del seconds


async def test_pb_24_bad_json_and_no_call_leave_what_was_wired(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, _ = scripted('{"lon": 2.35,}', "no idea")
    bound = await HybridResolver(model).bind(
        step("s2", "weather", "s1"), WEATHER, {"s1": {"lat": 48.85}}
    )
    assert (bound.parameters, bound.missing) == ({"lat": 48.85}, ["lon"])
    assert "brought no parameters" in caplog.text
    assert "'lon'" in bound.problem
    assert "s1: lat" in bound.problem


async def test_a_budget_that_is_reached_stops_the_run_and_not_the_layer() -> None:
    def refuse(request: Request) -> Completion:
        raise BudgetError("the cap is reached")

    model, _ = scripted(refuse)
    with pytest.raises(BudgetError):
        await HybridResolver(model).bind(step("s2", "weather", "s1"), WEATHER, {"s1": {"a": 1}})


async def test_pb_25_without_layer_2_only_names_bind_and_nothing_is_asked() -> None:
    model, backend = scripted()
    resolver = HybridResolver(model, micro_resolution=False)
    source = {"s1": {"latitude": 48.85, "lon": 2.35, "country": "France"}}
    assert await resolver.resolve_parameters(source, WEATHER, "s2") == {"lon": 2.35}
    dangling = step("s2", "convert", "s1", to="{{s1.response.country.currency}}")
    bound = await resolver.bind(dangling, CONVERT, source)
    assert bound.unresolved == ["{{s1.response.country.currency}}"]
    assert backend.calls == []


async def test_pb_26_no_model_is_layer_2_switched_off() -> None:
    found = await HybridResolver(None).resolve_parameters(
        {"s1": {"lat": 48.85, "longitude": 2.35}}, WEATHER, "s2"
    )
    assert found == {"lat": 48.85}


async def test_pb_27_without_results_there_is_nothing_to_resolve() -> None:
    model, backend = scripted()
    assert await HybridResolver(model).resolve_parameters({}, WEATHER, "s1") is None
    bound = await HybridResolver(model).bind(step("s1", "weather"), WEATHER, {})
    assert bound.missing == ["lat", "lon"]
    assert backend.calls == []


async def test_pb_28_a_reference_that_leads_nowhere_is_resolved_by_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, backend = scripted(provides(amount=7))
    wanted = step(
        "s3", "convert", "s1", "s2", to="EUR", amount="{{s2.response.data.country.currency}}"
    )
    responses = {"s1": {"x": 1}, "s2": {"data": {"country": "France"}}}
    with caplog.at_level(logging.INFO):
        bound = await HybridResolver(model).bind(wanted, CONVERT, responses)
    assert bound.parameters == {"to": "EUR", "amount": 7.0}
    assert bound.bindings["amount"].layer == "semantic_fallback"
    assert "SEMANTIC FALLBACK: Attempting LLM resolution" in caplog.text
    prompt = text_of(backend.calls[0])
    assert "{{s2.response.data.country.currency}}" in prompt
    assert '"s1": {' in prompt
    assert "- amount (number)" in prompt


async def test_pb_28_a_required_one_goes_through_layer_2_and_then_the_fallback() -> None:
    model, backend = scripted(provides(to=None), provides(to="EUR"))
    wanted = step("s3", "convert", "s2", to="{{s2.response.data.country.currency}}")
    bound = await HybridResolver(model).bind(
        wanted, CONVERT, {"s2": {"data": {"country": "France"}}}
    )
    assert bound.parameters == {"to": "EUR"}
    assert len(backend.calls) == 2


async def test_pb_28_a_reference_inside_a_text_is_resolved_in_its_place() -> None:
    model, _ = scripted(provides(to="Paris"))
    wanted = step("s3", "convert", "s2", to="of {{s2.response.capital}}, {{s2.response.country}}")
    bound = await HybridResolver(model).bind(wanted, CONVERT, {"s2": {"country": "France"}})
    assert bound.parameters == {"to": "of Paris, France"}
    assert bound.problem == ""


async def test_pb_29_a_template_that_resolves_wins_over_a_name() -> None:
    model, _ = scripted()
    wanted = step("s3", "save", "s1", "s2", title="{{s2.response.book.title}}")
    responses = {"s1": {"title": "Wrong"}, "s2": {"book": {"title": "Right"}}}
    bound = await HybridResolver(model).bind(wanted, TITLED, responses)
    assert bound.parameters == {"title": "Right"}
    assert layers_of(bound) == {"title": ("template", "s2")}


async def test_pb_29_a_literal_is_never_overwritten_and_keeps_its_own_braces() -> None:
    model, _ = scripted()
    wanted = step("s2", "save", "s1", title="On {{ jinja }}")
    bound = await HybridResolver(model).bind(wanted, TITLED, {"s1": {"title": "Other"}})
    assert bound.bindings["title"] == Binding(
        parameter="title", value="On {{ jinja }}", layer="literal"
    )


async def test_pb_29_a_dangling_reference_is_wired_from_its_own_step_only() -> None:
    model, backend = scripted()
    wanted = step("s3", "save", "s1", "s2", title="{{s2.response.book.title}}")
    right = {"s1": {"title": "Wrong"}, "s2": {"title": "Right"}}
    bound = await HybridResolver(model).bind(wanted, TITLED, right)
    assert bound.parameters == {"title": "Right"}
    assert layers_of(bound) == {"title": ("auto_wire", "s2")}
    assert backend.calls == []


async def test_pb_31_pb_57_a_template_of_another_type_is_coerced_and_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, _ = scripted()
    wanted = step("s2", "weather", "s1", lat="{{s1.response.a}}", lon="2.35")
    with caplog.at_level(logging.DEBUG):
        bound = await HybridResolver(model).bind(wanted, WEATHER, {"s1": {"a": "48.85"}})
    assert bound.parameters == {"lat": 48.85, "lon": 2.35}
    assert "TYPE COERCION APPLIED: s2: ['lat']" in caplog.text
    assert "TYPE COERCION APPLIED: s2: ['lon']" in caplog.text


async def test_pb_31_a_list_or_object_for_a_text_becomes_its_json() -> None:
    model, _ = scripted()
    wanted = step("s2", "save", "s1", title="{{s1.response.book}}")
    bound = await HybridResolver(model).bind(wanted, TITLED, {"s1": {"book": {"code": "x"}}})
    assert bound.parameters == {"title": '{"code":"x"}'}


async def test_pb_34_a_reference_never_reaches_the_tool_even_for_an_optional_parameter() -> None:
    wanted = step("s2", "weather", "s1", lat=1, lon=2, unit="{{s1.response.units}}")
    bound = await HybridResolver(None).bind(wanted, WEATHER, {"s1": {"lat": 3}})
    assert "unresolved template {{s1.response.units}}" in bound.problem
    assert "available: s1: lat" in bound.problem
    assert "unit" not in bound.parameters


async def test_pb_34_a_value_of_the_wrong_kind_is_no_value() -> None:
    wanted = step("s2", "weather", "s1", lat="{{s1.response.a}}", lon=2)
    bound = await HybridResolver(None).bind(wanted, WEATHER, {"s1": {"a": "N/A"}})
    assert bound.unresolved == ["{{s1.response.a}}"]
    assert bound.missing == ["lat"]


async def test_pb_70_binding_leaves_step_and_results_as_they_are() -> None:
    model, _ = scripted()
    wanted = step("s2", "tag", "s1", tags=["{{s1.response.a}}"])
    responses = {"s1": {"a": "x", "more": {"deep": [1]}}}
    before = (wanted.model_dump_json(), deepcopy(responses))
    tag = capability("tag", tags="array", more="object")
    bound = await HybridResolver(model).bind(wanted, tag, responses)
    bound.parameters["tags"].append("changed")
    bound.parameters["more"]["deep"].append(2)
    assert (wanted.model_dump_json(), responses) == before


@pytest.mark.parametrize("templates", [True, False])
@pytest.mark.parametrize("auto_wiring", [True, False])
@pytest.mark.parametrize("micro", [True, False])
async def test_pb_72_each_layer_is_switched_off_on_its_own(
    *, templates: bool, auto_wiring: bool, micro: bool
) -> None:
    tool = capability("t", a="string", b="string", c="string")
    model, backend = scripted(lambda request: provides(**dict.fromkeys("abc", "model")))
    layers = Layers(templates, auto_wiring, micro, semantic_fallback=False)
    wanted = step("s2", "t", "s1", a="{{s1.response.x}}")
    bound = await HybridResolver(model, layers=layers).bind(
        wanted, tool, {"s1": {"x": "template", "b": "wired"}}
    )
    expected = {"a": "template"} if templates else {}
    expected |= {"b": "wired"} if auto_wiring else {}
    if micro:
        expected = {**dict.fromkeys("abc", "model"), **expected}
    assert bound.parameters == expected
    assert len(backend.calls) == int(micro)


async def test_pb_72_the_fallback_is_switched_off_on_its_own() -> None:
    model, backend = scripted()
    resolver = HybridResolver(model, layers=Layers(semantic_fallback=False))
    wanted = step("s2", "convert", "s1", to="x {{s1.response.nope}}")
    bound = await resolver.bind(wanted, CONVERT, {"s1": {"a": 1}})
    assert bound.unresolved == ["{{s1.response.nope}}"]
    assert backend.calls == []


async def test_pb_62_a_missing_key_switches_the_model_off_with_one_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model, backend = scripted(BackendError("auth", "no key", status=401))
    resolver = HybridResolver(model)
    for _ in range(3):
        bound = await resolver.bind(step("s2", "weather", "s1"), WEATHER, {"s1": {"lat": 1}})
        assert bound.missing == ["lon"]
    assert len(backend.calls) == 1
    assert caplog.text.count("go on without a model") == 1
