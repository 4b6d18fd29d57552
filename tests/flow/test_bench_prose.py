"""`python -m bench.prose`: five ways to one premise, blind pairs, votes, against a server of ours."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench import prose
from tests.support.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]


@pytest.mark.soak
def test_the_whole_bench_runs_from_premises_to_a_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{ROOT}")
        run = [sys.executable, "-m", "bench.prose"]
        model = ("--model", "openai/test-model", "--premises", "1", "--yes")
        made = subprocess.run(
            [*run, "write", "bench", *model],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        assert "1 premises, 5 ways, 6 chapters of 1,500 words" in made.stdout
        pairs = json.loads((tmp_path / "bench" / "pairs.json").read_text())
        assert len(pairs) == 10 * 3
        page = (tmp_path / "bench" / "vote.html").read_text()
        assert page.count("<section>") == 30
        assert not [way for way in prose.WAYS if way in page]
        asked = len(server.requests)
        subprocess.run([*run, "write", "bench", *model], cwd=tmp_path, check=True)
        assert len(server.requests) == asked
        subprocess.run(
            [*run, "judge", "bench", "--judge", "openai/test-model"], cwd=tmp_path, check=True
        )
        told = subprocess.run(
            [*run, "votes", "bench"], cwd=tmp_path, check=True, capture_output=True, text=True
        )
    assert "No difference shown" in told.stdout


def test_who_wins_more_is_stronger_and_who_never_played_is_the_mean() -> None:
    ways = ("a", "b", "c")
    found = prose.strengths([(1, "a", "b")] * 8 + [(1, "b", "a")] * 2, ways)
    assert found["a"] > found["c"] > found["b"]
    assert prose.strengths([], ways) == pytest.approx(dict.fromkeys(ways, 1.0))
