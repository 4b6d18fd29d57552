"""Who answers requests: LiteLLM, a spool, a script, the stand-in author."""
