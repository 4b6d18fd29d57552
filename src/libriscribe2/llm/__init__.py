"""Talking to models: the client, its backends and what keeps a call from being lost."""
