"""Words that a candidate wrote, as other formats can hold them: the rest is made visible."""

import re
from datetime import UTC, datetime
from typing import Any

NO_XML = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 does not allow, or advises against; a carriage return would be read as another."""
SURROGATE = re.compile("[\ud800-\udfff]")


def for_xml(value: Any) -> str:
    r"""Return a value as text for XML, a control character as `\x1b`, half a pair as `\ud800`."""
    return NO_XML.sub(_visible, str(value))


def for_utf8(value: str) -> str:
    r"""Return text that can be encoded: half of a surrogate pair becomes `\ud800`."""
    return SURROGATE.sub(_visible, value)


def moment(told: Any) -> datetime | None:
    """Return a time as a report keeps it, in UTC; None where it keeps none that can be read."""
    try:
        return datetime.fromisoformat(told).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def _visible(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
