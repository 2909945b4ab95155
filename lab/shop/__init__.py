"""The agent under evaluation. It knows nothing of the lab that examines it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
