"""A database server for the tests that need one."""

from tests.support.postgres import cluster, dsn

__all__ = ["cluster", "dsn"]
