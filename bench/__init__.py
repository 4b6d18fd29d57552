"""Measurements, run by hand with `make bench`; figures are kept in `bench/README.md`."""
