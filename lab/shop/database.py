"""Lucy's shop as SQLite: in memory and fresh for every attempt, or a file of an agent at work."""

import os
import sqlite3
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Self

from lab.errors import InputError

StockRow = tuple[str, int, int, int, int]
"""(sku, on_hand, reserved, reorder_point, unit_price_pence)."""

SkillRow = tuple[str, int | str, str]
"""(name, version, content) of a skill."""

SCHEMA = """
CREATE TABLE products (sku TEXT PRIMARY KEY, unit_price_pence INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE inventory (
    position INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE REFERENCES products,
    on_hand INTEGER NOT NULL, reserved INTEGER NOT NULL, reorder_point INTEGER NOT NULL);
CREATE TABLE skills (
    name TEXT NOT NULL, version NOT NULL, content TEXT NOT NULL, active INTEGER NOT NULL,
    PRIMARY KEY (name, version));
CREATE UNIQUE INDEX one_active_version ON skills (name) WHERE active;
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL,
    total_pence INTEGER NOT NULL);
CREATE TABLE preferences (
    session TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (session, key));
CREATE TABLE history (
    position INTEGER PRIMARY KEY, session TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL);
"""

COUNTED = ("orders", "preferences", "history")


class Database:
    """One shop: `Database.fresh` gives an attempt its own, `Database.open` reads a file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @classmethod
    def fresh(cls, stock: Iterable[StockRow] = (), skills: Iterable[SkillRow] = ()) -> Self:
        """Return a new shop in memory that shares nothing with any other.

        `stock` is listed by the tools in the order given; `skills` are the active ones.
        """
        database = cls(sqlite3.connect(":memory:", isolation_level=None))
        # Copying a prepared image is several times faster than filling an empty shop again.
        database.connection.deserialize(_image(tuple(stock), tuple(skills)))
        return database

    @classmethod
    def create(cls, path: Path, stock: Iterable[StockRow], skills: Iterable[SkillRow]) -> Self:
        """Make a shop's file, readable by its owner alone. FileExistsError where there is one."""
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        database = cls(sqlite3.connect(path, isolation_level=None))
        database.connection.executescript(SCHEMA)
        database._add_stock(stock)
        for skill in skills:
            database.add_skill(skill)
        return database

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a shop's file for reading only. InputError when it is not there or not a shop."""
        if not path.is_file():
            raise InputError(f"{path}: no shop here; make one with `lab shop init {path.parent}`")
        database = cls(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True))
        try:
            database.skills()
        except sqlite3.Error as error:
            database.close()
            raise InputError(f"{path}: not a shop's database: {error}") from None
        return database

    def _add_stock(self, stock: Iterable[StockRow]) -> None:
        rows = list(stock)
        self.connection.executemany(
            "INSERT INTO products VALUES (?, ?)", [(row[0], row[4]) for row in rows]
        )
        self.connection.executemany(
            "INSERT INTO inventory (sku, on_hand, reserved, reorder_point) VALUES (?, ?, ?, ?)",
            [row[:4] for row in rows],
        )

    def stock(self) -> list[StockRow]:
        """Return every product with its numbers, in the order it was added."""
        return self.connection.execute(
            "SELECT sku, on_hand, reserved, reorder_point, unit_price_pence"
            " FROM inventory JOIN products USING (sku) ORDER BY position"
        ).fetchall()

    def product(self, sku: str) -> StockRow | None:
        """Return one product's row of `stock`, or None where the shop does not have it."""
        return next((row for row in self.stock() if row[0] == sku), None)

    def skills(self) -> list[SkillRow]:
        """Return the active skills by name, all read in one statement and so in one snapshot."""
        return self.connection.execute(
            "SELECT name, version, content FROM skills WHERE active ORDER BY name"
        ).fetchall()

    def add_skill(self, skill: SkillRow, *, active: bool = True) -> None:
        """Keep a version of a skill. sqlite3.IntegrityError where the name has an active one."""
        self.connection.execute("INSERT INTO skills VALUES (?, ?, ?, ?)", (*skill, active))

    def preferences(self, session: str) -> list[tuple[str, str]]:
        """Return the (key, value) pairs remembered for a session."""
        return self.connection.execute(
            "SELECT key, value FROM preferences WHERE session = ? ORDER BY key", (session,)
        ).fetchall()

    def history(self, session: str) -> list[tuple[str, str]]:
        """Return a session's earlier (role, content) messages, oldest first."""
        return self.connection.execute(
            "SELECT role, content FROM history WHERE session = ? ORDER BY position", (session,)
        ).fetchall()

    def remember(self, session: str, preferences: dict[str, str], *said: tuple[str, str]) -> None:
        """Add preferences and (role, content) messages to a live session."""
        self.connection.executemany(
            "INSERT INTO preferences VALUES (?, ?, ?)",
            [(session, key, value) for key, value in preferences.items()],
        )
        self.connection.executemany(
            "INSERT INTO history (session, role, content) VALUES (?, ?, ?)",
            [(session, role, content) for role, content in said],
        )

    def counts(self) -> dict[str, int]:
        """Return how many rows the tables hold that an evaluation must leave empty."""
        query = ", ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED)  # noqa: S608
        return dict(
            zip(COUNTED, self.connection.execute(f"SELECT {query}").fetchone(), strict=True)
        )

    def close(self) -> None:
        """Close the connection; a shop in memory is gone."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@lru_cache(maxsize=64)
def _image(stock: tuple[StockRow, ...], skills: tuple[SkillRow, ...]) -> bytes:
    with Database(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.connection.deserialize(_empty_image())
        database._add_stock(stock)
        for skill in skills:
            database.add_skill(skill)
        return database.connection.serialize()


@cache
def _empty_image() -> bytes:
    with Database(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.connection.execute("PRAGMA page_size = 512")  # small tables, small image
        database.connection.executescript(SCHEMA)
        return database.connection.serialize()
