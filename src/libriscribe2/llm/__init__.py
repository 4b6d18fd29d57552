"""Talking to models: the client, its backends and what keeps a call from being lost.

What has to hold here:

- A key goes to its own provider only: the address of a server belongs to a model, never to the run.
- A reply that any fallback was paid for comes before a new request to the first model.
- A reply that a person has still to paste is no failure and leaves no record: no clock, circuit or
  attempt runs for it, and what does not need it goes on.
- Attempts are not retries: `think_with_retry(max_retries=3)` makes three requests in all;
  `llm.retries = 4` sends the same request up to five times.
- LiteLLM is imported by `litellm_library.py` alone, inside a function: `--help` must not pay for it.
"""
