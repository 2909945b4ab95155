"""Candidates that are wrong on purpose, with what must come of each, written down by hand.

They measure the instrument: what it catches, what it cannot see, and what it calls wrong though it
is right.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
