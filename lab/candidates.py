"""Which model to evaluate: a fixture, the model in the box, or any server by its address."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.errors import UnavailableError
from lab.shop import local
from lab.shop.fixtures import GuidedFixture, OfflineShopModel
from lab.shop.http import HTTPModel
from lab.shop.models import Model

KEY_VARIABLE = "LAB_API_KEY"

Factory = Callable[[], Model]


@dataclass(frozen=True)
class Server:
    """A model behind an address; calling it makes an `HTTPModel` for one attempt."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    reasoning_effort: str | None = "none"
    use_system_proxies: bool = False
    environment: Mapping[str, Any] | None = None

    def __call__(self) -> HTTPModel:
        return HTTPModel(
            self.base_url,
            self.model,
            api_key=self.api_key,
            reasoning_effort=self.reasoning_effort,
            use_system_proxies=self.use_system_proxies,
            environment=self.environment,
        )

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What a journal must find unchanged; a box is known by what it serves, not by its port."""
        return {
            "model": self.model,
            "reasoning_effort": self.reasoning_effort,
            "served": dict(self.environment) if self.environment else self.base_url,
        }


def api_key() -> str | None:
    """Return the key from the environment, the only place one is read from."""
    return os.environ.get(KEY_VARIABLE) or None


@contextlib.contextmanager
def candidate(
    *,
    live: bool = False,
    guided: bool = False,
    url: str | None = None,
    model: str = "",
    reasoning_effort: str | None = "none",
    use_system_proxies: bool = False,
) -> Iterator[Factory]:
    """Give the factory of the chosen candidate; the model in the box is served meanwhile."""
    if live:
        with boxed() as served:
            yield Server(
                served.base_url,
                served.model,
                reasoning_effort=reasoning_effort,
                environment=served.environment,
            )
    elif url is not None:
        server = Server(url, model, api_key(), reasoning_effort, use_system_proxies)
        server().close()  # bad options are refused here, before anything runs
        yield server
    else:
        yield GuidedFixture if guided else OfflineShopModel


@contextlib.contextmanager
def boxed(port: int = 0) -> Iterator[local.Served]:
    """Serve the model in the box while the context lasts."""
    path = local.installed()
    if path is None:
        raise UnavailableError("the model in the box is not here yet; run `lab model install`")
    with local.serve(path, port=port) as served:
        yield served
