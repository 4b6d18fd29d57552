"""The JSON pipeline by the names of the original designs; what commands need is in `replies`."""
