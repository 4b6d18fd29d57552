"""Who answers requests: LiteLLM, a spool, a script."""
