"""The tables of batches in a database, made once; those of the jobs are Procrastinate's own."""

from importlib import resources
from typing import Final

from procrastinate.schema import SchemaManager

from libriscribe2.batch.postgres.database import Database
from libriscribe2.errors import ProjectError

NUMBER: Final = 1
"""The number of the schema that this version reads and writes."""

_TURN: Final = "select pg_advisory_xact_lock(hashtextextended('libriscribe2 schema', 0))"
_FIND: Final = "select to_regclass('libriscribe2_schema') is not null as there"
_FIND_JOBS: Final = "select to_regclass('procrastinate_jobs') is not null as there"


def ensure_schema(database: Database) -> None:
    """Make the tables where they are missing.

    Raises:
        ProjectError: A newer version made them, or the database refuses.
        DatabaseLostError: The database does not answer.
    """
    if _number(database) is None:
        with database.transaction():
            database.rows(_TURN)
            if _number(database) is None:  # nobody else made them meanwhile
                _make(database)
    number = _number(database)
    if number != NUMBER:
        raise ProjectError(
            f"The database {database.dsn.shown} is of schema {number}; this version knows {NUMBER}",
            why="a newer version of libriscribe2 made its tables",
            fix="Install that version on this machine, too.",
        )


def _number(database: Database) -> int | None:
    if not database.rows(_FIND)[0]["there"]:
        return None
    return int(database.rows("select number from libriscribe2_schema")[0]["number"])


def _make(database: Database) -> None:
    if not database.rows(_FIND_JOBS)[0]["there"]:
        database.rows(SchemaManager.get_schema())
    text = (resources.files("libriscribe2.batch.postgres") / "schema.sql").read_text("utf-8")
    database.rows(text)
    database.rows("insert into libriscribe2_schema (number) values (%s)", (NUMBER,))
