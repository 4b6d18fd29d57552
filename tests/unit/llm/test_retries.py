"""The same request again: which failures, after which waits, and what is said when it ends."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.errors import (
    ContentFilteredError,
    IncompleteError,
    LibriScribeError,
    ModelError,
    ProviderError,
)
from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.fallbacks import explain
from libriscribe2.llm.limits.retries import (
    TRANSIENT_KINDS,
    Retries,
    RetryPolicy,
    Wait,
    pause_before_retry,
)

FINAL_KINDS = ("auth", "quota", "not_found", "bad_request", "context", "filtered")


class Sender:
    """Fails with each error in turn, then answers."""

    def __init__(self, *errors: BackendError) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def run(send: Sender, *, policy: RetryPolicy | None = None) -> tuple[str, list[Wait]]:
    """Send until an answer comes or a failure is final; the answer, and the waits between."""
    retries = Retries(policy if policy is not None else RetryPolicy(), random.Random(7))  # noqa: S311 - jitter
    waits: list[Wait] = []
    while True:
        try:
            return send(), waits
        except BackendError as error:
            wait = retries.wait_after(error)
            if wait is None:
                raise
            waits.append(wait)


def test_a_success_waits_for_nothing() -> None:
    assert run(Sender()) == ("answer", [])


@pytest.mark.parametrize("kind", sorted(TRANSIENT_KINDS))
def test_TR_25_transient_failures_are_sent_again(kind: str) -> None:
    sender = Sender(BackendError(kind, "no"), BackendError(kind, "no"))
    answer, waits = run(sender)
    assert (answer, sender.calls, len(waits)) == ("answer", 3, 2)


@pytest.mark.parametrize("kind", FINAL_KINDS)
def test_TR_25_final_failures_are_raised_at_once(kind: str) -> None:
    sender = Sender(BackendError(kind, "no"))
    with pytest.raises(BackendError):
        run(sender)
    assert sender.calls == 1


def test_the_policy_counts_all_requests_and_the_last_failure_is_raised_unchanged() -> None:
    errors = [BackendError("server", f"failure {number}") for number in range(1, 6)]
    sender = Sender(*errors)
    with pytest.raises(BackendError, match="failure 3") as raised:
        run(sender, policy=RetryPolicy(attempts=3))
    assert sender.calls == 3
    assert raised.value is errors[2]


def test_a_retry_after_is_slept_in_full_and_told() -> None:
    sender = Sender(BackendError("rate", "slow down", status=429, retry_after=90.0))
    _, waits = run(sender)
    assert waits == [Wait(90.0, "rate", 1, "slow down")]


def test_a_retry_after_beyond_the_cap_ends_the_run() -> None:
    sender = Sender(BackendError("rate", "tomorrow", retry_after=601.0))
    with pytest.raises(BackendError, match="tomorrow"):
        run(sender)
    assert sender.calls == 1


def order(seconds: float) -> BackendError:
    """A 429 that says when to come back."""
    return BackendError("rate", "slow down", status=429, retry_after=seconds)


def test_bar_15_orders_to_wait_are_obeyed_and_not_counted_as_failures() -> None:
    sender = Sender(*[order(2.0)] * 40, BackendError("server", "no"))
    answer, waits = run(sender, policy=RetryPolicy(attempts=2))
    assert (answer, sender.calls) == ("answer", 42)
    assert [wait.seconds for wait in waits[:40]] == [2.0] * 40


def test_bar_15_orders_that_add_up_to_too_long_a_wait_end_the_run() -> None:
    sender = Sender(*[order(250.0)] * 9)
    with pytest.raises(BackendError, match="slow down"):
        run(sender)
    assert sender.calls == 3


def test_bar_15_orders_to_come_back_at_once_come_to_an_end_too() -> None:
    sender = Sender(*[order(0.0)] * 2_000)
    with pytest.raises(BackendError, match="slow down"):
        run(sender)
    assert sender.calls == 5, "no time is named, so each is a failure"
    sender = Sender(*[order(0.01)] * 2_000)
    with pytest.raises(BackendError, match="slow down"):
        run(sender)
    assert sender.calls <= 601


def test_a_policy_of_one_request_sends_one() -> None:
    sender = Sender(order(1.0))
    with pytest.raises(BackendError):
        run(sender, policy=RetryPolicy(attempts=1))
    assert sender.calls == 1


@given(
    attempt=st.integers(1, 5_000),
    asked=st.none() | st.floats(0, 600),
    seed=st.integers(0, 99),
)
def test_waits_are_bounded_by_the_cap_or_by_what_was_asked(
    attempt: int, asked: float | None, seed: int
) -> None:
    policy = RetryPolicy(attempts=10_000)
    error = BackendError("server", "no", retry_after=asked)
    seconds = pause_before_retry(error, attempt, policy=policy, rng=random.Random(seed))  # noqa: S311
    assert seconds is not None
    floor = asked if asked is not None else 0.0
    ceiling = min(policy.cap_seconds, policy.base_seconds * 2.0 ** min(attempt - 1, 62))
    assert floor <= seconds <= max(floor, ceiling)


def test_the_first_wait_is_at_most_the_base() -> None:
    error = BackendError("server", "no")
    rng = random.Random(1)  # noqa: S311
    waits = [pause_before_retry(error, 1, policy=RetryPolicy(), rng=rng) for _ in range(200)]
    assert max(wait for wait in waits if wait is not None) <= 1.0
    assert len(set(waits)) > 100


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"base_seconds": -1.0}, {"retry_after_cap_seconds": -0.1}]
)
def test_an_impossible_policy_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        RetryPolicy(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "branch", "exit_code"),
    [
        ("auth", ModelError, 4),
        ("not_found", ModelError, 4),
        ("filtered", ContentFilteredError, 5),
        ("context", IncompleteError, 5),
        ("quota", ProviderError, 7),
        ("rate", ProviderError, 7),
        ("timeout", ProviderError, 7),
        ("connection", ProviderError, 7),
        ("server", ProviderError, 7),
        ("cut", ProviderError, 7),
        ("malformed", ProviderError, 7),
        ("bad_request", ProviderError, 7),
    ],
)
def test_OV_43_every_kind_has_its_branch_and_a_way_on(
    kind: str, branch: type[LibriScribeError], exit_code: int
) -> None:
    told = explain(BackendError(kind, "what they said"), "openai/gpt-5.4-mini")
    assert isinstance(told, branch)
    assert told.exit_code == exit_code
    assert "gpt-5.4-mini" in told.what
    assert told.why == "what they said"
    assert told.fix


def test_a_model_that_a_server_of_ones_own_lacks_names_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000")
    told = explain(BackendError("not_found", "404"), "openai/my-model")
    assert (
        told.what
        == "The server at http://127.0.0.1:8000 does not serve the model 'openai/my-model'"
    )
    assert "whether /v1 is missing" in told.fix


def test_a_refused_key_names_the_variable_and_the_way_without() -> None:
    told = explain(BackendError("auth", "no", status=401), "anthropic/claude-sonnet-5")
    assert "ANTHROPIC_API_KEY" in told.fix
    assert "--model demo" in told.fix


def test_a_refused_key_of_an_unknown_provider_still_has_a_fix() -> None:
    assert "--model demo" in explain(BackendError("auth", "no"), "somebody/else").fix


def test_a_provider_failure_tells_the_status_and_the_wait() -> None:
    told = explain(BackendError("rate", "no", status=429, retry_after=3600.0), "openai/x")
    assert "429" in told.what
    assert "3600 seconds" in told.fix
    assert "resume" in told.fix


def test_a_wait_that_no_clock_shows_is_not_told() -> None:
    told = explain(BackendError("rate", "no", status=429, retry_after=1e308), "openai/x")
    assert told.fix == "run `libriscribe2 resume` later; nothing that was paid for is lost"
