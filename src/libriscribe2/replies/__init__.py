"""A reply becomes a value or a refusal: JSON, calls, sections, result pages."""
