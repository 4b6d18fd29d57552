"""The tables of batches in a database, made once; those of the jobs are Procrastinate's own."""

from importlib import resources
from typing import Final

from procrastinate.schema import SchemaManager

from libriscribe2.batch.postgres.database import Database
from libriscribe2.errors import ProjectError

_PARTS: Final = ("schema.sql", "schema_2.sql")
"""What makes the tables: each part brings them to the next number, the first one to 1."""

NUMBER: Final = len(_PARTS)
"""The number of the schema that this version reads and writes."""

_TURN: Final = "select pg_advisory_xact_lock(hashtextextended('libriscribe2 schema', 0))"
_FIND: Final = "select to_regclass('libriscribe2_schema') is not null as there"
_FIND_JOBS: Final = "select to_regclass('procrastinate_jobs') is not null as there"


def ensure_schema(database: Database) -> None:
    """Make the tables where they are missing; those of an older version are added to.

    Raises:
        ProjectError: A newer version made them, or the database refuses.
        DatabaseLostError: The database does not answer.
    """
    if _number(database) < NUMBER:
        with database.transaction():
            database.rows(_TURN)
            _add_from(database, _number(database))  # somebody else may have done so meanwhile
    number = _number(database)
    if number != NUMBER:
        raise ProjectError(
            f"The database {database.dsn.shown} is of schema {number}; this version knows {NUMBER}",
            why="a newer version of libriscribe2 made its tables",
            fix="Install that version on this machine, too.",
        )


def _number(database: Database) -> int:
    """The number of the tables that are there; 0 for none."""
    if not database.rows(_FIND)[0]["there"]:
        return 0
    return int(database.rows("select number from libriscribe2_schema")[0]["number"])


def _add_from(database: Database, number: int) -> None:
    if number >= NUMBER:
        return
    if not database.rows(_FIND_JOBS)[0]["there"]:
        database.rows(SchemaManager.get_schema())
    for part in _PARTS[number:]:
        text = (resources.files("libriscribe2.batch.postgres") / part).read_text("utf-8")
        database.rows(text)
    database.rows("delete from libriscribe2_schema")
    database.rows("insert into libriscribe2_schema (number) values (%s)", (NUMBER,))
