"""A shop of one's own, and a shop in a file that reading leaves alone."""

import hashlib
import sqlite3
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.shop.database import Database
from lab.shop.folder import SESSION, SHOP_FILE, active_configuration, create_folder
from lab.shop.skills import OPENING_PROCEDURE, Skill, context

STOCK = (("V", 2, 0, 8, 250), ("A", 1, 0, 5, 275))


def test_a_fresh_shop_keeps_the_order_of_its_stock() -> None:
    with Database.fresh(STOCK) as shop:
        assert shop.stock() == list(STOCK)
        assert shop.product("A") == ("A", 1, 0, 5, 275)
        assert shop.product("Z") is None


def test_two_fresh_shops_share_nothing() -> None:
    with Database.fresh(STOCK, [OPENING_PROCEDURE.row]) as one:
        one.connection.execute("INSERT INTO orders VALUES (1, 'V', 6, 1500)")
        one.connection.execute("DELETE FROM skills")
        one.remember("s", {"tone": "short"}, ("user", "hello"))
        with Database.fresh(STOCK, [OPENING_PROCEDURE.row]) as other:
            assert other.counts() == {"orders": 0, "preferences": 0, "history": 0}
            assert len(other.skills()) == 1
        assert one.counts() == {"orders": 1, "preferences": 1, "history": 1}


def test_one_skill_has_one_active_version() -> None:
    with Database.fresh((), [Skill("a", 1, "old").row]) as shop:
        with pytest.raises(sqlite3.IntegrityError):
            shop.add_skill(Skill("a", 2, "new").row)
        shop.add_skill(Skill("a", 2, "new").row, active=False)
        assert shop.skills() == [("a", 1, "old")]


def test_context_brings_skills_and_a_sessions_memory_and_no_other_sessions() -> None:
    with Database.fresh(STOCK, [Skill("a", 7, "Look first.").row]) as shop:
        shop.remember("lucy", {"tone": "short"}, ("user", "hello"), ("assistant", "hi"))
        live = context(shop, "lucy", "What now?", allowed={"b", "a"})
        new = context(shop, "evaluation", "What now?", allowed={"b", "a"})
    assert [message["role"] for message in live] == ["system", "user", "assistant", "user"]
    assert "Skill a, version 7:\nLook first." in live[0]["content"]
    assert "Your tools: a, b." in live[0]["content"]
    assert "Preference tone: short" in live[0]["content"]
    assert [message["content"] for message in new][1:] == ["What now?"]
    assert "tone" not in new[0]["content"]


def test_an_agents_folder_is_made_once_and_read_without_a_trace(tmp_path: Path) -> None:
    path = create_folder(tmp_path / "agent")
    assert path == tmp_path / "agent" / SHOP_FILE
    assert path.stat().st_mode & 0o777 == 0o600
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    assert active_configuration(tmp_path / "agent") == (OPENING_PROCEDURE,)
    with Database.open(path) as shop:
        assert shop.preferences(SESSION)
        assert shop.history(SESSION)
        with pytest.raises(sqlite3.OperationalError):
            shop.remember(SESSION, {"a": "b"})
    with pytest.raises(InputError, match="there is a shop here already"):
        create_folder(tmp_path / "agent")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [entry.name for entry in (tmp_path / "agent").iterdir()] == [SHOP_FILE]


def test_what_is_no_shop_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no shop here"):
        Database.open(tmp_path / SHOP_FILE)
    (tmp_path / SHOP_FILE).write_text("not a database, and long enough to be looked at" * 10)
    with pytest.raises(InputError, match="not a shop's database"):
        active_configuration(tmp_path)


@pytest.mark.parametrize(
    ("name", "version", "content", "said"),
    [
        ("", 1, "x", "name: must be text"),
        ("a", 1, " ", "content: must be text"),
        ("a", 0, "x", "version: 0"),
        ("a", True, "x", "version: True"),
        ("a", 1.5, "x", "version: 1.5"),
        ("a", " ", "x", "version: ' '"),
    ],
)
def test_a_skill_that_cannot_be_told_apart_is_refused(
    name: str, version: int, content: str, said: str
) -> None:
    with pytest.raises(ValueError, match="skill") as refusal:
        Skill(name, version, content)
    assert said in str(refusal.value)
