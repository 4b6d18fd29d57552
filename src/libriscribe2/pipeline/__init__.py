"""Stages in order: what runs, why, and what it tells while it runs."""
