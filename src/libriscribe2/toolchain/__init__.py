"""Tools that a model may have called, and what plans, binds and runs chains of them."""
