"""Seeded corpus of model replies: value first, then damage, then wrapping, so the truth is known."""
