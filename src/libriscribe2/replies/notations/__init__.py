"""How models write tool calls: one module per notation, found by its NOTATIONS."""
