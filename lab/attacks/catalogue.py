"""The catalogue: every attack, in the order in which it is told."""

from lab.attacks.attack import Attack
from lab.attacks.deeds import DEEDS
from lab.attacks.insiders import INSIDERS
from lab.attacks.words import WORDS

OUTSIDE: tuple[Attack, ...] = (*WORDS, *DEEDS)
"""The attacks that go the candidate's own way: by what they say and by what they request."""

CATALOGUE: tuple[Attack, ...] = (*OUTSIDE, *INSIDERS)
"""Those, and the ones that reach into the instrument."""

_CHECKPOINT = (
    "fluent without evidence",
    "wrong amount",
    "wrong currency",
    "forbidden tool, then denial",
    "malformed arguments",
    "empty reply",
    "failing candidate",
)
CHECKPOINT: tuple[Attack, ...] = tuple(
    next(attack for attack in CATALOGUE if attack.name == name) for name in _CHECKPOINT
)
"""The attacks of the cumulative check."""
