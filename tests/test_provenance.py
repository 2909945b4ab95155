"""What a journal tells one candidate, check or baseline from another by."""

import functools
import re
from collections.abc import Callable
from typing import Any

import pytest

from lab.candidates import Server
from lab.provenance import identity, provenance
from lab.shop import HTTPModel, OfflineShopModel


def closes_over(value: Any) -> Callable[[], Any]:
    return lambda: value


def has_default(value: Any) -> Callable[[], Any]:
    def function(chosen: Any = value) -> Any:
        return chosen

    return function


class Carries:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return self.value


@pytest.mark.parametrize(
    "make",
    [
        closes_over,
        has_default,
        Carries,
        functools.partial(functools.partial, OfflineShopModel),
        lambda value: closes_over(closes_over(value)),
        lambda value: Server("http://127.0.0.1:1/v1", f"m{value}"),
    ],
)
def test_what_it_carries_belongs_to_what_it_is(make: Callable[[Any], Any]) -> None:
    assert identity(make(1)) == identity(make(1))
    assert identity(make(1)) != identity(make(2))


def test_a_function_that_closes_over_itself_can_be_told() -> None:
    def recursive(n: int) -> int:
        return recursive(n - 1) if n else 0

    assert identity(recursive)["name"].endswith("recursive")


WORD = re.compile("gbp")


def names_a_global() -> bool:
    return WORD.search("pence") is not None


def test_the_globals_it_names_belong_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity(names_a_global)
    monkeypatch.setitem(globals(), "WORD", re.compile("pence"))
    assert identity(names_a_global) != before


class Base:
    pass


def test_a_base_class_belongs_to_it() -> None:
    def mine(base: Any) -> Any:
        class Mine(base):  # type: ignore[misc]
            pass

        return Mine

    assert identity(mine(Base)) != identity(mine(Carries))


def test_another_source_is_another_function() -> None:
    assert identity(lambda: 1) != identity(lambda: 2)
    assert identity(OfflineShopModel)["name"] == "lab.shop.fixtures.OfflineShopModel"


def test_what_was_made_without_a_module_can_be_told() -> None:
    def made(source: str) -> Any:
        place: dict[str, Any] = {}
        exec(source, place)
        return place["f"]

    one, other = made("f = lambda: 1"), made("f = lambda: 2")
    assert one.__module__ is None
    assert identity(one) != identity(other)
    assert identity(one) == identity(made("f = lambda: 1"))


def test_a_key_is_no_part_of_it() -> None:
    one, other = (functools.partial(HTTPModel, api_key=key) for key in ("a-secret", "b-secret"))
    assert identity(one) == identity(other)
    assert "secret" not in str(identity(Server("http://127.0.0.1:1/v1", "m", "a-secret")))


def test_provenance_names_versions_and_the_time() -> None:
    found = provenance()
    assert found["created"][-1] == "Z"
    assert found["python"].startswith("3.")
    assert found["lab_version"] == "0.1.0"
