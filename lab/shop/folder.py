"""An operating agent's folder: its shop, the skill it works by, and what it remembers."""

import os
import secrets
import sqlite3
from pathlib import Path

from lab.errors import InputError, LabError
from lab.shop.database import Database
from lab.shop.skills import OPENING_PROCEDURE, Skill, active_skills

SHOP_FILE = "shop.sqlite3"
SESSION = "lucy"

CATALOGUE = (("V", 2, 0, 8, 250), ("S", 1, 0, 5, 275))
EARLIER_PROCEDURE = Skill(
    OPENING_PROCEDURE.name, "0-draft", "Look at the stock, then draft what seems short."
)


def create_folder(directory: Path) -> Path:
    """Make an agent's folder and return its database: Lucy's catalogue, two versions of a
    procedure with the later one active, and a session with preferences and history.

    InputError where the folder has a shop already, which is never written over.
    """
    path = directory / SHOP_FILE
    making = directory / f".{SHOP_FILE}-{secrets.token_hex(4)}"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with Database.create(making, CATALOGUE, [OPENING_PROCEDURE.row]) as shop:
            shop.add_skill(EARLIER_PROCEDURE.row, active=False)
            shop.remember(
                SESSION,
                {"tone": "short sentences"},
                ("user", "Good morning! Anything running low?"),
                ("assistant", "Vanilla and strawberry are. Shall I draft?"),
            )
        os.link(making, path)  # unlike a renaming, this cannot replace a shop
    except FileExistsError:
        raise InputError(f"{path}: there is a shop here already; choose another folder") from None
    except (OSError, sqlite3.Error) as error:
        raise LabError(f"{directory}: the shop could not be made: {error}") from None
    finally:
        making.unlink(missing_ok=True)
    return path


def active_configuration(directory: Path) -> tuple[Skill, ...]:
    """Return the exact skill versions that the agent in a folder has active, read only."""
    with Database.open(directory / SHOP_FILE) as shop:
        return active_skills(shop)
