"""Model servers on this machine: only a list of models that parses counts."""

from typing import Any

import pytest
from tests.support.openai_server import OpenAIServer

from libriscribe2.llm.default_model import (
    PROBES,
    Probe,
    find_local_servers,
    model_names,
    ollama_probe,
)

PLAIN = Probe("plain", "http://127.0.0.1:1")


async def test_servers_that_answer_are_found_in_the_order_of_the_probes() -> None:
    with (
        OpenAIServer(models=["qwen3:8b", "nomic-embed-text"]) as ollama,
        OpenAIServer(models=["phi-5"]) as other,
    ):
        probes = (Probe("llama.cpp", other.root), PLAIN, ollama_probe(ollama.root))
        found = await find_local_servers(probes, seconds=2)
    assert [server.name for server in found] == ["llama.cpp", "Ollama"]
    assert found[0].url == other.url
    assert found[0].models == ("openai/phi-5",)
    assert found[1].url == ollama.root
    assert found[1].models == ("ollama_chat/qwen3:8b",)


async def test_a_server_that_lists_nothing_does_not_count() -> None:
    with OpenAIServer(models=[]) as server:
        assert await find_local_servers((Probe("x", server.root),), seconds=2) == ()


async def test_a_page_that_is_no_list_does_not_count() -> None:
    with OpenAIServer() as server:
        absent = Probe("x", server.root, "/nowhere")
        other_form = Probe("x", server.root, "/v1/models", rows="models")
        assert await find_local_servers((absent, other_form), seconds=2) == ()


async def test_an_endless_list_does_not_count() -> None:
    with OpenAIServer(models=["m" * 1_100_000]) as server:
        assert await find_local_servers((Probe("x", server.root),), seconds=2) == ()


@pytest.mark.parametrize(
    "listed",
    [
        None,
        [],
        {},
        {"data": None},
        {"data": ["x"]},
        {"data": [{"id": 3}, {"id": ""}, {"no": "id"}]},
    ],
)
def test_other_shapes_hold_no_names(listed: Any) -> None:
    assert model_names(listed, PLAIN) == ()


@pytest.mark.parametrize(
    "name", ["nomic-embed-text", "BAAI/bge-m3", "whisper-large", "kokoro-tts", "qwen3-reranker"]
)
def test_models_that_do_not_converse_are_left_out(name: str) -> None:
    assert model_names({"data": [{"id": name}]}, PLAIN) == ()


def test_only_this_machine_is_ever_asked() -> None:
    assert all(probe.root.startswith("http://127.0.0.1:") for probe in PROBES)
    ports = [11434, 8080, 1234, 8000, 1337, 5001]
    assert [int(probe.root.rpartition(":")[2]) for probe in PROBES] == ports
