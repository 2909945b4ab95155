"""Which model to evaluate: a fixture, the model in the box, or any server by its address."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lab.errors import UnavailableError
from lab.shop import local
from lab.shop.http import HTTPModel
from lab.shop.preflight import preflight

KEY_VARIABLE = "LAB_API_KEY"


@dataclass(frozen=True)
class Server:
    """A model behind an address; calling it makes an `HTTPModel` for one attempt.

    `served` is what is known of a server that the lab started itself, `seen` what a preflight
    found.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    reasoning_effort: str | None = "none"
    use_system_proxies: bool = False
    served: Mapping[str, Any] = field(default_factory=dict)
    seen: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> HTTPModel:
        return HTTPModel(
            self.base_url,
            self.model,
            api_key=self.api_key,
            reasoning_effort=self.reasoning_effort,
            use_system_proxies=self.use_system_proxies,
            environment={**self.served, **self.seen},
        )

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What a journal must find unchanged; a box is known by what it serves, not by its port."""
        return {
            "model": self.model,
            "reasoning_effort": self.reasoning_effort,
            "server": dict(self.served) or self.base_url,
        }

    def checked(self, tell: Callable[[str], None]) -> "Server":
        """Return the server with what a preflight found; UnavailableError where it is no use."""
        found = preflight(self())
        for sentence in found.sentences():
            tell(sentence)
        if found.error is not None:
            raise UnavailableError(
                f"{self.base_url}: {found.error}; is it running, is the name right?"
            )
        return replace(self, seen={"preflight": {**asdict(found), "sees_tools": found.sees_tools}})


def server_at(
    url: str, model: str, *, reasoning_effort: str | None, use_system_proxies: bool = False
) -> Server:
    """Return the server at an address, its key read from the environment and nowhere else."""
    key = os.environ.get(KEY_VARIABLE) or None
    return Server(url, model, key, reasoning_effort, use_system_proxies)


@contextlib.contextmanager
def box(*, reasoning_effort: str | None = "none") -> Iterator[Server]:
    """Serve the model in the box while the context lasts."""
    path = local.installed()
    if path is None:
        raise UnavailableError("the model in the box is not here yet; run `lab model install`")
    with local.serve(path) as served:
        yield Server(
            served.base_url,
            served.model,
            reasoning_effort=reasoning_effort,
            served=served.environment,
        )
