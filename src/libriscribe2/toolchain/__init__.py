"""Tool chains by the names of the original designs; they live in `research`."""
