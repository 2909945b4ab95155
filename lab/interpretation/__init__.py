"""Does language interpretation add anything over a transparent rule? Requests, and who reads them.

A request comes in; a candidate decides what it asks for; the decision's shape and meaning are
checked; the arithmetic is done for it; events come out and are graded.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
