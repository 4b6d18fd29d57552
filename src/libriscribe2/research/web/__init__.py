"""The web as research may use it."""
