"""Rules over a plan, before any prose is paid for, and over what is written beside it."""
