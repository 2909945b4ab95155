import hashlib
import json
import multiprocessing
from pathlib import Path

import pytest

from lab.chain import Chain, Head
from lab.errors import InputError, LabError
from lab.shapes import Shape


class Seen(Shape):
    number: int


KINDS = {"seen": Seen}


@pytest.fixture
def chain(tmp_path: Path) -> Chain:
    chain = Chain(tmp_path / "kept.jsonl", "ledger", KINDS)
    for number in range(4):
        chain.add("seen", number=number)
    return chain


def numbers(chain: Chain) -> list[int]:
    return [entry["number"] for entry in chain.entries()]


def test_what_was_added_is_there_in_its_order(chain: Chain) -> None:
    assert numbers(chain) == [0, 1, 2, 3]
    assert chain.entries()[0]["before"] == "0" * 64
    assert chain.path.stat().st_mode & 0o777 == 0o600


def test_nothing_written_yet_is_nothing(tmp_path: Path) -> None:
    empty = Chain(tmp_path / "none.jsonl", "ledger", KINDS)
    assert (empty.entries(), empty.head()) == ([], Head(0, "0" * 64))
    assert list(tmp_path.iterdir()) == []


def lines(chain: Chain) -> list[bytes]:
    return chain.path.read_bytes().splitlines(keepends=True)


def before(line: bytes) -> str:
    return hashlib.sha256(line.rstrip()).hexdigest()


def follows(old: list[bytes], **said: object) -> bytes:
    """Return a line that whoever knows how the chain is made would add."""
    return (
        json.dumps(
            {**said, "before": before(old[-1])}, separators=(",", ":"), sort_keys=True
        ).encode()
        + b"\n"
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda old: [*old[:1], old[1].replace(b"1,", b"7,"), *old[2:]], "line 3 does not follow"),
        (lambda old: [*old[:3], old[3].replace(b"3,", b"7,")], "line 4 is not the one"),
        (lambda old: [old[0], old[2], old[1], old[3]], "line 2 does not follow"),
        (lambda old: [old[0], *old[2:]], "line 2 does not follow"),
        (lambda old: old[1:], "line 1 does not follow"),
        (lambda old: old[:3], "4 entries were written and 3 are left"),
        (lambda old: [*old[:3], old[3][:-9]], "4 entries were written and 3 are left"),
        (lambda old: [], "4 entries were written and 0 are left"),
        (lambda old: [*old, b"{}\n"], "line 5 does not follow"),
        (lambda old: [*old, follows(old, kind="seen")], "line 5: number: Field required"),
        (lambda old: [*old, follows(old, kind="heard")], "line 5: 'heard' is not one of seen"),
        (lambda old: [line.replace(b"\n", b"\r\n") for line in old], "line 1 does not follow"),
        (lambda old: [old[0], b'{"kind": "seen"}\n', *old[2:]], "line 2 does not follow"),
        (lambda old: [*old[:3], old[3].replace(b":", b": ", 1)], "line 4 does not follow"),
    ],
)
def test_what_was_changed_shows_and_stays_as_it_is(chain: Chain, change, told: str) -> None:  # type: ignore[no-untyped-def]
    changed = b"".join(change(lines(chain)))
    chain.path.write_bytes(changed)
    for attempt in (chain.entries, chain.head, lambda: chain.add("seen", number=9)):
        with pytest.raises(InputError, match=told):
            attempt()
    assert chain.path.read_bytes() == changed


def test_a_head_that_is_gone_or_garbled_shows(chain: Chain) -> None:
    head = chain.path.with_name("kept.jsonl.head")
    for garbled in ("{}", "[]", '{"entries":-1,"sha256":""}', '{"entries":1e400,"sha256":""}'):
        head.write_text(garbled)
        with pytest.raises(InputError, match="its head cannot be read"):
            chain.entries()
    head.write_text(json.dumps({"entries": 2, "sha256": before(lines(chain)[1])}))
    with pytest.raises(InputError, match="its head knows 2 entries of 4"):
        chain.entries()
    head.unlink()
    with pytest.raises(InputError, match=r"its head, kept\.jsonl\.head, is missing"):
        chain.add("seen", number=9)


def test_a_file_that_is_gone_shows(chain: Chain) -> None:
    chain.path.unlink()
    with pytest.raises(InputError, match="4 entries were written and 0 are left"):
        chain.add("seen", number=9)


def test_a_line_that_a_crash_cut_off_was_never_there(chain: Chain) -> None:
    with chain.path.open("ab") as file:
        file.write(b'{"kind":"seen","num')
    assert numbers(chain) == [0, 1, 2, 3]
    chain.add("seen", number=4)
    assert numbers(chain) == [0, 1, 2, 3, 4]


def test_a_crash_between_a_line_and_the_head_loses_nothing(chain: Chain) -> None:
    head = chain.path.with_name("kept.jsonl.head")
    before = head.read_bytes()
    chain.add("seen", number=4)
    head.write_bytes(before)
    assert numbers(chain) == [0, 1, 2, 3, 4]
    chain.add("seen", number=5)
    assert json.loads(head.read_bytes())["entries"] == 6


def test_an_outsider_knows_a_chain_by_an_earlier_head(chain: Chain, tmp_path: Path) -> None:
    kept = chain.head()
    chain.add("seen", number=4)
    assert chain.holds(kept)
    assert chain.holds(Head(0, "0" * 64))
    another = Chain(tmp_path / "another.jsonl", "ledger", KINDS)
    for number in range(6):
        another.add("seen", number=number)
    assert not another.holds(kept)


def test_what_is_not_plain_is_not_written(chain: Chain) -> None:
    with pytest.raises((TypeError, ValueError)):
        chain.add("seen", number=float("nan"))
    with pytest.raises(ValueError, match="number: Input should be a valid integer"):
        chain.add("seen", number="1")
    with pytest.raises(ValueError, match="'heard' is not one of seen"):
        chain.add("heard", number=1)
    with pytest.raises(InputError, match="are the chain's own"):
        chain.add("seen", before="x")
    assert numbers(chain) == [0, 1, 2, 3]


def _add_many(path: Path, who: int) -> None:
    for number in range(20):
        Chain(path, "ledger", KINDS).add("seen", number=100 * who + number)


def test_writers_at_the_same_time_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_many, args=(path, who)) for who in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = numbers(Chain(path, "ledger", KINDS))
    assert len(found) == 60
    for who in range(3):
        assert [n for n in found if n // 100 == who] == [100 * who + n for n in range(20)]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="cannot be written"):
        Chain(tmp_path / "file" / "kept.jsonl", "ledger", KINDS).add("seen", number=1)


def test_a_folder_is_no_such_file(tmp_path: Path) -> None:
    for path in (tmp_path, Path()):
        with pytest.raises(InputError, match="is no file, so it cannot be a ledger"):
            Chain(path, "ledger", KINDS)
