"""Rules over a plan, before any prose is paid for: pure, and without a model."""
