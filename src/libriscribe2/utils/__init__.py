"""The JSON pipeline by the names of the original designs; it lives in `replies`."""
