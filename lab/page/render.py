"""Templates become pages: everything put in is escaped, and the page itself allows nothing more.

The policy in each page names the digests of its own style and script. What slipped through the
escaping all the same would not be run, and could reach no network.
"""

import base64
import hashlib
import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any

from lab import plain

IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What counts as printable and is not seen (Default_Ignorable_Code_Point of Unicode)."""


@cache
def environment(package: str) -> Any:
    """Return the templates of a package, which may extend those of the page."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("lab.page")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=visible,
    )
    made.globals["dressed"] = dressed
    made.filters |= {"seconds": seconds, "as_text": as_text}
    return made


def visible(value: Any) -> Any:
    """Return text in which what no browser shows is spelled out; what is not text, as it is."""
    if type(value) is not str or (value.isprintable() and not IGNORED.search(value)):
        return value
    return "".join(c if _is_shown(c) else _spelled(c) for c in value)


def _is_shown(character: str) -> bool:
    if character.isspace():
        return character in "\n\t" or unicodedata.category(character) == "Zs"
    return character.isprintable() and not IGNORED.match(character)


def seconds(value: float | None) -> str:
    """Return seconds to the microsecond, unknown where nobody knows them."""
    return "unknown" if value is None else f"{value:.6f}"


def as_text(value: Any) -> str:
    """Return plain data as a person reads it."""
    if value is None:
        return "unknown"
    return value if isinstance(value, str) else plain.dumps(value)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode()


@cache
def dressed(*names: str) -> dict[str, Any]:
    """Return the style and script of a page, from files of these names, and the policy for them."""
    from markupsafe import Markup

    read = {name: _file(name) for name in names}
    style = "".join(text for name, text in read.items() if name.endswith(".css"))
    script = "".join(text for name, text in read.items() if name.endswith(".js"))
    allowed = f"script-src '{_digest(script)}'; " if script else ""
    policy = f"default-src 'none'; {allowed}style-src '{_digest(style)}'"
    policy = f"{policy}; base-uri 'none'; form-action 'none'"
    worn = {"style": style, "script": script, "policy": policy}
    return {name: Markup(text) for name, text in worn.items()}  # noqa: S704  (ours, from files)


def _file(name: str) -> str:
    return files("lab.page").joinpath("templates", name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
